#include "services/worker/verdict/rank_view.h"

#include <re2/re2.h>

#include <csignal>
#include <limits>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/re2_piece.h"
#include "services/worker/verdict/line_kinds.h"
#include "services/worker/verdict/line_prefix.h"

namespace yardmaster::worker {
namespace {

// Last lines of a rank in which a test that was begun is looked for.
constexpr size_t kTailLines = 400;
// Shells say a child's signal as 128 + its number.
constexpr int kShellSignal = 128;

bool IsFatalSignal(int signal) {
  constexpr int fatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGSEGV, SIGTERM, SIGXFSZ, SIGXCPU};
  return absl::c_find(fatal, signal) != std::end(fatal);
}

RankEnd Normalized(RankEnd end) {
  if (end.signal == 0 && end.code > kShellSignal && IsFatalSignal(end.code - kShellSignal)) {
    end.signal = end.code - kShellSignal;
  }
  return end;
}

void CountTests(RankView& view) {
  for (const Report& report : view.evidence->reports) {
    for (const ReportTest& test : report.tests) {
      if (test.outcome == Outcome::kSkipped) {
        ++view.skipped;
        continue;
      }
      ++view.ran;
      if (test.outcome != Outcome::kPassed) ++view.failed;
    }
  }
}

bool IsSkipCode(const StepEvidence& evidence, int code) {
  if (evidence.step == nullptr) return false;
  const std::vector<int>& codes = evidence.step->skip_codes;
  return absl::c_linear_search(codes, code);
}

}  // namespace

std::vector<RankView> ViewRanks(const StepContext& context, const LauncherReport& launcher,
                                std::vector<Signatures::Hit> hits) {
  const StepEvidence& evidence = *context.evidence;
  std::map<int, RankView> views;
  // The manifest says how many there must be, not what was found.
  for (int rank = 0; rank < evidence.expected_ranks; ++rank) views[rank].rank = rank;
  for (const RankEvidence& rank : evidence.ranks) {
    views[rank.rank].rank = rank.rank;
    views[rank.rank].evidence = &rank;
  }
  for (Signatures::Hit& hit : hits) {
    const auto at = views.find(hit.line.rank);
    if (at != views.end()) at->second.hits.push_back(std::move(hit));
  }

  std::vector<RankView> list;
  for (auto& [rank, view] : views) {
    if (view.evidence != nullptr) {
      CountTests(view);
      const RankEvidence& own = *view.evidence;
      const bool stopped = evidence.stopped != Stopped::kNot;
      // Where nothing stopped the step as a whole, the worker ended those that still waited after another had failed.
      view.hung = own.started && (own.exit.has_value() ? stopped && own.end_micros >= evidence.stopped_micros
                                                       : stopped || !context.launched);
      if (own.exit.has_value() && !view.hung) {
        view.end = Normalized({own.exit->code, own.exit->signal});
        view.end_micros = own.end_micros - context.begin_micros;
      }
      view.silent = !own.started && !own.exit.has_value() && own.reports.empty() && own.tensors.empty();
    }
    const auto said = launcher.ends.find(rank);
    if (!view.end.has_value() && !view.hung && said != launcher.ends.end()) {
      view.end = Normalized(said->second);
      view.end_from_launcher = true;
    }
    if (view.end.has_value()) {
      view.silent = false;
      view.skipped_by_code = view.end->signal == 0 && IsSkipCode(evidence, view.end->code);
    }
    if (view.silent && evidence.log != nullptr && (context.ranked || view.evidence != nullptr)) {
      const auto tail = evidence.log->Tail(1, rank);
      view.silent = !tail.ok() || tail->empty();
    }
    list.push_back(std::move(view));
  }
  if (context.launched && context.ranked && evidence.log != nullptr) {
    const bool separate = absl::c_any_of(list, [&](const RankView& view) {
      const auto tail = evidence.log->Tail(1, view.rank);
      return tail.ok() && !tail->empty();
    });
    const auto failed =
        absl::c_find_if(list, [](const RankView& view) { return view.end_from_launcher && view.EndedBadly(); });
    if (!separate && failed != list.end()) failed->in_launchers_output = true;
  }
  return list;
}

bool LauncherFailed(const StepEvidence& evidence) {
  return evidence.launcher.has_value() && (evidence.launcher->code != 0 || evidence.launcher->signal != 0);
}

int64_t LastCountedMicros(const StepContext& context) {
  const StepEvidence& evidence = *context.evidence;
  return evidence.stopped == Stopped::kNot ? std::numeric_limits<int64_t>::max()
                                           : evidence.stopped_micros - context.begin_micros;
}

std::string UnfinishedTest(const StepContext& context, int rank) {
  static const RE2 kPytest(R"(^(\S+\.py::[^\s\[]+(?:\[[^\]]*\])?)\s*(.*)$)");
  // What a test prints may begin with such a word, too: an outcome ends its line.
  static const RE2 kPytestOutcome(
      R"((?:^|\s)(?:PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)(?: \(.*\))?\s*(?:\[[\s\d/%.]+\w*\]\s*)*$|\s(?:Pass|Fail|Skip)\s+[\d.]+s\b)");
  static const RE2 kPytestSummary(
      R"(^(?:(?:FAILED|ERROR|PASSED) (?:[^\s:]+\.\w+::|\S+\.py(?:\s|$))|SKIPPED \[\d+\] ))");
  static const RE2 kGtestRun(R"(^\[ RUN      \] (\S+))");
  const StepEvidence& evidence = *context.evidence;
  if (evidence.log == nullptr) return "";
  const absl::StatusOr<std::vector<LogLine>> lines =
      evidence.log->TailUntil(kTailLines, rank, LastCountedMicros(context));
  if (!lines.ok()) return "";
  std::string begun;
  for (const LogLine& line : *lines) {
    std::string buffer;
    const std::string_view text = WithoutPrefix(WithoutEscapes(line.text, buffer));
    std::string name;
    std::string rest;
    if (RE2::PartialMatch(Piece(text), kPytestSummary)) {
      begun.clear();
    } else if (RE2::PartialMatch(Piece(text), kPytest, &name, &rest)) {
      begun = RE2::PartialMatch(rest, kPytestOutcome) ? "" : name;
    } else if (RE2::PartialMatch(Piece(text), kGtestRun, &name)) {
      begun = name;
    } else if (TestEndOf(text) != TestEnd::kNone) {
      begun.clear();
    }
  }
  return begun;
}

}  // namespace yardmaster::worker
