// What the files that a pull request changes may break, by the profile's globs.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_CHANGED_FILES_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_CHANGED_FILES_H_

#include <string>
#include <vector>

#include "rules/engine/pipeline/profile.h"

namespace yardmaster::rules {

// A change there may break anything.
bool IsBuildInput(const PipelineProfile& profile, const std::string& path);
// A change there breaks no test.
bool IsInert(const PipelineProfile& profile, const std::string& path);
// Whether all files of a list break no test; false for none.
bool AllInert(const PipelineProfile& profile, const std::vector<std::string>& files);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_CHANGED_FILES_H_
