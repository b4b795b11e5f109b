// Where git finds pull requests.
#ifndef YARDMASTER_CLIENTS_FORGE_PULL_REF_H_
#define YARDMASTER_CLIENTS_FORGE_PULL_REF_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "services/core/absl_view.h"

namespace yardmaster {

// The ref of a pull request's head. `pull_ref` is that of a ForgeProfile: "{}" in it stands for the number.
inline std::string PullRefOf(std::string_view pull_ref, int64_t number) {
  return absl::StrReplaceAll(Abs(pull_ref), {{"{}", absl::StrCat(number)}});
}

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_PULL_REF_H_
