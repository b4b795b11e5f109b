// Applies the edits of findings.
#ifndef YARDMASTER_SERVICES_REVIEW_EDITS_H_
#define YARDMASTER_SERVICES_REVIEW_EDITS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/checks/review.h"

namespace yardmaster {

struct EditedText {
  std::string text;
  size_t applied = 0;  // findings whose edits were applied
  size_t refused = 0;  // those whose edits overlap others or lie outside of the text: another run may do them
};

// The text with the edits of the findings, in their order; all edits of a finding or none. Findings without edits are
// passed over. Line ends of the text stay.
EditedText ApplyEdits(std::string_view text, const std::vector<const rules::Finding*>& findings);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_EDITS_H_
