#include "clients/cli/gate_phase.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/test_suites.h"
#include "rules/engine/pipeline/diagnose.h"
#include "rules/engine/pipeline/profile.h"
#include "services/core/clock.h"
#include "services/core/status_macros.h"

namespace yardmaster::cli {

absl::Status AddGatePhase(const Session& session, const std::string& repository, workflow::PullRequest& pull) {
  ASSIGN_OR_RETURN(const PacksFolder folder, SuitePacksFolder(session));
  ASSIGN_OR_RETURN(const std::vector<std::string> packs, PacksOfRepository(folder, repository));
  for (const std::string& pack : packs) {
    if (rules::PackWithPipeline(folder.files, pack).empty()) continue;
    Problems problems;
    const std::shared_ptr<const rules::PipelineProfile> profile = rules::LoadPipeline(folder.files, pack, problems);
    if (profile == nullptr) return ProblemsError(absl::StrCat("the profile of '", pack, "' is not valid"), problems);
    rules::PipelineSignals signals;
    signals.number = pull.number;
    signals.author = pull.author;
    signals.closed = pull.state == "merged" || pull.state == "closed";
    signals.labels = pull.labels;
    pull.gate_pack = profile->pack;
    pull.gate_phase = rules::PipelinePhaseName(rules::Diagnose(*profile, signals, SystemClock().Now()).phase);
    break;
  }
  return absl::OkStatus();
}

}  // namespace yardmaster::cli
