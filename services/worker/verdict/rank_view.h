// One rank as the judge sees it: its evidence, what the launcher adds to it, what its log shows, and all that is wrong
// with it. Also the step as a whole, as the "rank" kNoRank.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_RANK_VIEW_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_RANK_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/worker/verdict/finding.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {

struct RankView {
  int rank = kNoRank;
  const RankEvidence* evidence = nullptr;  // null: expected, and nothing at all is known of it
  std::optional<RankEnd> end;      // how it ended by itself; none: unknown, or still there when all were stopped
  bool end_from_launcher = false;  // then nothing says when
  bool hung = false;               // it was still there when the step was stopped
  bool silent = true;              // it left neither a line, nor a report, nor an exit
  bool skipped_by_code = false;
  // No rank has lines of its own, and this is the first that its launcher says has failed: what it said stands among
  // the launcher's lines.
  bool in_launchers_output = false;
  size_t ran = 0;  // tests, without those that were skipped
  size_t skipped = 0;
  size_t failed = 0;
  int64_t end_micros = kUnknownTime;  // since the step began
  std::vector<Signatures::Hit> hits;  // in its log, by priority
  std::vector<Finding> findings;
  bool victim = false;
  // A failed test that only says that a process it had started failed: why stands in what that process printed.
  std::string child_of;

  // It ended by itself, and not well.
  bool EndedBadly() const { return end.has_value() && !skipped_by_code && (end->code != 0 || end->signal != 0); }
};

// What a step's evidence shares between its ranks.
struct StepContext {
  const StepEvidence* evidence = nullptr;
  const Signatures* signatures = nullptr;
  std::string_view phase;
  int64_t begin_micros = 0;  // of the step, in the time of RankEvidence
  bool ranked = false;
  bool launched = false;                        // by a launcher that starts the ranks itself
  std::vector<Signatures::Hit> step_hits = {};  // in lines of no rank, where there are ranks
};

// Views of all expected ranks and of others that left evidence, by rank. Without ranks there is one, kNoRank.
std::vector<RankView> ViewRanks(const StepContext& context, const LauncherReport& launcher,
                                std::vector<Signatures::Hit> hits);

// A launcher started the ranks, and did not end well.
bool LauncherFailed(const StepEvidence& evidence);

// Fills `findings` with all that is wrong with this rank by itself.
void FindInRank(const StepContext& context, RankView& view);

// The time of the last line that counts, since the step began: what comes while it is stopped says nothing of the
// ranks.
int64_t LastCountedMicros(const StepContext& context);

// The test that this rank had begun and not ended, by what it printed last before the step was stopped; empty if that
// says none.
std::string UnfinishedTest(const StepContext& context, int rank);

// "12 of 1024 elements of tensor 'x' are off, …".
std::string TensorSentence(const TensorResult& tensor);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_RANK_VIEW_H_
