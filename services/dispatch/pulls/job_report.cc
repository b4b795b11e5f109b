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
#include "services/core/repository_name.h"
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
constexpr size_t kMaxExcerptLines = 20;
constexpr size_t kMaxExcerptBytes = 3'000;
constexpr std::string_view kBrokenOnTrunk = "broken on trunk";

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

// The lines of the log that show the first cause, and where they stand.
std::string ExcerptText(const json& result) {
  const auto cause = result.find("cause");
  if (cause == result.end() || !cause->is_object()) return {};
  std::string lines;
  size_t shown = 0;
  for (const json* line : ObjectsAt(*cause, "excerpt")) {
    if (++shown > kMaxExcerptLines || lines.size() > kMaxExcerptBytes) break;
    if (const double rank = NumberAt(*line, "rank"); line->contains("rank") && (*line)["rank"].is_number()) {
      absl::StrAppend(&lines, absl::StrFormat("[rank %.0f] ", rank));
    }
    absl::StrAppend(&lines, TextAt(*line, "text"), "\n");
  }
  if (lines.empty()) return {};
  std::string text = "\n\nFrom the log";
  if (const std::string step = TextAt(*cause, "step"); !step.empty()) {
    absl::StrAppend(&text, " of ", EchoCode(step));
    if (const double line = NumberAt(*cause, "line"); line > 0)
      absl::StrAppend(&text, absl::StrFormat(", line %.0f", line));
  }
  return absl::StrCat(text, ":\n\n", EchoBlock(lines, kMaxExcerptBytes));
}

// What of the failures is broken on the base commit.
std::string TrunkText(const TrunkView& view) {
  std::string text;
  size_t shown = 0;
  for (const std::string& test : view.broken) {
    if (++shown <= kMaxFailures) absl::StrAppend(&text, "\n* broken on trunk, too: ", EchoCode(test));
  }
  shown = 0;
  for (const std::string& test : view.only_here) {
    if (++shown <= kMaxFailures) absl::StrAppend(&text, "\n* fails with this change only: ", EchoCode(test));
  }
  return text;
}

// `view`: of what was tried `on_trunk`, where that is not null.
std::string ReportText(const v1::SuiteJob& job, std::string_view result, const ReportedJob* on_trunk,
                       const TrunkView& view) {
  std::string text = absl::StrCat("Suite ", EchoCode(TestNameOf(job.spec())), " on ",
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
  if (on_trunk != nullptr) {
    if (view.is_class) {
      absl::StrAppend(&text, "\n\nClass: ", Abs(kBrokenOnTrunk), ". All that failed fails on the base commit ",
                      EchoCode(ShortCommit(on_trunk->job.spec().ref())), ", too (job ", EchoCode(on_trunk->job.job()),
                      "): mend it there, then write `/retest`.");
    }
    if (const std::string tests = TrunkText(view); !tests.empty()) absl::StrAppend(&text, "\n", tests, "\n");
  }
  const json parsed = json::parse(result, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_object()) absl::StrAppend(&text, ExcerptText(parsed), LayersText(parsed), FailuresText(parsed));
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

// A line for each layer that has begun: "smoke: passed, 12 tests, 0 failed, 3.1 s"; of the one that runs how far its
// step is.
std::string JobProgressText(const v1::SuiteJob& job) {
  const v1::RunProgress& run = job.progress();
  std::string text;
  int shown = 0;
  for (const v1::LayerProgress& layer : run.layers()) {
    if (++shown > static_cast<int>(kMaxLayers)) break;
    absl::StrAppend(&text, "\n  * ", EchoText(layer.id()), ": ");
    if (!layer.verdict().empty()) {
      absl::StrAppend(&text, EchoText(VerdictWord(layer.verdict())), ", ", layer.tests(), " tests, ", layer.failed(),
                      absl::StrFormat(" failed, %.1f s", layer.seconds()));
      continue;
    }
    absl::StrAppend(&text, "running");
    if (!run.step().empty()) absl::StrAppend(&text, ", ", EchoCode(run.step()));
    if (run.tests() > 0) absl::StrAppend(&text, ", ", run.tests(), " tests, ", run.failed(), " failed");
  }
  if (run.layers_in_all() > static_cast<uint32_t>(run.layers_size()) && run.layers_size() > 0) {
    absl::StrAppend(&text, "\n  * ", run.layers_in_all() - static_cast<uint32_t>(run.layers_size()), " more to come");
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
  check.set_name(CheckNameOf(spec));
  check.set_attempt(spec.check_attempt());
  return check;
}

}  // namespace

std::string TestNameOf(const v1::JobSpec& spec) {
  if (!spec.has_shard()) return spec.suite();
  return absl::StrCat(spec.suite(), " (", spec.shard().index(), "/", spec.shard().count(), ")");
}

std::string CheckNameOf(const v1::JobSpec& spec) { return absl::StrCat(Abs(kTestCheckPrefix), TestNameOf(spec)); }

bool NewestJobs::Takes(const v1::JobSpec& spec) {
  const std::string& group = groups_.try_emplace(spec.suite(), spec.shard().group()).first->second;
  return group == spec.shard().group() && taken_.insert(TestNameOf(spec)).second;
}

std::string PullName(const v1::Subject& subject) {
  return absl::StrCat(QualifiedName(subject.forge(), subject.repository()), "#", subject.number());
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
  check.set_summary(absl::StrCat("Suite ", EchoCode(TestNameOf(spec)), ", job ", EchoCode(job),
                                 ".\n\n`yard test logs -f ", Abs(job), "` follows it, `yard test explain ", Abs(job),
                                 "` says why it waits."));
  return check;
}

TrunkView ViewOfTrunk(const ReportedJob& failed, const ReportedJob& on_trunk) {
  const std::set<std::string> here = FailedTests(failed.result);
  const std::set<std::string> there = FailedTests(on_trunk.result);
  const std::set<std::string> passed_there = PassedTests(on_trunk.result);
  TrunkView view;
  for (const std::string& test : here) {
    if (there.contains(test))
      view.broken.insert(test);
    else if (passed_there.contains(test))
      view.only_here.insert(test);
  }
  const auto breaks = [](const v1::SuiteJob& job) { return job.verdict() == "failed" || job.verdict() == "timed_out"; };
  const bool of_code = breaks(on_trunk.job) && !IsOfMachine(on_trunk.job.cause().class_name());
  // Without names there are only the verdicts; a test that neither failed nor passed there is no word about it.
  view.is_class = breaks(failed.job) && of_code && view.broken.size() == here.size();
  return view;
}

v1::ReportCheck EndedCheck(const ReportedJob& job, const ReportedJob* on_trunk) {
  v1::ReportCheck check = CheckOf(job.job.spec());
  check.set_conclusion(ConclusionOf(job.job));
  check.set_title(TitleOf(job.job, job.result));
  const TrunkView view = on_trunk != nullptr ? ViewOfTrunk(job, *on_trunk) : TrunkView();
  if (on_trunk != nullptr) {
    // A check of its own: the one before it has ended.
    check.set_attempt(on_trunk->job.spec().check_attempt());
    if (view.is_class) {
      check.set_conclusion(v1::ReportCheck::CONCLUSION_ACTION_REQUIRED);
      check.set_title(absl::StrCat(check.title(), ", ", Abs(kBrokenOnTrunk)));
    }
  }
  check.set_summary(ReportText(job.job, job.result, on_trunk, view));
  return check;
}

v1::ReportCheck ProgressCheck(const v1::SuiteJob& job, int64_t progress) {
  v1::ReportCheck check = CheckOf(job.spec());
  check.set_progress(progress);
  const v1::RunProgress& run = job.progress();
  check.set_title(absl::StrCat("layer ", run.layers_size(), " of ", run.layers_in_all(), ": ",
                               run.layers_size() == 0 ? "" : run.layers(run.layers_size() - 1).id()));
  std::string text = absl::StrCat("Suite ", EchoCode(TestNameOf(job.spec())), ", job ", EchoCode(job.job()),
                                  ", on runner ", EchoCode(job.runner()), ".");
  if (job.expected_seconds() > 0)
    absl::StrAppend(&text, " It usually takes ", MinutesText(job.expected_seconds()), ".");
  absl::StrAppend(&text, ProgressTable(run), "\n\n`yard test logs -f ", job.job(), "` follows it.");
  check.set_summary(text);
  return check;
}

std::string JobsText(const std::string& head, const std::vector<ReportedJob>& jobs,
                     const std::map<std::string, ReportedJob>& on_trunk) {
  std::string text = absl::StrCat("### Tests of ", EchoCode(ShortCommit(head)), "\n");
  for (const ReportedJob& one : jobs) {
    const v1::SuiteJob& job = one.job;
    absl::StrAppend(&text, "\n* ", EchoCode(TestNameOf(job.spec())), ": ");
    if (job.verdict().empty()) {
      absl::StrAppend(&text, job.state(), ", job ", EchoCode(job.job()), JobProgressText(job));
      continue;
    }
    const auto tried = on_trunk.find(job.job());
    const ReportedJob* const trunk = tried == on_trunk.end() ? nullptr : &tried->second;
    const TrunkView view = trunk != nullptr ? ViewOfTrunk(one, *trunk) : TrunkView();
    absl::StrAppend(&text, TitleOf(job, one.result));
    if (view.is_class) absl::StrAppend(&text, ", ", Abs(kBrokenOnTrunk));
    absl::StrAppend(&text, "\n\n  <details><summary>job ", job.job(), "</summary>\n\n",
                    ReportText(job, one.result, trunk, view), "\n\n  </details>");
  }
  return text;
}

std::string TrunkComment(const ReportedJob& on_trunk, const ReportedJob& failed) {
  const v1::SuiteJob& job = on_trunk.job;
  std::string text =
      absl::StrCat(EchoCode(TestNameOf(job.spec())), " on the base commit ", EchoCode(ShortCommit(job.spec().ref())),
                   ": ", TitleOf(job, on_trunk.result), ", job ", EchoCode(job.job()), "\n");
  const TrunkView view = ViewOfTrunk(failed, on_trunk);
  absl::StrAppend(&text, TrunkText(view));
  if (view.broken.empty() && view.only_here.empty()) {
    // Without names there are only the verdicts.
    const bool passes = job.verdict() == "passed" || job.verdict() == "flaky";
    const bool breaks = job.verdict() == "failed" || job.verdict() == "timed_out";
    absl::StrAppend(&text, passes   ? "\nIt passes there: what failed fails with this change only."
                           : breaks ? "\nIt fails there, too."
                                    : "\nThat says nothing about what failed here.");
  }
  absl::StrAppend(&text, "\n\nWhat failed at the head is in the job ", EchoCode(failed.job.job()), ".");
  return text;
}

std::string JobLine(const v1::SuiteJob& job, std::string_view result, bool chinese) {
  std::string line = absl::StrCat(EchoCode(TestNameOf(job.spec())), chinese ? "，任务 " : ", job ", EchoCode(job.job()),
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
