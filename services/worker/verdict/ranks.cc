#include "services/worker/verdict/ranks.h"

#include <re2/re2.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/worker/logs/escape_sequences.h"
#include "services/worker/re2_piece.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/line_prefix.h"
#include "services/worker/verdict/priorities.h"

namespace yardmaster::worker {
namespace {

using rules::FailureClass;

bool IsVictim(const Finding& finding) { return finding.cls == FailureClass::kVictim; }

bool Better(const Finding& a, const Finding& b) {
  return std::tuple(a.priority, a.micros, a.rank) < std::tuple(b.priority, b.micros, b.rank);
}

// The process that a line names in front of its text; empty: it names none.
std::string ProcessOf(const LogLine& line) {
  std::string buffer;
  return std::string(ProcessInPrefix(PrefixOf(WithoutEscapes(line.text, buffer))));
}

// The end of a traceback of Python, with its words.
bool SaysException(const LogLine& line) {
  static const RE2 kException(R"(^\s*(?:[A-Za-z_]\w*\.)*[A-Z]\w*: \S)", RE2::Latin1);
  std::string buffer;
  return RE2::PartialMatch(Piece(WithoutPrefix(WithoutEscapes(line.text, buffer))), kException);
}

// An exception that comes from no victim's words: raised before, and they are no part of what it says; or raised by
// another process that prints into the same output. Where nothing names the processes, a step without ranks may have
// started several, and what an exception says counts for more than a victim's words.
bool IsOwn(const Finding& exception, const std::vector<Finding>& findings) {
  if (!exception.line.has_value() || (exception.signature != kExceptionId && exception.signature != kAssertionId)) {
    return false;
  }
  const bool says = exception.rank == kNoRank && SaysException(*exception.line);
  const std::string process = ProcessOf(*exception.line);
  return absl::c_all_of(findings, [&](const Finding& victim) {
    if (!IsVictim(victim) || !victim.line.has_value()) return true;
    if (victim.said_in == exception.line->number) return false;
    if (exception.line->number < victim.line->number) return true;
    const std::string other = ProcessOf(*victim.line);
    return process.empty() && other.empty() ? says : !process.empty() && !other.empty() && process != other;
  });
}

// A rank that says "connection closed by peer" and then throws, aborts or exits because of it has not failed by
// itself. Tests and exceptions that had failed before count on.
void DropWhatFollowsFromOthers(RankView& view) {
  const auto victim = absl::c_find_if(view.findings, IsVictim);
  if (victim == view.findings.end()) return;
  std::vector<bool> own;
  own.reserve(view.findings.size());
  for (const Finding& finding : view.findings) own.push_back(IsOwn(finding, view.findings));
  // By order, not by time: tests stand in the order in which they ran, before the end and the log.
  std::vector<Finding> kept;
  bool after = false;
  for (auto finding = view.findings.begin(); finding != view.findings.end(); ++finding) {
    after = after || finding == victim;
    const bool earlier_test = !after && !finding->test.empty() && finding->signature == "test-failed";
    // What it did not leave behind follows, too.
    const bool evidence = finding->priority >= kNoEvidence && finding->priority < kHang;
    const bool is_own = own[static_cast<size_t>(finding - view.findings.begin())];
    if ((!finding->generic && !evidence) || earlier_test || is_own) kept.push_back(std::move(*finding));
  }
  view.findings = std::move(kept);
}

// When this rank died of something that others would notice; kUnknownTime if it did not or nothing says when.
int64_t DeathOf(const RankView& view) {
  if (!view.EndedBadly() || view.end_from_launcher || view.failed > 0) return kUnknownTime;
  const bool stopped = view.end->signal == SIGTERM || view.end->signal == SIGHUP || view.end->signal == SIGINT ||
                       view.end->signal == SIGPIPE;
  // One that failed by itself may say in the end that it lost the others.
  const bool victim = absl::c_any_of(view.findings, IsVictim) &&
                      absl::c_none_of(view.findings, [](const Finding& finding) { return finding.generic; });
  return stopped || victim ? kUnknownTime : view.end_micros;
}

// Exceptions and exits without a known reason that come after another rank had died follow from it.
void DemoteConsequences(std::vector<RankView>& views) {
  std::vector<std::pair<int64_t, int>> deaths;
  deaths.reserve(views.size());
  for (const RankView& view : views) deaths.emplace_back(DeathOf(view), view.rank);
  for (RankView& view : views) {
    int64_t first = kUnknownTime;
    for (const auto& [micros, rank] : deaths) {
      if (rank != view.rank) first = std::min(first, micros);
    }
    for (Finding& finding : view.findings) {
      // A time that is not known is no evidence.
      if (!finding.generic || finding.micros == kUnknownTime || finding.micros <= first) continue;
      finding.priority = std::max(finding.priority, kConsequence);
    }
  }
}

// A rank that was killed from outside: by its launcher or its partners if something else had gone wrong before.
void DemoteStopped(std::vector<RankView>& views) {
  for (RankView& view : views) {
    for (Finding& finding : view.findings) {
      if (!finding.from_outside) continue;
      for (const RankView& other : views) {
        if (other.rank == view.rank) continue;
        // Others gave up first, over the network or while they waited: it was stopped since they had ended.
        const bool gave_up = other.EndedBadly() && !other.findings.empty() && other.end_micros < view.end_micros &&
                             absl::c_all_of(other.findings, [](const Finding& why) {
                               return why.priority > kLauncherSays && why.priority < kFirstEcho;
                             });
        if (gave_up && view.end->signal != SIGKILL) finding.priority = kStoppedLast;
        for (const Finding& cause : other.findings) {
          if (cause.from_outside || cause.priority >= kNoEvidence) continue;
          const bool earlier = cause.micros < finding.micros || finding.micros == kUnknownTime;
          // Nobody but launchers and people send the others; when exactly one of them arrived says little.
          if (earlier || view.end->signal != SIGKILL) finding.priority = kStopped;
        }
      }
    }
  }
}

}  // namespace

std::vector<Finding> MergeRanks(std::vector<RankView>& views, std::vector<Finding> of_step) {
  for (RankView& view : views) DropWhatFollowsFromOthers(view);
  DemoteConsequences(views);
  DemoteStopped(views);

  std::vector<Finding> all = std::move(of_step);
  for (RankView& view : views) {
    absl::c_sort(view.findings, Better);
    all.insert(all.end(), view.findings.begin(), view.findings.end());
  }
  absl::c_sort(all, Better);
  if (all.empty()) return all;

  const int blamed = all.front().rank;
  const bool nobody = IsVictim(all.front());
  for (RankView& view : views) {
    if (view.rank == blamed && !nobody) continue;
    const bool follows =
        !view.findings.empty() && (IsVictim(view.findings.front()) || view.findings.front().priority >= kStopped);
    const bool waited = view.hung && blamed != kNoRank && !nobody && all.front().priority < kHang;
    view.victim = view.rank != kNoRank && (follows || waited);
  }
  return all;
}

}  // namespace yardmaster::worker
