// Which files of a repository a test reaches: by the imports of Python, read from the sources. What can't be read off
// them (a module that is named at run time, a program that is started) makes the answer unknown, never "no".
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_REACH_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_REACH_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rules/engine/checks/review_tree.h"
#include "rules/engine/pipeline/profile.h"
#include "rules/engine/pipeline/signals.h"

namespace yardmaster::rules {

// Files that one test may reach, beyond which nothing is said.
inline constexpr size_t kMaxReachedFiles = 2'000;

// Of the test files whose failure the newest logs of the pull request tell, as the logs name them: those for which it
// matters whether they reach what it changes. None where nothing could follow from it: it changes files whose effect
// imports do not tell, or what every test stands on.
std::set<std::string> TestsToReach(const PipelineProfile& profile, const PipelineSignals& signals);

// The files that are run when the test file is: itself, what it imports, in whatever function or branch, and the
// conftest.py of its folders; sorted. nullopt: not known. `why` says then why. `test_file`: as a log names it; the tree
// has exactly one file whose path ends so. Asks for the head side of the tree.
std::optional<std::vector<std::string>> ReachOf(ReviewTree& tree, const std::string& test_file, std::string& why);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_REACH_H_
