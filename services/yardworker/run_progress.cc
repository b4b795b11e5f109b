#include "services/yardworker/run_progress.h"

#include <string>
#include <utility>

#include "services/core/files.h"
#include "services/yardworker/outcome.h"

namespace yardmaster::yardworker {
namespace {

constexpr std::chrono::seconds kBetweenWrites{1};
constexpr int kStepsTold = 64;
constexpr int kFailuresTold = 32;
constexpr int kLayersTold = 200;
constexpr size_t kMaxNameBytes = 200;
constexpr size_t kMaxProgressFileBytes = 64 * 1024;
constexpr double kMicrosOfSecond = 1e6;

// Names come from a manifest, and its matrix from whoever wrote it.
std::string ShortName(std::string_view name) { return FitForMessage(name, kMaxNameBytes); }

}  // namespace

void RunProgressFile::LayerBegins(std::string_view layer, size_t layers) {
  progress_.set_layers_in_all(static_cast<uint32_t>(layers));
  if (progress_.layers_size() < kLayersTold) progress_.add_layers()->set_id(ShortName(layer));
  Write(/*now=*/true);
}

void RunProgressFile::StepBegins(std::string_view step) {
  progress_.set_step(ShortName(step));
  Progress(0, 0, 0);
}

void RunProgressFile::Progress(size_t done, size_t failed, size_t expected) {
  progress_.set_tests(static_cast<uint32_t>(done));
  progress_.set_failed(static_cast<uint32_t>(failed));
  progress_.set_expected(static_cast<uint32_t>(expected));
  Write(/*now=*/false);
}

void RunProgressFile::TestsEnd(const std::vector<worker::TestResult>& tests) {
  for (const worker::TestResult& test : tests) {
    if (test.skipped) {
      counts_.set_skipped(counts_.skipped() + 1);
      continue;
    }
    counts_.set_tests(counts_.tests() + 1);
    if (!worker::HasFailed(test)) continue;
    counts_.set_failed(counts_.failed() + 1);
    progress_.set_failures_in_all(progress_.failures_in_all() + 1);
    if (progress_.failures_size() == kFailuresTold) progress_.mutable_failures()->DeleteSubrange(0, 1);
    v1::TestProgress& failed = *progress_.add_failures();
    failed.set_step(ShortName(test.step));
    failed.set_test(ShortName(test.id));
    failed.set_verdict(std::string(worker::VerdictName(test.verdict)));
    failed.set_message(FitForMessage(test.message.substr(0, test.message.find('\n')), kMaxNameBytes));
  }
}

void RunProgressFile::StepEnds(const worker::StepResult& step) {
  if (progress_.steps_size() == kStepsTold) progress_.mutable_steps()->DeleteSubrange(0, 1);
  v1::StepProgress& ended = *progress_.add_steps();
  ended = std::exchange(counts_, {});
  ended.set_name(ShortName(step.name));
  ended.set_verdict(std::string(worker::VerdictName(step.verdict)));
  ended.set_seconds(static_cast<double>(step.end_micros - step.begin_micros) / kMicrosOfSecond);
  progress_.set_steps_ended(progress_.steps_ended() + 1);
  progress_.clear_step();
  Progress(0, 0, 0);
}

void RunProgressFile::LayerEnds(const worker::LayerResult& layer) {
  const std::string id = ShortName(layer.id);
  for (v1::LayerProgress& one : *progress_.mutable_layers()) {
    if (one.id() != id) continue;
    one.set_verdict(std::string(worker::VerdictName(layer.verdict)));
    one.set_tests(static_cast<uint32_t>(layer.tests));
    one.set_failed(static_cast<uint32_t>(layer.failed));
    one.set_skipped(static_cast<uint32_t>(layer.skipped));
    one.set_seconds(layer.seconds);
  }
  Write(/*now=*/true);
}

void RunProgressFile::Write(bool now) {
  const auto time = std::chrono::steady_clock::now();
  if (!now && time - written_ < kBetweenWrites) return;
  written_ = time;
  // Long names may be too much for a report: what is oldest goes.
  while (progress_.ByteSizeLong() > kMaxProgressFileBytes && progress_.failures_size() > 0) {
    progress_.mutable_failures()->DeleteSubrange(0, 1);
  }
  // Without it the run only looks less far than it is.
  WriteFileAtomically(file_, progress_.SerializeAsString()).IgnoreError();
}

const v1::RunProgress& RunProgressReader::Newest() {
  // It is small, and its time says too little: two writes may have the same.
  absl::StatusOr<std::string> bytes = ReadSmallFile(file_, kMaxProgressFileBytes);
  if (!bytes.ok() || *bytes == read_) return progress_;
  if (v1::RunProgress progress; progress.ParseFromString(*bytes)) {
    progress_ = std::move(progress);
    read_ = *std::move(bytes);
  }
  return progress_;
}

}  // namespace yardmaster::yardworker
