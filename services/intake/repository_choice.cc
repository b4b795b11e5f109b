#include "services/intake/repository_choice.h"

namespace yardmaster {

void ExplainChoice(const RepositoryChoice& choice, v1::Plan& plan) {
  if (choice.why.empty()) return;
  v1::StepOutcome first;
  first.set_id("repository-file");
  first.set_taken(true);
  first.set_why(choice.why);
  auto& steps = *plan.mutable_explanation()->mutable_steps();
  *steps.Add() = first;
  for (int i = steps.size() - 1; i > 0; --i) steps.SwapElements(i, i - 1);
}

}  // namespace yardmaster
