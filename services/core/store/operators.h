// Operators: what reviews remember about an operator from one submission to the next.
#ifndef YARDMASTER_SERVICES_CORE_STORE_OPERATORS_H_
#define YARDMASTER_SERVICES_CORE_STORE_OPERATORS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace yardmaster::store {

// Thread-safe. Functions that write return after the commit and wait for it; they must not be called from a callback of
// the store. The state is the caller's text; the store does not look into it.
class Operators {
 public:
  virtual ~Operators() = default;

  // Keeps the state of an operator in the place of its last one. INVALID_ARGUMENT for a name over kMaxNameBytes or a
  // state over kMaxOperatorStateBytes.
  virtual absl::Status Put(std::string_view pack, std::string_view name, std::string_view state) = 0;
  // nullopt for an operator that was never put.
  virtual absl::StatusOr<std::optional<std::string>> Get(std::string_view pack, std::string_view name) = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_OPERATORS_H_
