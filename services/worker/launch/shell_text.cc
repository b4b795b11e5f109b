#include "services/worker/launch/shell_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "services/core/absl_view.h"

namespace yardmaster::worker {

std::string ShellQuoted(std::string_view word) {
  return absl::StrCat("'", absl::StrReplaceAll(Abs(word), {{"'", "'\\''"}}), "'");
}

std::string SetUpLines(const std::vector<std::string>& scripts, const std::vector<std::string>& unset) {
  std::string out;
  // A sourced script sees the shell's arguments as its own.
  if (!scripts.empty()) out += "yard_words=(\"$@\"); set --\n";
  for (const std::string& script : scripts) {
    const std::string quoted = ShellQuoted(script);
    // A toolkit's script may end with any code and still have done its work, so only one that can't be read is an
    // error.
    out += absl::StrCat("if [ ! -r ", quoted, " ]; then echo ", ShellQuoted("set-up script not found: " + script),
                        " >&2; exit 127; fi\n. ", quoted, "\n");
  }
  if (!scripts.empty()) out += "set -- \"${yard_words[@]}\"; unset -v yard_words\n";
  for (const std::string& name : unset) absl::StrAppend(&out, "unset -v ", ShellQuoted(name), "\n");
  return out;
}

std::vector<std::string> CommandArguments(const rules::CommandLine& command, const std::vector<std::string>& scripts,
                                          const std::vector<std::string>& unset) {
  const bool set_up = !scripts.empty() || !unset.empty();
  if (command.words.empty()) return {"bash", "-c", SetUpLines(scripts, unset) + command.shell};
  if (!set_up) return command.words;
  std::vector<std::string> arguments = {"bash", "-c", SetUpLines(scripts, unset) + "exec \"$@\"", "bash"};
  arguments.insert(arguments.end(), command.words.begin(), command.words.end());
  return arguments;
}

}  // namespace yardmaster::worker
