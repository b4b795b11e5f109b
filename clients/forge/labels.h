// Names of labels, which forges compare without case.
#ifndef YARDMASTER_CLIENTS_FORGE_LABELS_H_
#define YARDMASTER_CLIENTS_FORGE_LABELS_H_

#include <string_view>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "services/core/absl_view.h"

namespace yardmaster {

inline bool SameLabel(std::string_view a, std::string_view b) { return absl::EqualsIgnoreCase(Abs(a), Abs(b)); }

// Whether a list of labels has one.
template <typename List>
bool HasLabel(const List& labels, std::string_view label) {
  return absl::c_any_of(labels, [label](std::string_view one) { return SameLabel(one, label); });
}

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_LABELS_H_
