#include "services/worker/process/process_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <string>

#include "services/worker/process/process_tree.h"

namespace yardmaster::worker {
namespace {

using namespace std::string_literals;

TEST(ParseProcessStat, ANameWithParenthesesAndNewlinesIsSkipped) {
  const std::optional<ProcessEntry> entry = ParseProcessStat(
      "42 (a) R 1 (b\n) S 7 40 39 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 1000 10 184467 1 1 0\n");
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->pid, 42);
  EXPECT_EQ(entry->parent, 7);
  EXPECT_EQ(entry->group, 40);
  EXPECT_EQ(entry->session, 39);
  EXPECT_EQ(entry->start, 123456u);
  EXPECT_FALSE(entry->zombie);
  EXPECT_EQ(entry->state, 'S');
  EXPECT_EQ(entry->name, "a) R 1 (b\n");
  EXPECT_EQ(entry->cpu_ticks, 5U + 6U);
}

TEST(ParseProcessStat, WhatIsCutOffIsNoProcess) {
  const std::string whole = "42 (a) Z 7 40 39 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 ";
  EXPECT_TRUE(ParseProcessStat(whole)->zombie);
  for (size_t size = 0; size < whole.size() - 7; ++size) {
    EXPECT_FALSE(ParseProcessStat(whole.substr(0, size)).has_value()) << size;
  }
}

TEST(ReadProcess, FindsUs) {
  const std::optional<ProcessEntry> self = ReadProcess(::getpid());
  ASSERT_TRUE(self.has_value());
  EXPECT_EQ(self->parent, ::getppid());
  bool found = false;
  for (const ProcessEntry& entry : ReadProcesses(self->start)) found = found || entry.pid == ::getpid();
  EXPECT_TRUE(found);
}

TEST(HasMark, OnlyInTheVariableOfThatName) {
  EXPECT_TRUE(HasMark("A=1\0YARD_PROCESS_MARK=outer:0123\0B=2\0"s, "0123"));
  EXPECT_FALSE(HasMark("A=0123\0XYARD_PROCESS_MARK=0123\0YARD_PROCESS_MARKS=0123\0"s, "0123"));
  EXPECT_FALSE(HasMark("YARD_PROCESS_MARK=0123\0"s, ""));
  EXPECT_FALSE(HasMark("", "0123"));
}

// A table of processes by hand.
ProcessEntry Entry(pid_t pid, pid_t parent, pid_t group, pid_t session, uint64_t start) {
  return {pid, parent, group, session, start, false};
}
bool Never(const ProcessEntry&) { return false; }

std::set<pid_t> Pids(const std::vector<ProcessEntry>& entries) {
  std::set<pid_t> pids;
  for (const ProcessEntry& entry : entries) pids.insert(entry.pid);
  return pids;
}

constexpr pid_t kSelf = 10;
const TreeLeader kLeader{100, 50, "mark"};

TEST(MembersOf, ChildrenOfChildrenBelongWhateverTheirSession) {
  const std::vector<ProcessEntry> table = {Entry(103, 102, 103, 103, 60), Entry(100, kSelf, 100, 100, 50),
                                           Entry(102, 100, 102, 102, 55), Entry(200, 1, 200, 200, 70)};
  EXPECT_EQ(Pids(MembersOf(kLeader, table, {}, kSelf, Never, Never)), (std::set<pid_t>{102, 103}));
}

TEST(MembersOf, SessionAndGroupHoldOrphans) {
  const std::vector<ProcessEntry> table = {Entry(100, kSelf, 100, 100, 50), Entry(101, kSelf, 101, 100, 51),
                                           Entry(102, kSelf, 100, 102, 52), Entry(103, kSelf, 103, 103, 53)};
  EXPECT_EQ(Pids(MembersOf(kLeader, table, {}, kSelf, Never, Never)), (std::set<pid_t>{101, 102}));
}

TEST(MembersOf, TheMarkFindsWhoLeftEverythingAndItsChildren) {
  const std::vector<ProcessEntry> table = {Entry(100, kSelf, 100, 100, 50), Entry(300, 1, 300, 300, 60),
                                           Entry(301, 300, 301, 301, 61)};
  const auto marked = [](const ProcessEntry& entry) { return entry.pid == 300; };
  EXPECT_EQ(Pids(MembersOf(kLeader, table, {}, kSelf, marked, Never)), (std::set<pid_t>{300, 301}));
}

TEST(MembersOf, WhoWasSeenBeforeIsKnownByPidAndStart) {
  const std::vector<ProcessEntry> table = {Entry(100, kSelf, 100, 100, 50), Entry(300, 1, 300, 300, 60),
                                           Entry(400, 1, 400, 400, 80)};
  // 400 was a member, but its number is another's by now.
  const std::set<ProcessKey> known = {{300, 60}, {400, 70}};
  EXPECT_EQ(Pids(MembersOf(kLeader, table, known, kSelf, Never, Never)), (std::set<pid_t>{300}));
}

TEST(MembersOf, NeitherOlderProcessesNorWeOurselvesBelong) {
  const std::vector<ProcessEntry> table = {Entry(kSelf, 1, 100, 100, 50), Entry(100, kSelf, 100, 100, 50),
                                           Entry(99, 100, 100, 100, 40), Entry(400, kSelf, 400, 400, 60)};
  const auto everything = [](const ProcessEntry& entry) { return entry.pid != 400; };
  EXPECT_EQ(Pids(MembersOf(kLeader, table, {}, kSelf, everything, Never)), (std::set<pid_t>{}));
}

TEST(MembersOf, OnlyChildrenOfOursAreAskedWhetherTheyAreOrphans) {
  const std::vector<ProcessEntry> table = {Entry(100, kSelf, 100, 100, 50), Entry(300, kSelf, 300, 300, 60),
                                           Entry(301, 1, 301, 301, 61)};
  const auto everything = [](const ProcessEntry&) { return true; };
  EXPECT_EQ(Pids(MembersOf(kLeader, table, {}, kSelf, Never, everything)), (std::set<pid_t>{300}));
}

}  // namespace
}  // namespace yardmaster::worker
