#include "services/worker/verdict/line_prefix.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yardmaster::worker {
namespace {

TEST(LinePrefix, WhatStandsInFrontOfALineIsNoPartOfIt) {
  for (const std::string_view prefix : {
           "",
           "[ 8812.101] ",
           "2026-01-31T04:40:19.1234567Z ",
           "[2026-01-31T04:40:19Z] ",
           "[2026-01-31 04:40:19,123]: ",
           "[2026-01-31 04:40:19 TP3] ",
           "[2026-01-31 04:40:19 DP0 TP1] ",
           "[01-18 07:43:24] ",
           "09:34:27 ",
           "[10:08:19]\t",
           "[10:08:19]\t[Step 1/1] ",
           "Nov 06 05:00:37 ",
           "#22 3039.4 ",
           "##[error]",
           "[rank3]: ",
           "E1111 01:25:01.832000 3500421 site-packages/torch/testing/common_distributed.py:978] ",
           "[rank1]:E0425 19:24:56.377000 2457312 torch/x.py:768] ",
           "W0727 10:02:11 torch/distributed/elastic/multiprocessing/api.py:908] ",
           "(VllmWorker rank=2 pid=2307184) ERROR 02-17 14:48:01 [multiproc_executor.py:374] ",
           "(VllmWorkerProcess pid=232075) ERROR 12-29 07:45:20 multiproc_worker_utils.py:236] ",
           "(EngineCore_DP0 pid=7) ERROR 05-20 05:30:09 [core.py:489] ",
           "[2026-05-20T05:24:30Z] (Worker_TP1 pid=12, ip=10.0.0.2) ",
           "[ERROR] ME(130371:281473296949264,MainProcess):2026-09-12-14:22:26.839.923 [mindspore/a.py:268] ",
           "worker_3.log-101-",
           "scheduler.log:58:[ERROR] ME(7:2,MainProcess):2026-09-12-14:22:26.839.923 [mindspore/a.py:268] ",
           "worker-1: ",
           "[1,3]<stderr>: ",
           "[prterun-node-1-99@1,3]<stderr>: ",
           "[3] ",
           "3: ",
           "[default3]: ",
           "rank 3: ",
           "(raylet, ip=10.0.0.2) ",
           "trainer-1  | ",
           "    | ",
           "2026-01-31T04:40:19.123456Z 01E ",
           "2026/01/31 04:40:19 ",
           "07/03/2024 10:57:50 ",
           "2026-01-31 04:40:19,123 - trainer - ERROR - ",
           "2026-01-31 04:40:19.123 | ERROR    | a.b:f:12 - ",
           "ERROR:a.b:",
           "[2026-01-31 04:40:19,123] [ERROR] [launch.py:12:main] ",
           "[ERROR] RUNTIME(7,python):2026-09-12-14:22:26.839.923 [engine.cc:12]7 ",
           "INTERNALERROR> ",
           "[2026-01-31 04:40:19,123 C 37433 2749808] ",
           "Fri Sep 25 16:52:51 2020[1]<stderr>: ",
           "01-31 04:40:19 ",
           "stderr: ",
           "node1: ",
           "[node1] ",
           "[pod/plan-0/main] ",
           "test    | ",
           "# | ",
           "      From worker 8:\t",
       }) {
    EXPECT_EQ(WithoutPrefix(std::string(prefix) + "ValueError: 3"), "ValueError: 3") << prefix;
    EXPECT_EQ(WithoutPrefix(std::string(prefix) + "    return f(x)"), "    return f(x)") << prefix;
  }
}

TEST(LinePrefix, HostAndProgramOfTheJournalAreOne) {
  EXPECT_EQ(WithoutPrefix("Apr 29 19:24:11 EVE kernel: NVRM: Xid"), "NVRM: Xid");
  EXPECT_EQ(WithoutPrefix("Apr 29 19:24:11 node-7 python3[42]: ValueError: 3"), "ValueError: 3");
}

TEST(LinePrefix, OneBlankBehindATimeIsPartOfItAndMoreAreNot) {
  EXPECT_EQ(WithoutPrefix("22:32:50  panic: no plan"), "panic: no plan");
  EXPECT_EQ(WithoutPrefix("22:32:50    return f(x)"), "   return f(x)");
}

TEST(LinePrefix, WhatAProgramSaysStays) {
  for (const std::string_view line : {
           "",
           "[",
           "[rank",
           "(most recent call last)",
           "10 tests passed",
           "ERROR: test_a (m.T)",
           "Error: 12:00:00 is over",
           "E   ValueError: 3",
           "F0814 10:02:11.120000 17 task.cc:77] Check failed: n > 0",
           "[ERROR] compare failed",
           "[Step 3] loss 1.2",
           "worker-1 ended",
           "worker_3.log is empty",
           "scheduler: 3 jobs",
           "  09:34:27 is no time of a logger",
       }) {
    EXPECT_EQ(WithoutPrefix(line), line);
  }
}

TEST(LinePrefix, TheProcessInItIsRead) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {{"[rank3]: ", "[rank3"},
                                                                            {"(Worker_TP1 pid=12) ", "pid=12"},
                                                                            {"[1,3]<stderr>: ", "[1,3]"},
                                                                            {"[2026-01-31 04:40:19 TP3] ", "TP3"},
                                                                            {"3: ", "3: "},
                                                                            {"worker_3.log-101-", "worker_3"},
                                                                            {"", ""},
                                                                            {"2026-01-31 04:40:19 ", ""},
                                                                            {"##[error]", ""}};
  for (const auto& [prefix, process] : cases) EXPECT_EQ(ProcessInPrefix(prefix), process) << prefix;
}

TEST(LinePrefix, TheRankInItIsRead) {
  for (const std::string_view line :
       {"(VllmWorker rank=2 pid=2307184) ERROR 02-17 14:48:01 [executor.py:374] x", "(rank=2 pid=7) x", "[rank2]: x",
        "[1,2]<stderr>: x", "2026-01-31T04:40:19Z [rank2]:E0425 19:24:56.377000 2457312 torch/x.py:768] x",
        "[Rank 2] Watchdog caught", "[rank0]:[PG ID 0 PG GUID 0(default_pg) Rank 2] x"}) {
    const int rank = line.starts_with("[rank0]") ? 0 : 2;
    EXPECT_EQ(RankInPrefix(line), rank) << line;
  }
  EXPECT_EQ(RankInPrefix("[PG ID 0 PG GUID 0(default_pg) Rank 3] x"), 3);
  for (const std::string_view line :
       {"x", "", "(Worker_TP1 pid=12) x", "[2026-01-31 04:40:19 TP3] x", "[2026-01-31 04:40:19,123]: x",
        "rank=2 is odd", "ValueError: [rank2] is gone", "[Rank 2 of 4] x"}) {
    EXPECT_EQ(RankInPrefix(line), std::nullopt) << line;
  }
}

}  // namespace
}  // namespace yardmaster::worker
