#include "services/worker/verdict/step_findings.h"

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "services/core/lines.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/headline.h"
#include "services/worker/verdict/last_words.h"
#include "services/worker/verdict/line_prefix.h"
#include "services/worker/verdict/priorities.h"
#include "services/worker/verdict/telling.h"
#include "services/worker/verdict/text.h"

namespace yardmaster::worker {
namespace {

using rules::FailureClass;

Finding NotStarted(const StepEvidence& evidence) {
  const std::string message = Quoted({evidence.start_error.message().data(), evidence.start_error.message().size()});
  switch (evidence.start_error.code()) {
    case absl::StatusCode::kNotFound: {
      const bool built =
          evidence.step != nullptr && !evidence.step->command.words.empty() && RunsBuiltProgram(evidence.step->command);
      Finding finding =
          MakeFinding(built ? kMissingProgram : kNotStartable, built ? FailureClass::kCode : FailureClass::kEnvironment,
                      "missing-program", Concat("a program is missing: ", message));
      finding.advice = built ? "The build should have made it: look at the build's log."
                             : "Install it, or correct the interpreter or PATH in the environment of the suite.";
      return finding;
    }
    case absl::StatusCode::kResourceExhausted:
      return MakeFinding(kHostOutOfMemory, FailureClass::kInfrastructure, "no-resources",
                         Concat("the host has no processes, descriptors or memory left: ", message));
    default:
      return MakeFinding(kNotStartable, FailureClass::kEnvironment, "not-startable",
                         Concat("could not be started: ", message));
  }
}

// What tells most of what its ranks said last, else what it said itself.
void AddLauncherWords(const StepContext& context, const std::vector<RankView>& views, Finding& finding) {
  constexpr size_t kLastLines = 60;
  if (context.evidence->log == nullptr) return;
  const int64_t until = LastCountedMicros(context);
  std::optional<LastWords> most;
  for (const RankView& view : views) {
    std::optional<LastWords> words = LastWordsOf(context, view.rank, kLastLines, until);
    if (!words.has_value() || !TellsOfFailure(words->telling)) continue;
    if (!most.has_value() || words->telling > most->telling) most = std::move(words);
  }
  if (most.has_value()) {
    finding.what += Concat("; rank ", most->line.rank, " said: ", Quoted(most->line.text));
    TakeReason(*context.signatures, most->line.text, context.phase, finding);
    finding.line = std::move(most->line);
    return;
  }
  std::optional<LastWords> own = LastWordsOf(context, kNoRank, kLastLines, until);
  if (!own.has_value()) return;
  finding.what += Concat(TellsOfFailure(own->telling) ? ": " : "; its last words: ", Quoted(own->line.text));
  TakeReason(*context.signatures, own->line.text, context.phase, finding);
  finding.line = std::move(own->line);
}

// What the infrastructure did to a rank says more than the exit code of a launcher.
void PreferToLauncher(std::vector<RankView>& views) {
  for (RankView& view : views) {
    for (Finding& finding : view.findings) {
      if (finding.cls == FailureClass::kInfrastructure) finding.priority = std::min(finding.priority, kLauncher - 1);
    }
  }
}

void FindInLauncher(const StepContext& context, std::vector<RankView>& views, std::vector<Finding>& findings) {
  const StepEvidence& evidence = *context.evidence;
  // In the output of their launcher, too, ranks show that they began.
  const bool silent = absl::c_all_of(views, [](const RankView& view) { return view.silent; }) &&
                      absl::c_none_of(context.step_hits, [](const Signatures::Hit& hit) {
                        return RankInPrefix(hit.line.text).has_value();
                      });
  const bool bad = LauncherFailed(evidence) || evidence.stopped != Stopped::kNot ||
                   absl::c_any_of(views, [](const RankView& v) { return !v.findings.empty(); });
  if (!bad) return;
  for (const Signatures::Hit& hit : context.step_hits) {
    Finding finding = FromSignature(*context.signatures, *hit.signature, hit.line.text);
    // Launchers are no programs of C++.
    const bool of_launcher = IsException(*hit.signature) && !RankInPrefix(hit.line.text).has_value() &&
                             !Contains(hit.line.text, "terminate called");
    if (of_launcher || finding.signature == kChildFailedId) {
      // A launcher ends with an exception of its own whatever happened to its ranks.
      finding.priority = silent ? kLauncher - 1 : kLauncherSays;
      finding.what = Concat("the launcher failed: ", Quoted(hit.line.text));
      finding.signature = "launcher";
      if (silent) finding.cls = FailureClass::kEnvironment;
    } else if (const std::string below = WordsBelow(*evidence.log, hit.line); !below.empty()) {
      finding.what += Concat(" ", Quoted(below));
    }
    finding.micros = hit.line.micros;
    finding.line = hit.line;
    findings.push_back(std::move(finding));
  }
  if (!LauncherFailed(evidence) || evidence.stopped != Stopped::kNot) return;
  PreferToLauncher(views);
  const ProcessExit& exit = *evidence.launcher;
  Finding finding =
      MakeFinding(kLauncher, silent ? FailureClass::kEnvironment : FailureClass::kCode, "launcher",
                  exit.signal != 0 ? Concat("the launcher was killed by ", SignalName(exit.signal))
                                   : Concat("the launcher ended with exit code ", exit.code,
                                            silent ? ", and no rank was started" : ", and no rank says why"));
  AddLauncherWords(context, views, finding);
  findings.push_back(std::move(finding));
}

// Reasons that differ in numbers only are the same: "needs 4 devices, rank 2 has 1".
std::string WithoutNumbers(std::string text) {
  std::erase_if(text, [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
  return text;
}

std::string FirstSkip(const RankView& view) {
  if (view.skipped_by_code) return Concat("exit code ", view.end->code, " means skipped");
  if (view.evidence == nullptr) return "";
  for (const Report& report : view.evidence->reports) {
    for (const ReportTest& test : report.tests) {
      if (test.outcome == Outcome::kSkipped) return Quoted(FirstLine(test.message));
    }
  }
  return "";
}

bool SkippedAll(const RankView& view) {
  return view.skipped_by_code || (view.ran == 0 && view.skipped > 0 && !view.EndedBadly());
}

}  // namespace

bool NeedsLog(const StepContext& context) {
  const StepEvidence& evidence = *context.evidence;
  if (evidence.log == nullptr) return false;
  if (evidence.stopped != Stopped::kNot || evidence.log_lost || evidence.device_bad_after || evidence.oom_kills > 0 ||
      !evidence.start_error.ok() || LauncherFailed(evidence)) {
    return true;
  }
  if (evidence.expected_ranks > static_cast<int>(evidence.ranks.size())) return true;
  // Without a report, nothing but the output may contradict the exit codes.
  if (context.phase == "test" && evidence.step != nullptr && evidence.step->reports.empty()) return true;
  for (const RankEvidence& rank : evidence.ranks) {
    if (rank.exit.has_value() ? rank.exit->code != 0 || rank.exit->signal != 0 : !context.launched) return true;
    if (!rank.missing_reports.empty() || !rank.bad_reports.empty() || rank.marks.has_value() ||
        !rank.tensor_problems.empty()) {
      return true;
    }
    for (const TensorResult& tensor : rank.tensors) {
      if (!tensor.ok()) return true;
    }
    for (const Report& report : rank.reports) {
      for (const ReportTest& test : report.tests) {
        if (test.outcome != Outcome::kPassed && test.outcome != Outcome::kSkipped) return true;
      }
    }
  }
  return false;
}

std::vector<Finding> FindInStep(const StepContext& context, std::vector<RankView>& views) {
  const StepEvidence& evidence = *context.evidence;
  std::vector<Finding> findings;
  if (!evidence.start_error.ok()) {
    // Then no rank could leave anything.
    for (RankView& view : views) {
      if (view.silent) view.findings.clear();
    }
    findings.push_back(NotStarted(evidence));
  }
  if (evidence.device_bad_after || evidence.stopped == Stopped::kDeviceLost) {
    Finding finding =
        MakeFinding(kDeviceBad, FailureClass::kInfrastructure, "device-lost",
                    Concat("a device was lost", evidence.device_reason.empty() ? "" : ": ", evidence.device_reason));
    finding.device_fatal = true;
    finding.advice = "Check the device, or run elsewhere; what would have come later on it was not run.";
    findings.push_back(std::move(finding));
  }
  if (evidence.stopped == Stopped::kDiskFull || evidence.log_lost) {
    Finding finding = MakeFinding(
        kDiskFull, FailureClass::kInfrastructure, "disk-full",
        evidence.log_lost ? "the disk is full: the log could not be written to its end" : "the disk is full");
    finding.advice = "Free space below the result directory and the cache, or name others.";
    findings.push_back(std::move(finding));
  }
  FindInLauncher(context, views, findings);

  const bool failed = absl::c_any_of(views, [](const RankView& v) { return !v.findings.empty(); });
  const bool known = absl::c_any_of(views, [](const RankView& view) {
    return absl::c_any_of(view.findings, [](const Finding& f) { return f.signature == "oom"; });
  });
  if (failed && !known && evidence.oom_kills > 0) {
    Finding finding = MakeFinding(kOutOfMemory, FailureClass::kCode, "oom",
                                  "a process was killed for want of memory: the step passed its memory limit");
    finding.advice = "Use less memory, or raise the limit in the manifest.";
    findings.push_back(std::move(finding));
  }

  // Nobody left anything, and all went well as the launcher sees it: it did not wait for what it started.
  const bool silent = !views.empty() && absl::c_all_of(views, [](const RankView& v) { return v.silent; });
  if (silent && context.ranked && evidence.start_error.ok() && evidence.stopped == Stopped::kNot) {
    for (RankView& view : views) view.findings.clear();
    std::string what = views.size() == 1 ? "the rank left" : Concat("none of the ", views.size(), " ranks left");
    what += " output, a report or an exit code";
    if (evidence.launcher.has_value() && !LauncherFailed(evidence)) {
      what += "; the launcher ended with exit code 0 and did not wait for them";
    }
    findings.push_back(MakeFinding(kNoEvidence, FailureClass::kEnvironment, "no-evidence", std::move(what)));
  }
  return findings;
}

std::vector<Finding> FindInTotals(const StepContext& context, const std::vector<RankView>& views) {
  std::vector<Finding> findings;
  std::string reason;
  if (AllSkipped(views, reason)) return findings;

  // Ranks must agree on what is skipped: a rank that leaves out a collective test sees another world.
  struct Seen {
    std::vector<int> passed;
    std::vector<int> skipped;
  };
  std::map<std::string_view, Seen> tests;
  std::vector<int> skipping;
  for (const RankView& view : views) {
    if (SkippedAll(view)) skipping.push_back(view.rank);
    if (view.evidence == nullptr) continue;
    for (const Report& report : view.evidence->reports) {
      for (const ReportTest& test : report.tests) {
        if (test.outcome == Outcome::kSkipped) {
          tests[test.id].skipped.push_back(view.rank);
        } else if (test.outcome == Outcome::kPassed) {
          tests[test.id].passed.push_back(view.rank);
        }
      }
    }
  }
  if (context.ranked && views.size() > 1) {
    if (!skipping.empty() && skipping.size() < views.size()) {
      findings.push_back(MakeFinding(kMixedSkip, FailureClass::kCode, "mixed-skip",
                                     Concat(RankList(skipping), " skipped everything while others ran")));
    } else if (!skipping.empty()) {
      findings.push_back(
          MakeFinding(kMixedSkip, FailureClass::kCode, "mixed-skip", "all ranks skipped, for different reasons"));
    } else {
      for (const auto& [id, seen] : tests) {
        if (seen.passed.empty() || seen.skipped.empty()) continue;
        Finding finding = MakeFinding(
            kMixedSkip, FailureClass::kCode, "mixed-skip",
            Concat("test '", id, "' was skipped by ", RankList(seen.skipped), " and ran on ", RankList(seen.passed)));
        finding.test = std::string(id);
        findings.push_back(std::move(finding));
        break;
      }
    }
  }

  const rules::SuiteStep* step = context.evidence->step;
  if (step == nullptr) return findings;
  size_t ran = 0;
  bool died = false;
  bool reported = true;
  for (const RankView& view : views) {
    ran += view.ran;
    died = died || view.hung || view.EndedBadly();
    reported = reported && view.evidence != nullptr && !view.silent && view.evidence->missing_reports.empty() &&
               view.evidence->bad_reports.empty();
  }
  const bool lists = absl::c_any_of(step->reports, [](const rules::ReportModel& report) {
    return report.format != rules::ReportFormat::kMarkers || !report.line.empty();
  });
  const size_t wanted = step->tests_at_least > 0 ? step->tests_at_least : static_cast<size_t>(lists ? 1 : 0);
  // A rank that died or left no report explains by itself why tests are missing; an exit code because there were none
  // to run does not.
  if (ran < wanted && (ran == 0 ? reported : !died)) {
    findings.push_back(
        ran == 0 ? MakeFinding(kNoTests, FailureClass::kEnvironment, "no-tests",
                               "no test ran: the selection matches nothing, or nothing was collected")
                 : MakeFinding(kNoTests, FailureClass::kEnvironment, "too-few-tests",
                               Concat("only ", Count(ran, "test"), " ran; the manifest expects at least ", wanted)));
  }
  return findings;
}

std::vector<Finding> FindSymptoms(const StepContext& context, const std::vector<const rules::RecoveryRecipe*>& recipes,
                                  const rules::RecoveryRecipe*& applicable) {
  std::vector<Finding> findings;
  LogReader* log = context.evidence->log;
  if (log == nullptr) return findings;
  for (const rules::RecoveryRecipe* recipe : recipes) {
    for (const std::string& symptom : recipe->symptoms) {
      const absl::StatusOr<std::vector<LogLine>> found = log->Search(symptom, 1, kAllRanks);
      if (!found.ok() || found->empty()) continue;
      const LogLine& line = found->front();
      Finding finding = MakeFinding(kRecipeSymptom, FailureClass::kEnvironment, recipe->id,
                                    Concat(recipe->title, ": ", Quoted(line.text)));
      finding.advice = recipe->cause;
      for (const std::string& step : recipe->steps) finding.advice += (finding.advice.empty() ? "" : " ") + step;
      finding.rank = line.rank;
      finding.micros = line.micros;
      finding.line = line;
      findings.push_back(std::move(finding));
      if (recipe->applicable && applicable == nullptr) applicable = recipe;
      break;
    }
  }
  return findings;
}

bool AllSkipped(const std::vector<RankView>& views, std::string& reason) {
  if (views.empty() || !absl::c_all_of(views, SkippedAll)) return false;
  const std::string first = FirstSkip(views.front());
  for (const RankView& view : views) {
    if (WithoutNumbers(FirstSkip(view)) != WithoutNumbers(first)) return false;
  }
  size_t skipped = 0;
  for (const RankView& view : views) skipped += view.skipped;
  reason =
      skipped > 0 ? Concat("all ", Count(skipped, "test"), skipped == 1 ? " was" : " were", " skipped") : "skipped";
  if (!first.empty()) reason += ": " + first;
  return true;
}

namespace {

// A failed test says first what went wrong; a wrapper's own words come after it.
std::string MessageOf(const ReportTest& test) {
  const std::string_view headline = Headline(test.message);
  if (test.message.empty() || headline == TrimBlanks(FirstLine(test.message))) return test.message;
  return Concat(headline, "\n", test.message);
}

TestResult ResultOf(const ReportTest& test, Verdict unfinished) {
  TestResult result;
  result.id = test.id;
  result.seconds = test.seconds;
  result.message = test.message;
  switch (test.outcome) {
    case Outcome::kPassed:
      result.verdict = Verdict::kPassed;
      break;
    case Outcome::kSkipped:
      result.verdict = Verdict::kNotRun;
      result.skipped = true;
      break;
    case Outcome::kTimedOut:
      result.verdict = Verdict::kTimedOut;
      break;
    case Outcome::kUnfinished:
      result.verdict = unfinished;
      if (result.message.empty()) result.message = "begun, and never ended";
      break;
    case Outcome::kNotStarted:
      if (result.message.empty()) result.message = "its program is missing";
      result.verdict = Verdict::kFailed;
      break;
    case Outcome::kFailed:
      result.message = MessageOf(test);
      result.verdict = Verdict::kFailed;
      break;
  }
  return result;
}

}  // namespace

std::vector<TestResult> TestsOf(const StepContext& context, const std::vector<RankView>& views) {
  const StepEvidence& evidence = *context.evidence;
  std::vector<TestResult> tests;
  for (const RankView& view : views) {
    if (view.evidence == nullptr) continue;
    const Verdict unfinished = evidence.stopped == Stopped::kCancelled          ? Verdict::kCancelled
                               : view.hung && evidence.stopped != Stopped::kNot ? Verdict::kTimedOut
                                                                                : Verdict::kFailed;
    const bool cut_off = view.hung || view.EndedBadly();
    std::string open = cut_off ? UnfinishedTest(context, view.rank) : "";
    const auto add = [&](TestResult result) {
      result.layer = evidence.layer;
      result.step = evidence.name;
      result.rank = view.rank;
      tests.push_back(std::move(result));
    };
    const auto add_all = [&](const std::vector<ReportTest>& found) {
      for (const ReportTest& test : found) {
        if (test.id == open) open.clear();
        add(ResultOf(test, unfinished));
      }
    };
    for (const Report& report : view.evidence->reports) add_all(report.tests);
    // It was ended before its report was written: what it had said of single tests stays.
    if (view.evidence->reports.empty() && cut_off) add_all(view.evidence->named);
    if (!open.empty()) add(ResultOf(ReportTest{open, Outcome::kUnfinished, 0, ""}, unfinished));
  }
  return tests;
}

}  // namespace yardmaster::worker
