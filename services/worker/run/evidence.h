// What the ranks of a step left behind: reports, marks, tensors, artifacts.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_EVIDENCE_H_
#define YARDMASTER_SERVICES_WORKER_RUN_EVIDENCE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "services/worker/launch/launch.h"
#include "services/worker/run/step_runner.h"

namespace yardmaster::worker {

// Tensors that are off are kept for people to look at, as long as they take no more than this together.
inline constexpr uint64_t kMaxKeptTensorBytes = 64 * 1024 * 1024;

// Fills reports, marks and tensors of `outcome.evidence` from the output and from the files of `places`.
void GatherEvidence(const rules::SuiteStep& step, const std::vector<RankPlace>& places, StepOutcome& outcome);

// Removes what a step wrote to its ${OUT} folders besides reports, artifacts and tensors that are off, then empty
// folders. Returns what is left, relative to `out`, sorted.
std::vector<std::string> KeepArtifacts(const rules::SuiteStep& step, const std::vector<RankPlace>& places,
                                       const std::vector<TensorResult>& tensors, const std::filesystem::path& out);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_EVIDENCE_H_
