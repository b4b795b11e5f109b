// What a repository's own file chooses within what the daemon's configuration allows. Another service reads the file:
// main.cc passes the function.
#ifndef YARDMASTER_SERVICES_INTAKE_REPOSITORY_CHOICE_H_
#define YARDMASTER_SERVICES_INTAKE_REPOSITORY_CHOICE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/engine/checks/review_settings.h"
#include "services/core/config/review_config.h"
#include "services/intake/subject_view.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

struct RepositoryChoice {
  // The packs that it uses, its default one first: some of those that the configuration allows. Empty: it does not say.
  std::vector<std::string> packs;
  bool dry_run = false;
  // There is a file that can't be used: what it was meant to forbid is unknown, so nothing is decided for good.
  bool broken = false;
  // What it says about reviews.
  rules::ReviewSettings review;
  ReviewNarrowing publishing;
  // All of it in a sentence, for explanations; empty if nothing is said.
  std::string why;
};

// The subject's number may be 0: what holds for all of the repository's issues. Errors are the view's.
using FindRepositoryChoice =
    std::function<absl::StatusOr<RepositoryChoice>(const v1::Subject& subject, SubjectView& view)>;

// Adds the choice to the steps of an explanation, in front, if it says anything.
void ExplainChoice(const RepositoryChoice& choice, v1::Plan& plan);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_REPOSITORY_CHOICE_H_
