#include "services/worker/verdict/ranks.h"

#include <algorithm>
#include <csignal>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/worker/verdict/priorities.h"

namespace yardmaster::worker {
namespace {

using rules::FailureClass;

bool IsVictim(const Finding& finding) { return finding.cls == FailureClass::kVictim; }

bool Better(const Finding& a, const Finding& b) {
  return std::tuple(a.priority, a.micros, a.rank) < std::tuple(b.priority, b.micros, b.rank);
}

// A rank that says "connection closed by peer" and then throws, aborts or exits because of it has not failed by
// itself. Tests that had failed before count on.
void DropWhatFollowsFromOthers(RankView& view) {
  const auto victim = absl::c_find_if(view.findings, IsVictim);
  if (victim == view.findings.end()) return;
  // By order, not by time: tests stand in the order in which they ran, before the end and the log.
  std::vector<Finding> kept;
  bool after = false;
  for (auto finding = view.findings.begin(); finding != view.findings.end(); ++finding) {
    after = after || finding == victim;
    const bool earlier_test = !after && !finding->test.empty() && finding->signature == "test-failed";
    // What it did not leave behind follows, too.
    const bool evidence = finding->priority >= kNoEvidence && finding->priority < kHang;
    if ((!finding->generic && !evidence) || earlier_test) kept.push_back(std::move(*finding));
  }
  view.findings = std::move(kept);
}

// When this rank died of something that others would notice; kUnknownTime if it did not or nothing says when.
int64_t DeathOf(const RankView& view) {
  if (!view.EndedBadly() || view.end_from_launcher || view.failed > 0) return kUnknownTime;
  const bool stopped = view.end->signal == SIGTERM || view.end->signal == SIGHUP || view.end->signal == SIGINT ||
                       view.end->signal == SIGPIPE;
  const bool victim = absl::c_any_of(view.findings, IsVictim);
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
