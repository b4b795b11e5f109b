#include "services/intake/sweeps/repository_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/core/reasons.h"
#include "tests/unit/services/intake/world.h"

namespace yardmaster {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kRepository;
using ::testing::SizeIs;
using testing::World;

constexpr const char* kNewName = "elsewhere/renamed";

std::string Check(World& world) {
  const absl::StatusOr<std::string> summary = CheckRepositories(*world.environment_, [] { return false; });
  EXPECT_TRUE(summary.ok()) << summary.status();
  return summary.value_or("");
}

TEST(RepositoryCheck, ARenamedRepositoryIsWorkedOnUnderItsNewName) {
  World world;
  world.forge_.Open(kRepository, 1, "socket broken", "The socket does not work.", {"queue"});
  world.forge_.Open(kNewName, 1, "socket broken", "The socket does not work.", {"queue"});
  // It came before anybody knew of the new name, as the receiver keeps it.
  nlohmann::json body = world.Body("opened", 1);
  body["repository"]["full_name"] = kNewName;
  store::NewDelivery delivery;
  delivery.forge = "github";
  delivery.delivery_id = "early";
  delivery.event = "issues";
  delivery.body = body.dump();
  delivery.subject.set_forge("github");
  delivery.subject.set_repository(kNewName);
  delivery.ignored_because = std::string(reasons::kNoPack);
  const int64_t row = world.store_->inbox().AddAndWait(std::move(delivery))->id;

  world.forge_.renamed[kRepository] = kNewName;
  EXPECT_EQ(Check(world), "1 found, 1 of them renamed, 0 can't be read");
  world.Run();
  EXPECT_EQ(world.StateOf(row), "done");
  EXPECT_THAT(world.forge_.At(kNewName, 1).issue.labels, Contains("team b"));
  ASSERT_THAT(world.notices_->List(), SizeIs(1));
  EXPECT_THAT(world.notices_->List()[0].text, HasSubstr(kNewName));

  // It is no news the second time, and nothing at all once the configuration says so.
  Check(world);
  EXPECT_EQ(world.StateOf(row), "done");
  world.forge_.renamed.clear();
  Check(world);
  EXPECT_THAT(world.notices_->List(), IsEmpty());
}

TEST(RepositoryCheck, MissingAccessIsANoticeUntilItIsThere) {
  World world;
  world.forge_.unreadable.insert(kRepository);
  EXPECT_EQ(Check(world), "0 found, 0 of them renamed, 1 can't be read");
  ASSERT_THAT(world.notices_->List(), SizeIs(1));
  EXPECT_THAT(world.notices_->List()[0].text, HasSubstr("yard doctor --repository"));
  world.forge_.unreadable.clear();
  Check(world);
  EXPECT_THAT(world.notices_->List(), IsEmpty());
}

}  // namespace
}  // namespace yardmaster
