// A shell command as words, as far as its text says. Nothing is run, and nothing is expanded.
#ifndef YARDMASTER_SERVICES_REVIEW_SHELL_COMMANDS_H_
#define YARDMASTER_SERVICES_REVIEW_SHELL_COMMANDS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster {

// A command longer than this is cut.
inline constexpr size_t kMaxShellBytes = 256 * 1024;
// Commands within commands.
inline constexpr int kMaxShellDepth = 8;

// A simple command, quotes and escapes resolved.
struct ShellCommand {
  std::vector<std::string> words;
  std::vector<std::string> outputs;  // what is redirected into them
};

// The simple commands of a command line, in order. Commands in "$(…)" and backquotes are collected in `nested`; texts
// of here documents are skipped.
std::vector<ShellCommand> ShellCommands(std::string_view line, std::vector<std::string>& nested);

// Where the verb of a simple command is: behind assignments and words that run other words (sudo, env, timeout 5, …).
// words.size() if there is none.
size_t ShellVerb(const std::vector<std::string>& words);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_SHELL_COMMANDS_H_
