#include "services/dispatch/pulls/job_report.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"

namespace yardmaster::dispatch {
namespace {

using nlohmann::json;

constexpr size_t kMaxLayers = 40;
constexpr size_t kMaxFailures = 10;
constexpr size_t kMaxFailureBytes = 400;
constexpr size_t kMaxNotes = 5;

std::string TextAt(const json& value, const char* key) {
  const auto member = value.find(key);
  return member != value.end() && member->is_string() ? member->get<std::string>() : std::string();
}

double NumberAt(const json& value, const char* key) {
  const auto member = value.find(key);
  return member != value.end() && member->is_number() ? member->get<double>() : 0;
}

// Its objects; none where the member is no list.
std::vector<const json*> ObjectsAt(const json& value, const char* key) {
  std::vector<const json*> objects;
  const auto member = value.find(key);
  if (member == value.end() || !member->is_array()) return objects;
  for (const json& one : *member) {
    if (one.is_object()) objects.push_back(&one);
  }
  return objects;
}

v1::ReportCheck::Conclusion ConclusionOf(const v1::SuiteJob& job) {
  const std::string& verdict = job.verdict();
  if (verdict == "passed" || verdict == "flaky") return v1::ReportCheck::CONCLUSION_SUCCESS;
  if (verdict == "cancelled") return v1::ReportCheck::CONCLUSION_CANCELLED;
  // Whatever else it is, it is the code's only where that is known.
  const bool of_code = verdict == "failed" || verdict == "timed_out";
  const std::string& cause = job.cause().class_name();
  const bool of_machine = cause == "infrastructure" || cause == "environment";
  return of_code && !of_machine ? v1::ReportCheck::CONCLUSION_FAILURE : v1::ReportCheck::CONCLUSION_NEUTRAL;
}

std::string VerdictWord(const std::string& verdict) { return verdict == "not_run" ? "not run" : verdict; }

std::string LayersText(const json& result) {
  const std::vector<const json*> layers = ObjectsAt(result, "layers");
  if (layers.empty()) return {};
  std::string text = "\n\n| layer | verdict | tests | failed | skipped | seconds |\n|---|---|---|---|---|---|\n";
  size_t shown = 0;
  for (const json* layer : layers) {
    if (++shown > kMaxLayers) break;
    absl::StrAppend(
        &text, "| ", EchoText(TextAt(*layer, "id")), " | ", EchoText(VerdictWord(TextAt(*layer, "verdict"))),
        absl::StrFormat(" | %.0f | %.0f | %.0f | %.1f |\n", NumberAt(*layer, "tests"), NumberAt(*layer, "failed"),
                        NumberAt(*layer, "skipped"), NumberAt(*layer, "seconds")));
  }
  if (layers.size() > kMaxLayers) absl::StrAppend(&text, "\n", layers.size() - kMaxLayers, " more.\n");
  return text;
}

std::string FailuresText(const json& result) {
  std::string text;
  size_t count = 0;
  for (const json* test : ObjectsAt(result, "tests")) {
    const std::string verdict = TextAt(*test, "verdict");
    if (verdict != "failed" && verdict != "error" && verdict != "timed_out") continue;
    if (++count > kMaxFailures) continue;
    absl::StrAppend(&text, "\n* ", EchoCode(TextAt(*test, "id")));
    if (const std::string said = TextAt(*test, "message"); !said.empty()) {
      absl::StrAppend(&text, ": ", EchoText(said.substr(0, said.find('\n')), kMaxFailureBytes));
    }
  }
  if (count > kMaxFailures) absl::StrAppend(&text, "\n* … ", count - kMaxFailures, " more");
  return text.empty() ? text : absl::StrCat("\n\nFailed:\n", text, "\n");
}

std::string ReportText(const v1::SuiteJob& job, std::string_view result) {
  std::string text = absl::StrCat("Suite ", EchoCode(job.spec().suite()), " on ",
                                  EchoCode(job.spec().ref().substr(0, 12)), ", job ", EchoCode(job.job()));
  if (!job.runner().empty()) absl::StrAppend(&text, ", runner ", EchoCode(job.runner()));
  if (job.attempt() > 1) absl::StrAppend(&text, ", run ", job.attempt());
  absl::StrAppend(&text, ".");
  if (!job.cause().text().empty()) {
    const bool of_machine = ConclusionOf(job) == v1::ReportCheck::CONCLUSION_NEUTRAL;
    absl::StrAppend(&text, "\n\n", of_machine ? "It says nothing about the code. " : "", "Cause (",
                    EchoText(job.cause().class_name()), "): ", EchoText(job.cause().text(), kMaxFailureBytes));
  }
  const json parsed = json::parse(result, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_object()) absl::StrAppend(&text, LayersText(parsed), FailuresText(parsed));
  size_t shown = 0;
  for (const std::string& note : job.notes()) {
    if (++shown <= kMaxNotes) absl::StrAppend(&text, "\n* ", EchoText(note, kMaxFailureBytes));
  }
  absl::StrAppend(&text, "\n\n`yard test show ", job.job(), "` tells all, `yard test fetch ", job.job(),
                  "` brings logs and reports.");
  return text;
}

std::string TitleOf(const v1::SuiteJob& job, std::string_view result) {
  std::string title = VerdictWord(job.verdict());
  const json parsed = json::parse(result, nullptr, /*allow_exceptions=*/false);
  double tests = 0;
  double failed = 0;
  if (parsed.is_object()) {
    for (const json* layer : ObjectsAt(parsed, "layers")) {
      tests += NumberAt(*layer, "tests");
      failed += NumberAt(*layer, "failed");
    }
  }
  if (tests > 0) absl::StrAppend(&title, absl::StrFormat(": %.0f tests, %.0f failed", tests, failed));
  if (ConclusionOf(job) == v1::ReportCheck::CONCLUSION_NEUTRAL && !job.cause().class_name().empty()) {
    absl::StrAppend(&title, " (", job.cause().class_name(), ")");
  }
  return title;
}

v1::ReportCheck CheckOf(const v1::JobSpec& spec) {
  v1::ReportCheck check;
  check.set_head(spec.ref());
  check.set_name(CheckNameOf(spec.suite()));
  check.set_attempt(spec.check_attempt());
  return check;
}

}  // namespace

std::string CheckNameOf(std::string_view suite) { return absl::StrCat("yardmaster/test/", Abs(suite)); }

std::string PullName(const v1::Subject& subject) {
  return absl::StrCat(subject.forge(), ":", subject.repository(), "#", subject.number());
}

std::optional<v1::Subject> PullNamed(std::string_view name) {
  const size_t colon = name.find(':');
  const size_t hash = name.rfind('#');
  int64_t number = 0;
  if (colon == std::string_view::npos || hash == std::string_view::npos || hash < colon ||
      !absl::SimpleAtoi(Abs(name.substr(hash + 1)), &number) || number <= 0) {
    return std::nullopt;
  }
  const std::string_view repository = name.substr(colon + 1, hash - colon - 1);
  if (colon == 0 || !IsRepositoryName(repository)) return std::nullopt;
  v1::Subject subject;
  subject.set_forge(std::string(name.substr(0, colon)));
  subject.set_repository(std::string(repository));
  subject.set_number(number);
  subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  return subject;
}

v1::ReportCheck BegunCheck(const v1::JobSpec& spec, std::string_view job, std::string_view by) {
  v1::ReportCheck check = CheckOf(spec);
  check.set_title(absl::StrCat("queued, asked for by ", EchoText(by)));
  check.set_summary(absl::StrCat("Suite ", EchoCode(spec.suite()), ", job ", EchoCode(job), ".\n\n`yard test logs -f ",
                                 Abs(job), "` follows it, `yard test explain ", Abs(job), "` says why it waits."));
  return check;
}

v1::ReportCheck EndedCheck(const v1::SuiteJob& job, std::string_view result) {
  v1::ReportCheck check = CheckOf(job.spec());
  check.set_conclusion(ConclusionOf(job));
  check.set_title(TitleOf(job, result));
  check.set_summary(ReportText(job, result));
  return check;
}

std::string EndedComment(const v1::SuiteJob& job, std::string_view result) {
  return absl::StrCat(EchoCode(job.spec().suite()), ": ", EchoText(TitleOf(job, result)), "\n\n",
                      ReportText(job, result));
}

std::string JobLine(const v1::SuiteJob& job, std::string_view result, bool chinese) {
  std::string line = absl::StrCat(EchoCode(job.spec().suite()), chinese ? "，任务 " : ", job ", EchoCode(job.job()),
                                  chinese ? "：" : ": ");
  if (job.verdict().empty()) {
    const bool waits = job.attempt() == 0;
    absl::StrAppend(&line, chinese ? (waits ? "等待中" : "运行中") : (waits ? "waiting" : "running"));
    return line;
  }
  absl::StrAppend(&line, "**", EchoText(TitleOf(job, result)), "**");
  if (!job.cause().text().empty() && ConclusionOf(job) != v1::ReportCheck::CONCLUSION_SUCCESS) {
    absl::StrAppend(&line, " — ", EchoText(job.cause().text(), kMaxFailureBytes));
  }
  return line;
}

}  // namespace yardmaster::dispatch
