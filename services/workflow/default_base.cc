#include "services/workflow/default_base.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"

namespace yardmaster::workflow {

absl::StatusOr<std::string> DefaultBase(GitClone& clone) {
  for (const std::string_view remote : {"upstream", "origin"}) {
    for (const std::string_view name : {"HEAD", "main", "master", "develop"}) {
      ASSIGN_OR_RETURN(std::string id, clone.Ref(absl::StrCat("refs/remotes/", Abs(remote), "/", Abs(name))));
      if (!id.empty()) return id;
    }
  }
  return std::string();
}

}  // namespace yardmaster::workflow
