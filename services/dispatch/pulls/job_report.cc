#include "services/dispatch/pulls/job_report.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"
#include "services/core/short_commit.h"
#include "services/dispatch/queue/states.h"
#include "services/dispatch/result_json.h"
#include "services/intake/job_dispatcher.h"

namespace yardmaster::dispatch {
namespace {

using nlohmann::json;

constexpr size_t kMaxLayers = 40;
constexpr size_t kMaxFailures = 10;
constexpr size_t kMaxFailureBytes = 400;
constexpr size_t kMaxNotes = 5;

v1::ReportCheck::Conclusion ConclusionOf(const v1::SuiteJob& job) {
  const std::string& verdict = job.verdict();
  if (verdict == "passed" || verdict == "flaky") return v1::ReportCheck::CONCLUSION_SUCCESS;
  if (verdict == "cancelled") return v1::ReportCheck::CONCLUSION_CANCELLED;
  // It is not held against the code where a machine or what is installed there is at fault, nor does it pass by that: a
  // change could break its environment and be green.
  const bool says_nothing = IsOfMachine(job.cause().class_name()) || verdict == "not_run";
  return says_nothing ? v1::ReportCheck::CONCLUSION_ACTION_REQUIRED : v1::ReportCheck::CONCLUSION_FAILURE;
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

bool IsFailure(const json& test) {
  const std::string verdict = TextAt(test, "verdict");
  return verdict == "failed" || verdict == "error" || verdict == "timed_out";
}

std::string FailuresText(const json& result) {
  std::string text;
  size_t count = 0;
  for (const json* test : ObjectsAt(result, "tests")) {
    if (!IsFailure(*test)) continue;
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
                                  EchoCode(ShortCommit(job.spec().ref())), ", job ", EchoCode(job.job()));
  if (!job.runner().empty()) absl::StrAppend(&text, ", runner ", EchoCode(job.runner()));
  if (job.attempt() > 1) absl::StrAppend(&text, ", run ", job.attempt());
  absl::StrAppend(&text, ".");
  if (!job.cause().text().empty()) {
    const bool says_nothing = ConclusionOf(job) == v1::ReportCheck::CONCLUSION_ACTION_REQUIRED;
    absl::StrAppend(&text, "\n\n",
                    says_nothing ? "It says nothing about the code: mend what is named here and write `/retest`. " : "",
                    "Cause (", EchoText(job.cause().class_name()),
                    "): ", EchoText(job.cause().text(), kMaxFailureBytes));
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

std::string MinutesText(uint64_t seconds) {
  return seconds < 90 ? absl::StrCat(seconds, " s") : absl::StrCat((seconds + 30) / 60, " min");
}

std::string ProgressTable(const v1::RunProgress& run) {
  if (run.layers().empty()) return {};
  std::string text = "\n\n| layer | verdict | tests | failed | skipped | seconds |\n|---|---|---|---|---|---|\n";
  int shown = 0;
  for (const v1::LayerProgress& layer : run.layers()) {
    if (++shown > static_cast<int>(kMaxLayers)) break;
    absl::StrAppend(&text, "| ", EchoText(layer.id()), " | ",
                    layer.verdict().empty() ? "running" : EchoText(VerdictWord(layer.verdict())), " | ", layer.tests(),
                    " | ", layer.failed(), " | ", layer.skipped(), absl::StrFormat(" | %.1f |\n", layer.seconds()));
  }
  return text;
}

// " · smoke passed · unit running".
std::string JobProgressText(const v1::SuiteJob& job) {
  std::string text;
  for (const v1::LayerProgress& layer : job.progress().layers()) {
    absl::StrAppend(&text, " · ", EchoText(layer.id()), " ",
                    layer.verdict().empty() ? "running" : EchoText(VerdictWord(layer.verdict())));
  }
  return text;
}

// Tests of a result, whatever their rank.
template <typename Fits>
std::set<std::string> TestsOf(std::string_view result, Fits fits) {
  std::set<std::string> tests;
  const json parsed = json::parse(result, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return tests;
  for (const json* test : ObjectsAt(parsed, "tests")) {
    if (fits(*test)) tests.insert(TextAt(*test, "id"));
  }
  return tests;
}

std::set<std::string> FailedTests(std::string_view result) { return TestsOf(result, IsFailure); }

std::set<std::string> PassedTests(std::string_view result) {
  return TestsOf(result, [](const json& test) { return TextAt(test, "verdict") == "passed"; });
}

// Nothing in it needs escaping.
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
  if (ConclusionOf(job) == v1::ReportCheck::CONCLUSION_ACTION_REQUIRED) {
    absl::StrAppend(&title, ", not the code");
    const std::string& of = job.cause().class_name();
    if (!of.empty() && absl::c_all_of(of, absl::ascii_isalpha)) absl::StrAppend(&title, " (", of, ")");
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

std::string CheckNameOf(std::string_view suite) { return absl::StrCat(Abs(kTestCheckPrefix), Abs(suite)); }

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

v1::ReportCheck ProgressCheck(const v1::SuiteJob& job, int64_t progress) {
  v1::ReportCheck check = CheckOf(job.spec());
  check.set_progress(progress);
  const v1::RunProgress& run = job.progress();
  check.set_title(absl::StrCat("layer ", run.layers_size(), " of ", run.layers_in_all(), ": ",
                               run.layers_size() == 0 ? "" : run.layers(run.layers_size() - 1).id()));
  std::string text = absl::StrCat("Suite ", EchoCode(job.spec().suite()), ", job ", EchoCode(job.job()), ", on runner ",
                                  EchoCode(job.runner()), ".");
  if (job.expected_seconds() > 0)
    absl::StrAppend(&text, " It usually takes ", MinutesText(job.expected_seconds()), ".");
  absl::StrAppend(&text, ProgressTable(run), "\n\n`yard test logs -f ", job.job(), "` follows it.");
  check.set_summary(text);
  return check;
}

std::string JobsText(const std::string& head, const std::vector<std::pair<v1::SuiteJob, std::string>>& jobs) {
  std::string text = absl::StrCat("### Tests of ", EchoCode(ShortCommit(head)), "\n");
  for (const auto& [job, result] : jobs) {
    absl::StrAppend(&text, "\n* ", EchoCode(job.spec().suite()), ": ");
    if (job.verdict().empty()) {
      absl::StrAppend(&text, job.state(), ", job ", EchoCode(job.job()), JobProgressText(job));
      continue;
    }
    absl::StrAppend(&text, TitleOf(job, result), "\n\n  <details><summary>job ", job.job(), "</summary>\n\n",
                    ReportText(job, result), "\n\n  </details>");
  }
  return text;
}

std::string TrunkComment(const v1::SuiteJob& job, std::string_view result, const v1::SuiteJob& failed,
                         std::string_view failed_result) {
  const std::set<std::string> here = FailedTests(failed_result);
  const std::set<std::string> there = FailedTests(result);
  const std::set<std::string> passed_there = PassedTests(result);
  std::string text =
      absl::StrCat(EchoCode(job.spec().suite()), " on the base commit ", EchoCode(ShortCommit(job.spec().ref())), ": ",
                   TitleOf(job, result), ", job ", EchoCode(job.job()), "\n");
  size_t shown = 0;
  size_t broken = 0;
  for (const std::string& test : here) {
    if (!there.contains(test)) continue;
    if (++broken <= kMaxFailures) absl::StrAppend(&text, "\n* broken on trunk, too: ", EchoCode(test));
  }
  for (const std::string& test : here) {
    if (there.contains(test) || !passed_there.contains(test)) continue;
    if (++shown <= kMaxFailures) absl::StrAppend(&text, "\n* fails with this change only: ", EchoCode(test));
  }
  if (broken + shown == 0) {
    // Without names there are only the verdicts.
    const bool passes = job.verdict() == "passed" || job.verdict() == "flaky";
    const bool breaks = job.verdict() == "failed" || job.verdict() == "timed_out";
    absl::StrAppend(&text, passes   ? "\nIt passes there: what failed fails with this change only."
                           : breaks ? "\nIt fails there, too."
                                    : "\nThat says nothing about what failed here.");
  }
  absl::StrAppend(&text, "\n\nWhat failed at the head is in the job ", EchoCode(failed.job()), ".");
  return text;
}

std::string JobLine(const v1::SuiteJob& job, std::string_view result, bool chinese) {
  std::string line = absl::StrCat(EchoCode(job.spec().suite()), chinese ? "，任务 " : ", job ", EchoCode(job.job()),
                                  chinese ? "：" : ": ");
  if (job.verdict().empty()) {
    const bool waits = job.attempt() == 0;
    absl::StrAppend(&line, chinese ? (waits ? "等待中" : "运行中") : (waits ? "waiting" : "running"));
    return line;
  }
  absl::StrAppend(&line, "**", TitleOf(job, result), "**");
  if (!job.cause().text().empty() && ConclusionOf(job) != v1::ReportCheck::CONCLUSION_SUCCESS) {
    absl::StrAppend(&line, " — ", EchoText(job.cause().text(), kMaxFailureBytes));
  }
  return line;
}

}  // namespace yardmaster::dispatch
