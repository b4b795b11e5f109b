#include "services/yardworker/code_origin.h"

#include <gtest/gtest.h>

#include <set>

namespace yardmaster::yardworker {
namespace {

TEST(CodeOrigin, RepositoriesPullRequestsAndUploadsAreKeptApart) {
  std::set<std::string> origins;
  rules::SuiteModel suite;
  suite.source.repository = "github:o/r";
  v1::JobSpec spec;
  // What the suite names is the repository's own, however it was fetched.
  const std::string own = CodeOrigin(spec, suite);
  EXPECT_TRUE(origins.insert(own).second);
  spec.set_source_digest("d");
  EXPECT_TRUE(origins.insert(CodeOrigin(spec, suite)).second) << "an upload";
  spec.set_repository("github:o/r");
  EXPECT_EQ(CodeOrigin(spec, suite), own);
  spec.set_repository("github:o/s");
  EXPECT_TRUE(origins.insert(CodeOrigin(spec, suite)).second);
  spec.set_subject("github:o/s#7");
  const std::string pull = CodeOrigin(spec, suite);
  EXPECT_TRUE(origins.insert(pull).second);
  spec.set_subject("github:o/s#8");
  EXPECT_TRUE(origins.insert(CodeOrigin(spec, suite)).second);
  // Run again by hand it is still the author's.
  spec.clear_subject();
  spec.set_head_of("github:o/s#7");
  EXPECT_EQ(CodeOrigin(spec, suite), pull);
  suite.source.repository.clear();
  suite.source.own = "kernels";
  EXPECT_TRUE(origins.insert(CodeOrigin({}, suite)).second);
}

}  // namespace
}  // namespace yardmaster::yardworker
