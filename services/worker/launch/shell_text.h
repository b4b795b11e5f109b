// Texts for bash that mean exactly what they say.
#ifndef YARDMASTER_SERVICES_WORKER_LAUNCH_SHELL_TEXT_H_
#define YARDMASTER_SERVICES_WORKER_LAUNCH_SHELL_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/suite_model.h"

namespace yardmaster::worker {

// One word, as bash reads it back: 'it'\''s'.
std::string ShellQuoted(std::string_view word);

// Lines that source `scripts` and then take `unset` away. Sourced without `set -u` and `set -e`, since the set-up
// scripts of toolkits stand neither; one that is missing or fails ends the shell with its name and code 127.
std::string SetUpLines(const std::vector<std::string>& scripts, const std::vector<std::string>& unset);

// The arguments that start `command` after the set-up. Words without any set-up are started as they are, so that a
// missing program is known exactly.
std::vector<std::string> CommandArguments(const rules::CommandLine& command, const std::vector<std::string>& scripts,
                                          const std::vector<std::string>& unset);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_LAUNCH_SHELL_TEXT_H_
