#include "services/worker/run/stack_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "services/worker/logs/log.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// Processes by hand: each has a parent, a program and perhaps a rank.
class Table {
 public:
  Table& Add(pid_t pid, pid_t parent, const std::string& program, std::optional<int> rank = std::nullopt,
             const std::string& command = "") {
    ProcessEntry entry;
    entry.pid = pid;
    entry.parent = parent;
    entry.group = entry.session = pid;
    entry.start = 100;
    entry.name = program;
    entries_.push_back(entry);
    facts_[pid] = {program, command.empty() ? program : command, rank};
    return *this;
  }
  // "rank:pid" of each.
  std::vector<std::string> Choose(const std::vector<StackLeader>& leaders, bool ranked, size_t most = 64) const {
    std::vector<std::string> chosen;
    const auto facts_of = [&](const ProcessEntry& process) { return facts_.at(process.pid); };
    for (const StackTarget& target : ChooseStackTargets(leaders, entries_, facts_of, ranked, most)) {
      chosen.push_back(Concat(target.rank, ":", target.process.pid));
    }
    return chosen;
  }

 private:
  std::vector<ProcessEntry> entries_;
  std::map<pid_t, ProcessFacts> facts_;
};

TEST(ChooseStackTargets, EveryRankOfALauncherIsReachedBelowItsShells) {
  Table table;
  table.Add(10, 1, "python3.11", std::nullopt, "python3 -m torch.distributed.run --nproc_per_node=16");
  for (int rank = 0; rank < 16; ++rank) {
    table.Add(100 + rank, 10, "bash", rank).Add(200 + rank, 100 + rank, "bash", rank);
    table.Add(300 + rank, 200 + rank, "python3.11", rank);
  }
  const std::vector<std::string> chosen = table.Choose({{10, kNoRank}}, true);
  ASSERT_THAT(chosen, SizeIs(16));
  EXPECT_EQ(chosen[0], "0:300");
  EXPECT_EQ(chosen[15], "15:315");
}

TEST(ChooseStackTargets, ASandboxAroundARankIsNoRank) {
  Table table;
  table.Add(10, 1, "bwrap").Add(11, 10, "bwrap").Add(12, 11, "python3.11", 7).Add(13, 12, "python3.11", 7);
  EXPECT_THAT(table.Choose({{10, 2}}, true), ElementsAre("2:12", "2:13"));
}

TEST(ChooseStackTargets, WhereNothingButWrappersIsThereTheInnermostComesFirst) {
  Table table;
  table.Add(10, 1, "bash").Add(11, 10, "bash");
  EXPECT_THAT(table.Choose({{10, 0}}, true), ElementsAre("0:11", "0:10"));
}

TEST(ChooseStackTargets, ALauncherThatStartedNobodyIsLookedAt) {
  Table table;
  table.Add(10, 1, "python3.11", std::nullopt, "python3 -m torch.distributed.run");
  EXPECT_THAT(table.Choose({{10, kNoRank}}, true), ElementsAre("-1:10"));
}

TEST(ChooseStackTargets, TheFirstOfEachRankComesBeforeTheSecondOfAny) {
  Table table;
  for (int rank = 0; rank < 2; ++rank) {
    const pid_t main = 10 + rank;
    table.Add(main, 1, "python3.11");
    for (int worker = 0; worker < 5; ++worker) table.Add(100 * main + worker, main, "python3.11");
  }
  EXPECT_THAT(table.Choose({{10, 0}, {11, 1}}, true, 4), ElementsAre("0:10", "1:11", "0:1000", "1:1100"));
  EXPECT_THAT(table.Choose({{10, 0}, {11, 1}}, true, 1), ElementsAre("0:10", "1:11"));
}

TEST(ChooseStackTargets, AStepWithoutRanksHasNoneWhateverItsProcessesCallThemselves) {
  Table table;
  table.Add(10, 1, "python3.11").Add(11, 10, "python3.11", 0).Add(12, 10, "python3.11", 1);
  table.Add(13, 10, "python3.11", std::nullopt, "python3 -c from multiprocessing.resource_tracker import main");
  EXPECT_THAT(table.Choose({{10, kNoRank}}, false), ElementsAre("-1:10", "-1:11", "-1:12"));
}

}  // namespace
}  // namespace yardmaster::worker
