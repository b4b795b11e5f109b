// Results made by hand, as a run would leave them.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_WORKER_RESULTS_SAMPLE_RUN_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_WORKER_RESULTS_SAMPLE_RUN_H_

#include <string>
#include <utility>

#include "services/worker/results/run_result.h"

namespace yardmaster::worker {

inline RankResult SampleRank(int rank, Verdict verdict, int exit_code, int64_t begin, int64_t end) {
  RankResult out;
  out.rank = rank;
  out.exit_code = exit_code;
  out.begin_micros = begin;
  out.end_micros = end;
  out.verdict = verdict;
  return out;
}

inline TestResult SampleTest(std::string id, std::string step, int rank, Verdict verdict, std::string message = "") {
  TestResult out;
  out.id = std::move(id);
  out.layer = "correctness";
  out.step = std::move(step);
  out.rank = rank;
  out.verdict = verdict;
  out.skipped = verdict == Verdict::kNotRun;
  out.seconds = 0.125;
  out.message = std::move(message);
  return out;
}

// Four ranks of which rank 2 computes wrong numbers; the others fail because of it. A layer after it is not run.
inline RunResult SampleRun() {
  const std::string step = "all_reduce[dtype=float32]";
  RunResult run;
  run.job = "20260102-030405-abcd";
  run.suite = "yardmaster/collectives";
  run.commit = "0123456789abcdef0123456789abcdef01234567";
  run.suite_digest = std::string(64, 'e');
  run.verdict = Verdict::kFailed;
  run.reason = "wrong numbers on rank 2";
  run.started_at = "2026-01-02T03:04:05Z";
  run.seconds = 12.5;
  run.versions = {{"python", "3.11.2"}, {"torch", "1.13.0"}};
  run.notes = {"composed: reduce_scatter of all_reduce"};

  Cause cause;
  cause.cls = rules::FailureClass::kCode;
  cause.signature = "precision";
  cause.message = "3 of 4,096 elements of sum are off on rank 2";
  cause.advice = "Compare the order of reduction with the reference.";
  cause.step = step;
  cause.rank = 2;
  cause.test = "test_all_reduce.py::test_sum";
  cause.log = "steps/all_reduce/log.yardlog";
  cause.line = 41;
  cause.excerpt = {{40, 1'000'000, 2, Stream::kStdout, "comparing sum"},
                   {41, 1'100'000, 2, Stream::kStderr, "AssertionError: tensors differ"}};
  cause.victims = {0, 3};
  run.cause = cause;

  StepResult build;
  build.id = build.name = "configure";
  build.layer = "build";
  build.end_micros = 2'000'000;
  build.log = "steps/configure/log.yardlog";
  build.ranks = {SampleRank(kNoRank, Verdict::kPassed, 0, 0, 2'000'000)};
  StepResult reduce;
  reduce.id = "all_reduce";
  reduce.cell = "dtype=float32";
  reduce.name = step;
  reduce.layer = "correctness";
  reduce.verdict = Verdict::kFailed;
  reduce.begin_micros = 2'000'000;
  reduce.end_micros = 12'000'000;
  reduce.log = cause.log;
  reduce.cause = cause;
  reduce.artifacts = {"steps/all_reduce/ranks/2/trace one.txt"};
  for (int rank = 0; rank < 4; ++rank) {
    const Verdict verdict = rank == 1 ? Verdict::kPassed : Verdict::kFailed;
    reduce.ranks.push_back(SampleRank(rank, verdict, rank == 1 ? 0 : 1, 2'100'000, 9'000'000 + rank * 900'000));
    if (rank == 2) reduce.ranks.back().first_error_micros = 3'100'000;
    if (rank == 2) reduce.ranks.back().last_output_micros = 4'000'000;
    if (rank != 1 && rank != 2) reduce.ranks.back().victim = true;
  }
  StepResult module;
  module.id = module.name = "linear";
  module.layer = "module";
  module.verdict = Verdict::kNotRun;
  module.reason = "not run: the layer 'correctness' has failed";
  run.steps = {build, reduce, module};

  run.host = {"node-7", "Linux 6.1", "x86_64", 8, 16'000};
  run.numbers = {{"gemm-bench", kNoRank, "gemm 512", 12.5, "gflop_s"}};

  run.layers = {{"correctness", "Correctness", Verdict::kFailed, "", 8, 1, 4, 10.0},
                {"module", "Modules", Verdict::kNotRun, "the layer 'correctness' has failed", 0, 0, 0, 0}};
  for (int rank = 0; rank < 4; ++rank) {
    run.tests.push_back(SampleTest("test_all_reduce.py::test_sum", step, rank,
                                   rank == 2 ? Verdict::kFailed : Verdict::kPassed,
                                   rank == 2 ? "AssertionError: tensors differ\nmore lines" : ""));
    run.tests.push_back(
        SampleTest("test_all_reduce.py::test_max", step, rank, Verdict::kNotRun, "gloo lacks it: MAX of bool"));
  }
  for (int rank = 0; rank < 4; ++rank) {
    TensorResult tensor;
    tensor.name = "sum@float32";
    tensor.step = step;
    tensor.rank = rank;
    tensor.dtype = "float32";
    tensor.shape = {64, 64};
    tensor.tolerance = {1e-5, 1e-6};
    tensor.elements = 4096;
    tensor.histogram = {4000, 80, 10, 6, 0, 0, 0};
    tensor.max_abs = 3e-6;
    tensor.mean_abs = 2e-8;
    tensor.rms = 7e-8;
    tensor.max_rel = 4e-6;
    if (rank == 2) {
      tensor.off = 3;
      tensor.histogram = {4000, 80, 10, 3, 2, 0, 1};
      tensor.max_abs = 0.25;
      tensor.rms = 4e-3;
      tensor.mean_abs = 6e-5;
      tensor.worst = 17;
      tensor.worst_actual = 1.25;
      tensor.worst_expected = 1.0;
      tensor.first_off = 5;
    }
    run.tensors.push_back(tensor);
  }
  Device device;
  device.kind = rules::DeviceKind::kGpu;
  device.name = "gpu0";
  device.id = "GPU-11111111";
  device.model = "Sample 80GB";
  device.driver = "570.10";
  device.memory_mb = 81'920;
  device.health = DeviceHealth::kOk;
  run.devices = {device};
  return run;
}

// Every text in it tries to be something else.
inline const char* const kHostileText =
    "<script>alert(1)</script>\"'&]]>--><img src=x onerror=alert(2)>\x1b[31mred\x1b]0;title\a\xff\xfe\x01\xe2\x80\xae"
    "txt";

}  // namespace yardmaster::worker

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_WORKER_RESULTS_SAMPLE_RUN_H_
