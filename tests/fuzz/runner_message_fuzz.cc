// Any bytes as what a worker says (w: a report, f: a result) or a submitter (s: a specification), as text after the
// first letter, or in the format of the wire after the letter in capitals: what is taken keeps its limits, and the
// queue stays as it promises.
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "services/dispatch/engines/local_engine.h"
#include "services/dispatch/job_messages.h"
#include "services/dispatch/queue/job_queue.h"
#include "tests/fuzz/check.h"

namespace {

using namespace yardmaster;

class Silent final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, int, const std::string&) override {}
};

template <typename Message>
bool Read(std::string_view text, bool wire, Message& message) {
  if (wire) return message.ParseFromArray(text.data(), static_cast<int>(text.size()));
  Silent silent;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silent);
  // Only the wire knows that texts are UTF-8.
  Message said;
  return parser.ParseFromString(std::string(text), &said) && message.ParseFromString(said.SerializePartialAsString());
}

void CheckRefusal(const absl::Status& status) {
  Check(status.code() == absl::StatusCode::kInvalidArgument || status.code() == absl::StatusCode::kResourceExhausted,
        "a refusal of another code");
  Check(!status.message().empty() && status.message().size() < 10'000, "a refusal nobody can read");
}

// A report to a queue with a job that fits many runners.
void TakeReport(const dispatch::RunnerReport& report) {
  const dispatch::Moment now{dispatch::WallTime(std::chrono::hours(500'000)), std::chrono::steady_clock::time_point()};
  const dispatch::LocalEngine engine;
  dispatch::JobQueue queue(dispatch::Limits(), now, engine);
  dispatch::Job job;
  job.id = "j-1";
  job.demand.kind = report.devices.empty() ? "cpu" : report.devices.front().kind;
  job.demand.pool = report.pool;
  queue.Apply(*queue.Submit(job, now));
  for (int i = 0; i < 2; ++i) {
    const absl::StatusOr<dispatch::Changes> changes = queue.Report(report, now);
    Check(changes.ok(), "a report that was read is not taken");
    queue.Apply(*changes);
    queue.Apply(queue.Place(now));
  }
  std::set<std::string> busy;
  for (const dispatch::ReportedRun& run : report.runs) busy.insert(run.devices.begin(), run.devices.end());
  for (const dispatch::Lease* lease : queue.LeasesOf(report.name)) {
    Check(!lease->devices.empty(), "a lease without devices");
    for (const std::string& device : lease->devices) Check(!busy.contains(device), "a device in two runs");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // It says each time that a text is not UTF-8.
  google::protobuf::SetLogHandler(nullptr);
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool wire = data[0] < 'a';
  switch (data[0] | 0x20) {
    case 'w': {
      v1::WorkRequest message;
      if (!Read(text, wire, message)) return 0;
      const absl::StatusOr<dispatch::RunnerReport> report = dispatch::ReportOf(message);
      if (!report.ok()) {
        CheckRefusal(report.status());
        return 0;
      }
      Check(dispatch::IsPlainName(report->name) && dispatch::IsPlainName(report->session), "a name that is none");
      Check(report->labels.size() <= dispatch::kMaxRunnerLabels, "too many labels");
      Check(report->pool != "untrusted" || !report->labels.empty(), "untrusted, and not contained");
      TakeReport(*report);
      return 0;
    }
    case 'f': {
      v1::FinishRunRequest message;
      if (!Read(text, wire, message)) return 0;
      const absl::StatusOr<dispatch::RunOutcome> outcome = dispatch::OutcomeOf(message);
      if (!outcome.ok()) {
        CheckRefusal(outcome.status());
        return 0;
      }
      Check(outcome->verdict != dispatch::Verdict::kNone && outcome->notes.size() <= dispatch::kMaxRunNotes,
            "a result without a verdict, or with too many notes");
      for (const v1::Artifact& artifact : message.artifacts()) {
        Check(("/" + artifact.path() + "/").find("/../") == std::string::npos, "a path that leads out");
      }
      return 0;
    }
    case 's': {
      v1::JobSpec spec;
      if (!Read(text, wire, spec)) return 0;
      if (const absl::Status status = dispatch::CheckSpec(spec); !status.ok()) {
        CheckRefusal(status);
        return 0;
      }
      const absl::StatusOr<dispatch::Demand> demand = dispatch::DemandFor(dispatch::Demand(), spec);
      if (!demand.ok()) {
        CheckRefusal(demand.status());
        return 0;
      }
      Check(demand->count > 0, "a demand for nothing");
      dispatch::Job job;
      job.request = dispatch::RequestOf(spec);
      Check(dispatch::SpecOf(job).suite() == spec.suite(), "a specification that is not kept");
      return 0;
    }
    default:
      return 0;
  }
}
