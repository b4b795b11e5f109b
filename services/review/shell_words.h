// A shell command as words, as far as its text says. Nothing is run, and nothing is expanded.
#ifndef YARDMASTER_SERVICES_REVIEW_SHELL_WORDS_H_
#define YARDMASTER_SERVICES_REVIEW_SHELL_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster {

// A command longer than this is cut.
inline constexpr size_t kMaxShellBytes = 256 * 1024;
// Commands within commands.
inline constexpr int kMaxShellDepth = 8;

struct ShellToken {
  // kEnd: a simple command ends here. The word behind a redirection is what it leads to.
  enum class Kind : uint8_t { kWord, kEnd, kRedirectOut, kRedirectIn };
  Kind kind = Kind::kWord;
  std::string text;  // a word, quotes and escapes resolved
};

// Words, redirections and ends of simple commands. Commands in "$(…)" and backquotes are collected in `nested`; texts
// of here documents are skipped.
std::vector<ShellToken> ShellTokens(std::string_view command, std::vector<std::string>& nested);

// Where the verb of a simple command is: behind assignments and words that run other words (sudo, env, timeout 5, …).
// words.size() if there is none.
size_t ShellVerb(const std::vector<std::string>& words);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_SHELL_WORDS_H_
