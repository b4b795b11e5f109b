#include "clients/cli/job_text.h"

#include <google/protobuf/util/time_util.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/cli/answer.h"
#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "clients/cli/test_text.h"
#include "services/worker/results/text.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;

Json TimeJson(bool there, const google::protobuf::Timestamp& time) {
  return there ? Json(google::protobuf::util::TimeUtil::ToString(time)) : Json(nullptr);
}

// How far a run is; null: it does not run, or nobody knows.
Json ProgressJson(const v1::SuiteJob& job) {
  if (!job.has_progress()) return nullptr;
  const v1::RunProgress& progress = job.progress();
  return {{"layers", JsonList(progress.layers(),
                              [](const v1::LayerProgress& layer) {
                                return Json{
                                    {"id", layer.id()},
                                    {"verdict", layer.verdict().empty() ? Json(nullptr) : Json(layer.verdict())},
                                    {"tests", layer.tests()},
                                    {"failed", layer.failed()},
                                    {"skipped", layer.skipped()},
                                    {"seconds", layer.seconds()}};
                              })},
          {"layers_in_all", progress.layers_in_all()},
          {"step", progress.step().empty() ? Json(nullptr) : Json(progress.step())},
          {"tests", progress.tests()},
          {"failed", progress.failed()},
          {"expected", progress.expected()},
          {"steps_ended", progress.steps_ended()}};
}

Json ShardJson(const v1::JobSpec& spec) {
  if (!spec.has_shard()) return nullptr;
  return {{"index", spec.shard().index()}, {"count", spec.shard().count()}, {"group", spec.shard().group()}};
}

// "queued", "running", …, "passed".
std::string WordOf(const v1::SuiteJob& job) {
  if (!job.verdict().empty()) return job.verdict();
  return job.cancel_requested() ? absl::StrCat(job.state(), ", being cancelled") : job.state();
}

Style StyleOf(const v1::SuiteJob& job) { return job.verdict().empty() ? Style::kPlain : VerdictStyle(job.verdict()); }

Style RunnerStyle(const std::string& state) {
  if (state == "idle" || state == "busy") return Style::kGood;
  return state == "draining" ? Style::kWarning : Style::kBad;
}

std::string SeenText(const v1::RunnerInfo& runner) {
  return runner.has_last_seen() ? google::protobuf::util::TimeUtil::ToString(runner.last_seen()) : "";
}

}  // namespace

std::string ShardText(const v1::JobSpec& spec) {
  if (!spec.has_shard()) return {};
  return absl::StrCat("shard ", spec.shard().index(), "/", spec.shard().count(), " of ", spec.shard().group());
}

Json TextList(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  return JsonList(texts, [](const std::string& text) { return worker::ValidUtf8(text); });
}

Json JobJson(const v1::SuiteJob& job) {
  const v1::JobSpec& spec = job.spec();
  const bool ended = !job.verdict().empty();
  Json cause = nullptr;
  if (!job.cause().class_name().empty() || !job.cause().text().empty()) {
    cause = {{"class", job.cause().class_name()}, {"text", job.cause().text()}};
  }
  return {{"job", job.job()},
          {"suite", spec.suite()},
          {"state", ended ? job.verdict() : job.state()},
          {"verdict", ended ? Json(job.verdict()) : Json(nullptr)},
          {"attempt", job.attempt()},
          {"runner", job.runner()},
          {"queued_seconds", job.queued_seconds()},
          {"cause", cause},
          {"notes", TextList(job.notes())},
          {"repository", spec.repository()},
          {"ref", spec.ref()},
          {"subject", spec.subject()},
          {"commit", job.commit()},
          {"rerun_of", spec.rerun_of()},
          {"shard", ShardJson(spec)},
          {"answered_by", job.answered_by()},
          {"expected_seconds", job.expected_seconds()},
          {"progress", ProgressJson(job)},
          {"source_digest", spec.source_digest()},
          {"priority", spec.priority()},
          {"pool", spec.pool().empty() ? "trusted" : spec.pool()},
          {"submitter", job.submitter()},
          {"submitted_at", TimeJson(job.has_submitted_at(), job.submitted_at())},
          {"started_at", TimeJson(job.has_started_at(), job.started_at())},
          {"ended_at", TimeJson(job.has_ended_at(), job.ended_at())},
          {"cancel_requested", job.cancel_requested()},
          {"artifacts", JsonList(job.artifacts(), [](const v1::Artifact& artifact) {
             return Json{{"path", artifact.path()}, {"size", artifact.size()}, {"sha256", artifact.digest()}};
           })}};
}

std::string JobTable(const JobRows& jobs, const Output& output) {
  Table table;
  table.Header({"job", "suite", "state", "run", "runner", "waited", "submitted", "by"});
  table.AlignRight({3, 5});
  for (const v1::SuiteJob& job : jobs) {
    table.Row({{Printable(job.job()), Style::kName},
               Printable(absl::StrCat(job.spec().suite(), job.spec().has_shard() ? ", " : "", ShardText(job.spec()))),
               {WordOf(job), StyleOf(job)},
               std::to_string(job.attempt()),
               Printable(job.runner()),
               worker::DurationText(job.queued_seconds()),
               {google::protobuf::util::TimeUtil::ToString(job.submitted_at()), Style::kFaint},
               {Printable(job.spec().subject().empty() ? job.submitter() : job.spec().subject()), Style::kFaint}});
  }
  return table.Render(0, output.columns(), output.color());
}

std::string JobText(const v1::SuiteJob& job, const Output& output) {
  std::string out = absl::StrCat(output.Paint(WordOf(job), StyleOf(job)), "  ",
                                 output.Paint(Printable(job.spec().suite()), Style::kTitle), "  ",
                                 output.Paint(absl::StrCat("job ", Printable(job.job())), Style::kFaint), "\n");
  const auto line = [&](const char* name, const std::string& text) {
    if (!text.empty()) absl::StrAppend(&out, "  ", PadRight(name, 12), Printable(text), "\n");
  };
  line("part", ShardText(job.spec()));
  line("pull request", job.spec().subject());
  line("source", job.spec().repository());
  line("commit", job.spec().ref());
  if (job.attempt() > 0) line("run", absl::StrCat(job.attempt(), " on ", job.runner()));
  line("waited", worker::DurationText(job.queued_seconds()));
  if (job.verdict().empty() && job.expected_seconds() > 0) {
    line("usually", worker::DurationText(static_cast<double>(job.expected_seconds())));
  }
  for (const v1::LayerProgress& layer : job.progress().layers()) {
    line("layer", absl::StrCat(layer.id(), ": ", layer.verdict().empty() ? "runs" : layer.verdict(), ", ",
                               layer.tests(), " tests, ", layer.failed(), " failed"));
  }
  line("runs again", job.spec().rerun_of());
  line("submitted",
       absl::StrCat(google::protobuf::util::TimeUtil::ToString(job.submitted_at()), " by ", job.submitter()));
  if (job.has_ended_at()) line("ended", google::protobuf::util::TimeUtil::ToString(job.ended_at()));
  if (!job.cause().class_name().empty()) line("at fault", job.cause().class_name());
  if (!job.cause().text().empty()) line("why", job.cause().text());
  for (const std::string& note : job.notes()) line("note", note);
  if (job.artifacts_size() > 0) line("artifacts", absl::StrCat(job.artifacts_size(), " files"));
  return out;
}

Json WaitingJson(const v1::ExplainPendingResponse& waiting) {
  Json nearest = nullptr;
  if (!waiting.nearest_runner().empty()) {
    nearest = {{"runner", waiting.nearest_runner()}, {"missing", TextList(waiting.missing())}};
  }
  return {{"reason", waiting.reason()},
          {"position", waiting.position()},
          {"nearest", nearest},
          {"estimate_seconds", waiting.has_estimate_seconds() ? Json(waiting.estimate_seconds()) : Json(nullptr)}};
}

std::string WaitingText(const v1::ExplainPendingResponse& waiting, const Output&) {
  std::string out = absl::StrCat("It waits: ", Printable(waiting.reason()), "\n");
  if (waiting.position() > 0) absl::StrAppend(&out, "  place in the queue  ", waiting.position(), "\n");
  if (!waiting.nearest_runner().empty()) {
    absl::StrAppend(
        &out, "  nearest runner      ", Printable(waiting.nearest_runner()),
        waiting.missing().empty() ? "" : absl::StrCat(" lacks ", Printable(absl::StrJoin(waiting.missing(), "; "))),
        "\n");
  }
  if (waiting.has_estimate_seconds()) {
    absl::StrAppend(&out, "  may start in        ", worker::DurationText(waiting.estimate_seconds()), "\n");
  }
  return out;
}

Json RunnerJson(const v1::RunnerInfo& runner) {
  return {{"name", runner.name()},
          {"state", runner.state()},
          {"pool", runner.pool()},
          {"labels", TextList(runner.labels())},
          {"devices", JsonList(runner.devices(),
                               [](const v1::DeviceCount& device) {
                                 return Json{{"kind", device.kind()},
                                             {"model", device.model()},
                                             {"total", device.total()},
                                             {"leased", device.leased()},
                                             {"state", device.state()}};
                               })},
          {"each_device", JsonList(runner.each_device(),
                                   [](const v1::DeviceInfo& device) {
                                     return Json{{"id", device.id()},
                                                 {"kind", device.kind()},
                                                 {"model", device.model()},
                                                 {"leased", device.leased()},
                                                 {"state", device.state()}};
                                   })},
          {"runs", JsonList(runner.runs(),
                            [](const v1::RunnerRun& run) {
                              return Json{{"job", run.job()}, {"attempt", run.attempt()}};
                            })},
          {"last_seen", TimeJson(runner.has_last_seen(), runner.last_seen())},
          {"why", runner.why()}};
}

std::string RunnerTable(const RunnerRows& runners, const Output& output) {
  Table table;
  table.Header({"runner", "state", "pool", "devices", "runs", "labels", "last seen", ""});
  for (const v1::RunnerInfo& runner : runners) {
    const std::string devices =
        absl::StrJoin(runner.devices(), ", ", [](std::string* out, const v1::DeviceCount& device) {
          absl::StrAppend(out, device.leased(), "/", device.total(), " ", device.kind());
        });
    const std::string runs = absl::StrJoin(
        runner.runs(), ", ", [](std::string* out, const v1::RunnerRun& run) { absl::StrAppend(out, run.job()); });
    table.Row({{Printable(runner.name()), Style::kName},
               {runner.state(), RunnerStyle(runner.state())},
               runner.pool(),
               devices,
               Printable(runs),
               Printable(absl::StrJoin(runner.labels(), ",")),
               {SeenText(runner), Style::kFaint},
               {Printable(runner.why()), Style::kBad}});
  }
  return table.Render(0, output.columns(), output.color());
}

std::string DeviceTable(const RunnerRows& runners, const Output& output) {
  Table table;
  table.Header({"runner", "kind", "model", "total", "leased", "state", "id"});
  table.AlignRight({3, 4});
  const auto row = [&](const v1::RunnerInfo& runner, const std::string& kind, const std::string& model, uint32_t total,
                       uint32_t leased, const std::string& state, const std::string& id) {
    table.Row({{Printable(runner.name()), Style::kName},
               kind,
               Printable(model),
               std::to_string(total),
               std::to_string(leased),
               {Printable(state), state == "ok" ? Style::kGood : Style::kBad},
               {Printable(id), Style::kFaint}});
  };
  for (const v1::RunnerInfo& runner : runners) {
    // Processors together, which are all alike; an older server tells of no others one by one.
    for (const v1::DeviceCount& device : runner.devices()) {
      if (device.kind() != "cpu" && runner.each_device_size() > 0) continue;
      row(runner, device.kind(), device.model(), device.total(), device.leased(), device.state(), "");
    }
    for (const v1::DeviceInfo& device : runner.each_device()) {
      row(runner, device.kind(), device.model(), 1, device.leased() ? 1 : 0, device.state(), device.id());
    }
  }
  return table.Render(0, output.columns(), output.color());
}

}  // namespace yardmaster::cli
