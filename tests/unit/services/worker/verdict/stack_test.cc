#include "services/worker/verdict/stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "services/core/lines.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Stand Read(std::string_view stack) { return ReadStack(LinesOf(stack)); }

Stand Waiting(const std::string& operation, const std::string& place) {
  return {Doing::kWaitsForOthers, operation, place, place};
}
Stand Elsewhere(const std::string& place) { return {Doing::kElsewhere, "", place, place}; }

TEST(ReadStack, FaulthandlerPrintsTheFirstThreadLast) {
  const Stand stand = Read(
      "Thread 0x00007f5f0ca8e6c0 (most recent call first):\n"
      "  File \"/usr/lib/python3.11/threading.py\", line 324 in wait\n"
      "  File \"/site-packages/tqdm/_monitor.py\", line 60 in run\n"
      "Current thread 0x00007f5f0d7e5b80 (most recent call first):\n"
      "  File \"/usr/lib/python3.11/socket.py\", line 706 in readinto\n"
      "  File \"/w/data/loader.py\", line 41 in read_shard\n"
      "  File \"/w/train.py\", line 9 in main\n");
  EXPECT_EQ(stand.doing, Doing::kElsewhere);
  EXPECT_EQ(stand.place, "loader.py:41 in read_shard");
  EXPECT_EQ(stand.frame, "  File \"/w/data/loader.py\", line 41 in read_shard");
}

TEST(ReadStack, ACollectiveIsNamedByItsNameNotByTheWaitInside) {
  const Stand stand = Read(
      "Thread 11 (idle): \"MainThread\"\n"
      "    wait (torch/distributed/distributed_c10d.py:421)\n"
      "    all_reduce (torch/distributed/distributed_c10d.py:2806)\n"
      "    wrapper (torch/distributed/c10d_logger.py:72)\n"
      "    main (train.py:12)\n");
  EXPECT_EQ(stand.doing, Doing::kWaitsForOthers);
  EXPECT_EQ(stand.operation, "all_reduce");
  EXPECT_EQ(stand.place, "train.py:12 in main");
}

struct Sample {
  const char* what;
  const char* stack;
  Doing doing;
};

class ReadStackTest : public ::testing::TestWithParam<Sample> {};

TEST_P(ReadStackTest, SaysWhatTheProcessDoes) {
  EXPECT_EQ(Read(GetParam().stack).doing, GetParam().doing) << GetParam().what;
}

INSTANTIATE_TEST_SUITE_P(
    Samples, ReadStackTest,
    ::testing::Values(
        Sample{"nothing", "", Doing::kUnknown},
        Sample{"torch's synchronize", "    synchronize (torch/cuda/__init__.py:566)\n    main (a.py:3)\n",
               Doing::kWaitsForDevice},
        Sample{"the driver's",
               "Thread 1 (LWP 7):\n#0  0x1 in ioctl () from /lib/libc.so.6\n"
               "#7  0x2 in cudaStreamSynchronize () from /lib/libcudart.so.12\n",
               Doing::kWaitsForDevice},
        Sample{"Ascend's", "TID 7:\n#0  0x1 ioctl\n#4  0x2 aclrtSynchronizeStreamWithTimeout\n",
               Doing::kWaitsForDevice},
        Sample{"item() with its line of source",
               "Thread 0x1 (most recent call first):\n  File \"/w/a.py\", line 3 in step\n    | return loss.item()\n",
               Doing::kMayWait},
        Sample{"a call of a collective that has no frame",
               "Thread 0x1 (most recent call first):\n  File \"/w/a.py\", line 3 in step\n    | comm.Allreduce(x, y)\n",
               Doing::kWaitsForOthers},
        Sample{"backward, which may wait in a hook",
               "  File \"/site/torch/autograd/__init__.py\", line 197 in backward\n"
               "  File \"/w/a.py\", line 3 in step\n",
               Doing::kMayWait},
        Sample{"torch's loader waits for a worker of its own",
               "  File \"/site/torch/utils/data/dataloader.py\", line 1120 in _try_get_data\n"
               "  File \"/w/a.py\", line 3 in epoch\n",
               Doing::kElsewhere},
        Sample{"MPI's own frames",
               "TID 7:\n#0  0x1 poll\n#1  0x2 opal_progress\n#5  0x3 PMPI_Allreduce\n#6  0x4 main\n",
               Doing::kWaitsForOthers},
        Sample{"py-spy's native frames",
               "Thread 7 (idle)\n    poll (libc.so.6)\n    MPI_Recv (libmpi.so.40.30.4)\n"
               "    main (a.py:3)\n",
               Doing::kWaitsForOthers},
        Sample{"the rendezvous of a process group",
               "  File \"/site/torch/distributed/rendezvous.py\", line 190 in _create_c10d_store\n"
               "  File \"/site/torch/distributed/distributed_c10d.py\", line 754 in init_process_group\n",
               Doing::kWaitsForOthers},
        Sample{"MindSpore's collectives",
               "  File \"/site/mindspore/communication/comm_func.py\", line 88 in all_reduce\n",
               Doing::kWaitsForOthers},
        Sample{"a process that waits for those it started",
               "  File \"/usr/lib/python3.11/multiprocessing/popen_fork.py\", line 27 in poll\n"
               "  File \"/w/a.py\", line 3 in main\n",
               Doing::kWaitsForChild},
        Sample{"an idle worker of a loader",
               "  File \"/usr/lib/python3.11/multiprocessing/queues.py\", line 113 in get\n"
               "  File \"/site/torch/utils/data/_utils/worker.py\", line 275 in _worker_loop\n",
               Doing::kServes},
        Sample{"a worker of a loader that reads",
               "  File \"/w/dataset.py\", line 7 in __getitem__\n"
               "  File \"/site/torch/utils/data/_utils/worker.py\", line 302 in _worker_loop\n",
               Doing::kElsewhere},
        // Near misses: a name that only looks like a collective, a file that is none of a library.
        Sample{"a function of the program's own", "  File \"/w/report.py\", line 3 in reduce_columns\n",
               Doing::kElsewhere},
        Sample{"send of a mail", "  File \"/w/mail.py\", line 3 in send\n", Doing::kElsewhere},
        Sample{"the launcher's agent",
               "  File \"/site/torch/distributed/elastic/agent/server/api.py\", line 850 in _invoke_run\n",
               Doing::kMayWait}));

TEST(ReadStack, ANativeCollectiveIsShownByTheFrameOfPythonAboveIt) {
  const Stand stand = Read(
      "Current thread 0x1 (most recent call first):\n  File \"/w/a.py\", line 3 in exchange\n"
      "Thread 1 (LWP 7):\n#0  0x1 in poll () from /lib/libc.so.6\n#5  0x2 in PMPI_Barrier () from /lib/libmpi.so.40\n");
  EXPECT_EQ(stand.doing, Doing::kWaitsForOthers);
  EXPECT_EQ(stand.operation, "MPI_Barrier");
  EXPECT_EQ(stand.place, "a.py:3 in exchange");
}

TEST(CombineStands, ThatOfTheInnerProcessCountsWhereTheOuterWaitsForIt) {
  const Stand parent = {Doing::kWaitsForChild, "", "popen_fork.py:27 in poll", ""};
  EXPECT_EQ(CombineStands({parent, Elsewhere("a.py:3 in f")}).place, "a.py:3 in f");
  EXPECT_EQ(CombineStands({parent}).doing, Doing::kUnknown);
  EXPECT_EQ(CombineStands({Elsewhere("a.py:3 in f"), Waiting("barrier", "b.py:1 in g")}).operation, "barrier");
}

TEST(FindOddOnes, TheOneThatIsElsewhere) {
  const OddOnes odd = FindOddOnes(
      {Waiting("all_reduce", "a.py:7 in f"), Elsewhere("b.py:1 in g"), Waiting("all_reduce", "a.py:7 in f")});
  EXPECT_THAT(odd.which, ElementsAre(1));
  EXPECT_EQ(odd.why, "in no collective, and the others wait in all_reduce");
}

TEST(FindOddOnes, OneWithoutAStackNeitherIsBlamedNorHidesTheOthers) {
  EXPECT_THAT(FindOddOnes({Waiting("all_reduce", "a"), Stand(), Elsewhere("b")}).which, ElementsAre(2));
  EXPECT_THAT(FindOddOnes({Waiting("all_reduce", "a"), Stand(), Waiting("all_reduce", "a")}).which, IsEmpty());
}

TEST(FindOddOnes, WhoWaitsForADeviceWaits) {
  const Stand device = {Doing::kWaitsForDevice, "", "a.py:9 in step", ""};
  EXPECT_THAT(FindOddOnes({Waiting("all_reduce", "a"), device, Elsewhere("b")}).which, ElementsAre(2));
  EXPECT_THAT(FindOddOnes({Waiting("all_reduce", "a"), device, Waiting("all_reduce", "a")}).which, IsEmpty());
  EXPECT_EQ(FindOddOnes({device, device, Elsewhere("b")}).why,
            "in no collective, and the others wait for their devices");
  // What may wait is neither a suspect nor a witness.
  const Stand may = {Doing::kMayWait, "", "a.py:9 in step", ""};
  EXPECT_THAT(FindOddOnes({may, may, Elsewhere("b")}).which, IsEmpty());
  EXPECT_THAT(FindOddOnes({Waiting("all_reduce", "a"), may, Elsewhere("b")}).which, ElementsAre(2));
}

TEST(FindOddOnes, OfTwoCollectivesTheFewerAreOdd) {
  const OddOnes odd = FindOddOnes({Waiting("all_reduce", "a.py:7 in f"), Waiting("broadcast", "a.py:9 in f"),
                                   Waiting("all_reduce", "a.py:7 in f")});
  EXPECT_THAT(odd.which, ElementsAre(1));
  EXPECT_THAT(odd.why, HasSubstr("in broadcast (a.py:9 in f), and the others wait in all_reduce (a.py:7 in f)"));
  EXPECT_THAT(FindOddOnes({Waiting("all_reduce", "a"), Waiting("broadcast", "b")}).which, IsEmpty());
}

TEST(FindOddOnes, WhereNobodyWaitsNobodyIsOdd) {
  EXPECT_THAT(FindOddOnes({Elsewhere("a"), Elsewhere("b"), Elsewhere("b")}).which, IsEmpty());
  EXPECT_THAT(FindOddOnes({}).which, IsEmpty());
}

}  // namespace
}  // namespace yardmaster::worker
