#include "services/core/store/sql.h"

#include <gtest/gtest.h>
#include <soci/soci.h>

#include <stdexcept>

namespace yardmaster::store {
namespace {

TEST(Select, RefusesANameThatIsBoundTwice) {
  soci::session sql("sqlite3", ":memory:");
  Select query(sql);
  query.Add("select :kind").Bind("kind", 1).Bind("other", 1);
  EXPECT_THROW(query.Bind("kind", 2), std::logic_error);
  EXPECT_THROW(query.Bind("other", "x"), std::logic_error);
}

TEST(Select, GivesEachNameItsValue) {
  soci::session sql("sqlite3", ":memory:");
  long long sum = 0;
  EXPECT_TRUE(Select(sql).Add("select :a * 10 + :b").Bind("a", 4).Bind("b", 2).Into(sum).One());
  EXPECT_EQ(sum, 42);
}

}  // namespace
}  // namespace yardmaster::store
