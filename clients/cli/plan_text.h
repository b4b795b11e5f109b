// Decisions as people read them.
#ifndef YARDMASTER_CLIENTS_CLI_PLAN_TEXT_H_
#define YARDMASTER_CLIENTS_CLI_PLAN_TEXT_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "clients/cli/session.h"
#include "yardmaster/v1/ledger.pb.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster::cli {

struct PlanTextOptions {
  int columns = 0;  // 0: no limit
  bool color = false;
  // Everything: also the steps that were skipped, the labels that were not chosen, and up to 8 pieces of evidence for
  // a label. Without it the text is about what was decided, and fits on a screen.
  bool all = false;
};

// Labels with confidence, steps taken and skipped with their reasons, evidence with zone, matched text and points, what
// was suppressed, what would have changed the outcome. `title` is the issue's, empty if unknown. Everything from
// outside is made printable.
std::string PlanText(const v1::Plan& plan, std::string_view title, const PlanTextOptions& options);

// Prints a decision, as JSON or as text, and what it wrote; `effects` is null if nothing was to be written; `all` as in
// PlanTextOptions.
void PrintPlan(const v1::Plan& plan, std::string_view title,
               const google::protobuf::RepeatedPtrField<v1::Effect>* effects, bool all, Session& session);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_PLAN_TEXT_H_
