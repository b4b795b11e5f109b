// Which programs a shell command runs, as far as its text says, and how it ended.
#ifndef YARDMASTER_SERVICES_REVIEW_SHELL_RUNS_H_
#define YARDMASTER_SERVICES_REVIEW_SHELL_RUNS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster {

struct ShellRun {
  std::string folder;              // where `cd` led before it, as written; empty: where the command began
  std::vector<std::string> words;  // the verb and what follows; redirections are taken out
};

// What a host told of a command's end.
struct ShellResult {
  std::string output;
  std::optional<int> exit_code;
  bool failed = false;  // the host says so, without a code
};

// In order; also in `sh -c "…"`, `$(…)` and subshells. See shell_writes.h for what the text of a command doesn't say.
std::vector<ShellRun> ShellRuns(std::string_view command);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_SHELL_RUNS_H_
