// What the output of a test says to its author: the verdict, how the operator stands, what comes next. Which
// programs and markers count, and the words, are lists of the pack. Pure.
#ifndef YARDMASTER_SERVICES_REVIEW_RUN_VERDICT_H_
#define YARDMASTER_SERVICES_REVIEW_RUN_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/checks/check_set.h"
#include "services/review/block_text.h"
#include "services/review/file_sets.h"
#include "services/review/shell_runs.h"

namespace yardmaster {

// kFailed: a marker of failure, whatever else is there. kPassed: a marker of success. kDied: neither, and the program
// ended with an error. kSilent: neither, and nothing went wrong: the run shows nothing.
enum class RunVerdict : uint8_t { kFailed, kPassed, kDied, kSilent };

// The files that a command runs and whose output is judged, relative paths as `cd` and the words say: programs of the
// pack's list "run_verbs" (also with a version behind) with a file of a role in "run_roles".
std::vector<std::string> JudgedRuns(const rules::CheckSet& pack, const RoleTable& roles,
                                    const std::vector<ShellRun>& runs);

// By the markers of the pack's lists "run_fail" and "run_pass".
RunVerdict JudgeRun(const rules::CheckSet& pack, const ShellResult& result);

// Whether a verdict stops the writer.
inline bool IsNegative(RunVerdict verdict) { return verdict == RunVerdict::kFailed || verdict == RunVerdict::kDied; }

// How an operator stands, by its state file: "stage 5, phase M2", as the pack's list "run_state" asks for it: entries
// "name /pointer", in which {name} stands for the value of an earlier one. Values that are not there are left out.
std::string StateText(const rules::CheckSet& pack, std::string_view state_file);

// The answer:
//
//   [pack] precision_fail: custom/demo/test_demo.py (exit code 1)
//   state: stage 5, phase M2
//   next: …
//
// Names of verdicts are the pack's list "run_verdicts", what comes next "run_next_en" and "run_next_zh", in the order
// of RunVerdict. `state` may be empty.
std::string RunText(const rules::CheckSet& pack, RunVerdict verdict, const ShellResult& result,
                    const std::vector<std::string>& files, const std::string& state, TextLanguage language);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_RUN_VERDICT_H_
