#include "rules/engine/pipeline/changed_files.h"

#include "absl/algorithm/container.h"
#include "services/core/glob.h"

namespace yardmaster::rules {
namespace {

bool AnyGlob(const std::vector<std::string>& globs, const std::string& path) {
  return absl::c_any_of(globs, [&](const std::string& glob) { return MatchesGlob(glob, path); });
}

}  // namespace

bool IsBuildInput(const PipelineProfile& profile, const std::string& path) {
  return AnyGlob(profile.build_inputs, path);
}

bool IsInert(const PipelineProfile& profile, const std::string& path) { return AnyGlob(profile.inert_files, path); }

bool AllInert(const PipelineProfile& profile, const std::vector<std::string>& files) {
  return !files.empty() && absl::c_all_of(files, [&](const std::string& file) { return IsInert(profile, file); });
}

}  // namespace yardmaster::rules
