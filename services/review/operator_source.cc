#include "services/review/operator_source.h"

#include <re2/re2.h>

#include "absl/strings/ascii.h"
#include "services/core/config/pack_choice.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/repository_name.h"
#include "services/core/status_macros.h"

namespace yardmaster {
absl::StatusOr<GitFolder> OperatorSource::Read(const OperatorPlace& place, const std::string& pack,
                                               const std::function<absl::Status()>& alive) const {
  // 1. The place.
  const size_t colon = place.repository.find(':');
  const std::string forge = place.repository.substr(0, colon);
  const std::string name = colon == std::string::npos ? std::string() : place.repository.substr(colon + 1);
  if (forge.empty() || !IsRepositoryName(name)) {
    return errors::FieldInvalid("repository", "a repository of a forge, as \"github:owner/name\"");
  }
  GitFolderRequest request;
  request.repository = name;
  request.commit = absl::AsciiStrToLower(place.commit);
  static const RE2 kFull("[0-9a-f]{40}");
  if (!RE2::FullMatch(request.commit, kFull)) return errors::FieldInvalid("commit", "a commit in full: 40 hex digits");
  request.folder = place.directory;
  request.max_files = kMaxOperatorFiles;
  request.max_bytes = kMaxOperatorBytes;
  request.alive = alive;

  // 2. Whether it is any of ours.
  const auto remote = remotes_.find(forge);
  if (remote == remotes_.end()) return errors::ForgeNotConfigured(forge);
  ASSIGN_OR_RETURN(const std::string allowed, ChoosePack(config_, forge, name, pack));
  if (remote->second == nullptr) return errors::GitServerNotHttp(forge);
  return remote->second->ReadFolder(request);
}

}  // namespace yardmaster
