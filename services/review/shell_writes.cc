#include "services/review/shell_writes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/review/shell_commands.h"

namespace yardmaster {
namespace {

template <size_t N>
bool OneOf(std::string_view word, const std::array<std::string_view, N>& list) {
  return absl::c_linear_search(list, word);
}

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Paths that a program on the command line may write: its string literals that look like file names, if it opens
// something for writing at all.
void ProgramWrites(std::string_view program, std::vector<std::string>& out) {
  static constexpr std::array<std::string_view, 20> kWrites = {
      "write_text", "write_bytes", ".write(",    "writelines", "'w",         "\"w",       "'a",
      "\"a",        "writeFile",   "appendFile", "os.rename",  "os.replace", "os.remove", "unlink",
      "shutil.",    "truncate",    "'x'",        "\"x\"",      "'r+",        "\"r+"};
  if (absl::c_none_of(kWrites, [&](std::string_view mark) { return program.find(mark) != std::string_view::npos; })) {
    return;
  }
  for (size_t i = 0; i < program.size(); ++i) {
    const char quote = program[i];
    if (quote != '\'' && quote != '"') continue;
    const size_t end = program.find(quote, i + 1);
    if (end == std::string_view::npos) break;
    const std::string_view literal = program.substr(i + 1, end - i - 1);
    const size_t dot = literal.rfind('.');
    const bool looks_like_file = literal.size() < 512 && dot != std::string_view::npos && dot + 1 < literal.size() &&
                                 literal.find_first_of(" \n\t") == std::string_view::npos;
    if (looks_like_file) out.emplace_back(literal);
    i = end;
  }
}

// One simple command, its redirections taken out.
class Command {
 public:
  Command(std::vector<std::string> words, int depth, std::vector<std::string>& out)
      : words_(std::move(words)), depth_(depth), out_(out) {}

  void Run();

 private:
  // Words that are no options, behind the verb; options in `with_value` take the next word.
  template <size_t N>
  std::vector<std::string> Operands(const std::array<std::string_view, N>& with_value) const {
    std::vector<std::string> operands;
    bool options = true;
    for (size_t i = first_ + 1; i < words_.size(); ++i) {
      const std::string& word = words_[i];
      if (options && word == "--") {
        options = false;
      } else if (options && word.size() > 1 && word[0] == '-') {
        if (OneOf(word, with_value)) ++i;
      } else {
        operands.push_back(word);
      }
    }
    return operands;
  }
  // The value of an option "-t DIR", "--target-directory=DIR".
  std::optional<std::string> Option(std::string_view letter, std::string_view name) const {
    for (size_t i = first_ + 1; i < words_.size(); ++i) {
      const std::string_view word = words_[i];
      if ((word == letter || word == name) && i + 1 < words_.size()) return words_[i + 1];
      if (!name.empty() && word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=')
        return std::string(word.substr(name.size() + 1));
    }
    return std::nullopt;
  }
  bool HasShortFlag(char flag) const {
    return std::any_of(words_.begin() + static_cast<ptrdiff_t>(first_) + 1, words_.end(), [&](const std::string& word) {
      return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.find(flag) != std::string::npos;
    });
  }
  void Copy(bool removes_sources);

  const std::vector<std::string> words_;
  const int depth_;
  std::vector<std::string>& out_;
  size_t first_ = 0;
};

void Collect(std::string_view text, int depth, std::vector<std::string>& out);

void Command::Copy(bool removes_sources) {
  static constexpr std::array<std::string_view, 8> kValued = {
      "-t", "--target-directory", "-m", "--mode", "--suffix", "-S", "--owner", "--group"};
  std::vector<std::string> operands = Operands(kValued);
  std::optional<std::string> target = Option("-t", "--target-directory");
  const bool in_folder = target.has_value();
  if (!target.has_value()) {
    if (operands.size() < 2) {
      // "ln -s target" makes a link of that name here.
      for (const std::string& operand : operands) out_.emplace_back(BaseName(operand));
      return;
    }
    target = operands.back();
    operands.pop_back();
  }
  if (!in_folder) out_.push_back(*target);
  for (const std::string& source : operands) {
    // Whether the target is a folder is not in the text: both are told.
    const std::string folder = target->ends_with('/') ? target->substr(0, target->size() - 1) : *target;
    out_.push_back(folder + "/" + std::string(BaseName(source)));
    if (removes_sources) out_.push_back(source);
  }
}

void Command::Run() {
  // 1. Past assignments and words that run other words.
  first_ = ShellVerb(words_);
  if (first_ >= words_.size()) return;

  // 2. What this verb writes.
  const std::string_view verb = BaseName(words_[first_]);
  static constexpr std::array<std::string_view, 0> kNone = {};
  if (verb == "tee") {
    for (std::string& path : Operands(kNone)) out_.push_back(std::move(path));
  } else if (verb == "cp" || verb == "install" || verb == "ln" || verb == "rsync") {
    Copy(false);
  } else if (verb == "mv") {
    Copy(true);
  } else if (verb == "rm" || verb == "unlink" || verb == "touch" || verb == "shred") {
    for (std::string& path : Operands(kNone)) out_.push_back(std::move(path));
  } else if (verb == "truncate") {
    static constexpr std::array<std::string_view, 4> kSize = {"-s", "--size", "-r", "--reference"};
    for (std::string& path : Operands(kSize)) out_.push_back(std::move(path));
  } else if (verb == "dd") {
    for (const std::string& word : words_) {
      if (word.starts_with("of=")) out_.push_back(word.substr(3));
    }
  } else if (verb == "sed" || verb == "perl" || verb == "ruby") {
    const bool in_place = HasShortFlag('i') || absl::c_any_of(words_, [](const std::string& word) {
                            return word.starts_with("--in-place");
                          });
    if (!in_place) return;
    static constexpr std::array<std::string_view, 5> kScript = {"-e", "--expression", "-f", "--file", "-E"};
    for (std::string& path : Operands(kScript)) out_.push_back(std::move(path));
  } else if (verb == "patch") {
    static constexpr std::array<std::string_view, 6> kValued = {"-i", "--input", "-p", "-d", "--directory", "-o"};
    std::vector<std::string> operands = Operands(kValued);
    if (!operands.empty()) out_.push_back(std::move(operands.front()));
    if (std::optional<std::string> output = Option("-o", "--output"); output.has_value())
      out_.push_back(*std::move(output));
  } else if (verb == "git") {
    // Puts an older version in the place of a file.
    if (first_ + 1 < words_.size() && (words_[first_ + 1] == "checkout" || words_[first_ + 1] == "restore")) {
      for (std::string& path : Operands(kNone)) out_.push_back(std::move(path));
    }
  } else if (verb == "sh" || verb == "bash" || verb == "zsh" || verb == "dash" || verb == "eval") {
    for (size_t i = first_ + 1; i < words_.size(); ++i) {
      const bool command_option = words_[i].size() > 1 && words_[i][0] == '-' && words_[i].ends_with('c');
      if (verb == "eval") {
        Collect(words_[i], depth_ + 1, out_);
      } else if (command_option && i + 1 < words_.size()) {
        Collect(words_[i + 1], depth_ + 1, out_);
        break;
      }
    }
  }
  if (verb.starts_with("python") || verb == "node" || verb == "perl" || verb == "ruby") {
    for (size_t i = first_ + 1; i + 1 < words_.size(); ++i) {
      if (words_[i] == "-c" || words_[i] == "-e") ProgramWrites(words_[i + 1], out_);
    }
  }
}

void Collect(std::string_view text, int depth, std::vector<std::string>& out) {
  if (depth > kMaxShellDepth) return;
  std::vector<std::string> nested;
  for (ShellCommand& command : ShellCommands(text, nested)) {
    out.insert(out.end(), command.outputs.begin(), command.outputs.end());
    if (!command.words.empty()) Command(std::move(command.words), depth, out).Run();
  }
  for (const std::string& command : nested) Collect(command, depth + 1, out);
}

}  // namespace

std::vector<std::string> ShellWrites(std::string_view command) {
  std::vector<std::string> all;
  Collect(command.substr(0, kMaxShellBytes), 0, all);
  std::vector<std::string> paths;
  for (std::string& path : all) {
    if (!path.empty() && !absl::c_linear_search(paths, path)) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace yardmaster
