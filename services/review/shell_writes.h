// Which files a shell command writes, as far as its text says. Nothing is run or looked at.
#ifndef YARDMASTER_SERVICES_REVIEW_SHELL_WRITES_H_
#define YARDMASTER_SERVICES_REVIEW_SHELL_WRITES_H_

#include <string>
#include <string_view>
#include <vector>

namespace yardmaster {

// Paths as written, quotes and escapes resolved, each once, in order: targets of redirections (also "<>", ">|", "&>"),
// and what tee, cp, mv, install, ln, rm, truncate, dd, touch, patch, `sed -i`, `perl -i` and interpreters with a
// program on the command line (python -c, node -e, …: string literals of a program that opens for writing, when they
// name a file) would write, move or remove. A directory as the target of cp, mv or install gives the file within it.
// Also in `sh -c "…"`, `$(…)`, subshells and behind sudo, env, xargs and the like. Texts of here documents are not
// commands.
//
// The text of a command does not say everything: variables stay as they are ("$OUT/x"), a script on disk may do
// anything. This is a guard against habits, not against people who mean to get around it.
std::vector<std::string> ShellWrites(std::string_view command);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_SHELL_WRITES_H_
