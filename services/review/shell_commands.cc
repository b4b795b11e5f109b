#include "services/review/shell_commands.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "absl/algorithm/container.h"

namespace yardmaster {
namespace {

class Lexer {
 public:
  Lexer(std::string_view text, std::vector<std::string>& nested) : text_(text), nested_(nested) {}

  std::vector<ShellCommand> Run() {
    while (pos_ < text_.size()) Step();
    EndCommand();
    return std::move(commands_);
  }

 private:
  char At(size_t offset) const { return pos_ + offset < text_.size() ? text_[pos_ + offset] : '\0'; }

  // What the next word is for the command.
  enum class Next : uint8_t { kWord, kOutput, kInput };

  void EndWord() {
    if (!in_word_) return;
    if (next_ == Next::kOutput) command_.outputs.push_back(std::move(word_));
    if (next_ == Next::kWord) command_.words.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
    next_ = Next::kWord;
  }
  void EndCommand() {
    EndWord();
    commands_.push_back(std::exchange(command_, {}));
    next_ = Next::kWord;
  }
  // "2>" and "1<": the number is no word.
  void DropDescriptor() {
    if (in_word_ && absl::c_all_of(word_, [](char c) { return c >= '0' && c <= '9'; })) {
      word_.clear();
      in_word_ = false;
    }
    EndWord();
  }
  void Add(char c) {
    in_word_ = true;
    word_ += c;
  }

  void Step() {
    const char c = text_[pos_];
    switch (c) {
      case '\\':
        if (At(1) != '\n' && At(1) != '\0') Add(At(1));
        pos_ += 2;
        return;
      case '\'':
        SingleQuoted();
        return;
      case '"':
        DoubleQuoted();
        return;
      case '`':
        Backquoted();
        return;
      case '$':
        if (At(1) == '(' && At(2) != '(') {
          Substitution();
          return;
        }
        Add(c);
        ++pos_;
        return;
      case ' ':
      case '\t':
      case '\r':
        EndWord();
        ++pos_;
        return;
      case '\n':
        EndCommand();
        ++pos_;
        SkipHereDocuments();
        return;
      case '#':
        if (in_word_) {
          Add(c);
          ++pos_;
        } else {
          pos_ = std::min(text_.find('\n', pos_), text_.size());
        }
        return;
      case ';':
      case '|':
      case '(':
      case ')':
        EndCommand();
        ++pos_;
        return;
      case '{':
      case '}':
        // A brace of its own groups; within a word it is text.
        if (!in_word_ && (std::isspace(static_cast<unsigned char>(At(1))) != 0 || At(1) == '\0' || At(1) == ';')) {
          EndCommand();
        } else {
          Add(c);
        }
        ++pos_;
        return;
      case '&':
        if (At(1) == '>') {
          EndWord();
          pos_ += At(2) == '>' ? 3 : 2;
          next_ = Next::kOutput;
          return;
        }
        EndCommand();
        ++pos_;
        return;
      case '>':
        RedirectOut();
        return;
      case '<':
        RedirectIn();
        return;
      default:
        Add(c);
        ++pos_;
    }
  }

  void SingleQuoted() {
    in_word_ = true;
    const size_t end = std::min(text_.find('\'', pos_ + 1), text_.size());
    word_.append(text_.substr(pos_ + 1, end - pos_ - 1));
    pos_ = end + 1;
  }

  void DoubleQuoted() {
    in_word_ = true;
    ++pos_;
    while (pos_ < text_.size() && text_[pos_] != '"') {
      if (text_[pos_] == '\\' && pos_ + 1 < text_.size()) {
        static constexpr std::string_view kEscapable = "\\\"$`";
        if (kEscapable.find(text_[pos_ + 1]) == std::string_view::npos) word_ += '\\';
        word_ += text_[pos_ + 1];
        pos_ += 2;
      } else if (text_[pos_] == '$' && At(1) == '(' && At(2) != '(') {
        Substitution();
      } else {
        word_ += text_[pos_++];
      }
    }
    ++pos_;
  }

  void Backquoted() {
    in_word_ = true;
    const size_t end = std::min(text_.find('`', pos_ + 1), text_.size());
    nested_.emplace_back(text_.substr(pos_ + 1, end - pos_ - 1));
    pos_ = end + 1;
  }

  // From "$(" to its ")": what is between is a command of its own.
  void Substitution() {
    in_word_ = true;
    pos_ += 2;
    const size_t begin = pos_;
    int depth = 1;
    char quote = '\0';
    for (; pos_ < text_.size() && depth > 0; ++pos_) {
      const char c = text_[pos_];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')') {
        --depth;
      }
    }
    nested_.emplace_back(text_.substr(begin, pos_ - begin - (depth == 0 ? 1 : 0)));
  }

  void RedirectOut() {
    DropDescriptor();
    ++pos_;
    if (At(0) == '(') return;  // ">(command)"
    if (At(0) == '>' || At(0) == '|') ++pos_;
    if (At(0) == '&') {
      // ">&2" copies a descriptor; ">& file" is a file.
      const char next = At(1);
      if ((next >= '0' && next <= '9') || next == '-') {
        pos_ += 2;
        return;
      }
      ++pos_;
    }
    next_ = Next::kOutput;
  }

  void RedirectIn() {
    DropDescriptor();
    ++pos_;
    if (At(0) == '(') return;
    if (At(0) == '<' && At(1) == '<') {  // "<<< text"
      pos_ += 2;
      next_ = Next::kInput;
      return;
    }
    if (At(0) == '<') {
      ++pos_;
      HereDocument();
      return;
    }
    if (At(0) == '>') {
      ++pos_;
      next_ = Next::kOutput;
      return;
    }
    if (At(0) == '&') ++pos_;
    next_ = Next::kInput;
  }

  // Behind "<<": the word that will end the text.
  void HereDocument() {
    const bool dash = At(0) == '-';
    if (dash) ++pos_;
    while (At(0) == ' ' || At(0) == '\t') ++pos_;
    std::string word;
    char quote = '\0';
    for (; pos_ < text_.size(); ++pos_) {
      const char c = text_[pos_];
      if (quote != '\0') {
        if (c == quote) {
          quote = '\0';
        } else {
          word += c;
        }
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '\\') {
        continue;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ';' || c == '|' || c == '&' || c == ')' ||
                 c == '>' || c == '<') {
        break;
      } else {
        word += c;
      }
    }
    if (!word.empty()) here_documents_.emplace_back(std::move(word), dash);
  }

  void SkipHereDocuments() {
    for (const auto& [word, dash] : std::exchange(here_documents_, {})) {
      while (pos_ < text_.size()) {
        const size_t end = std::min(text_.find('\n', pos_), text_.size());
        std::string_view line = text_.substr(pos_, end - pos_);
        pos_ = std::min(end + 1, text_.size());
        if (line.ends_with('\r')) line.remove_suffix(1);
        while (dash && line.starts_with('\t')) line.remove_prefix(1);
        if (line == word) break;
      }
    }
  }

  const std::string_view text_;
  std::vector<std::string>& nested_;
  std::vector<ShellCommand> commands_;
  ShellCommand command_;
  Next next_ = Next::kWord;
  std::vector<std::pair<std::string, bool>> here_documents_;
  std::string word_;
  size_t pos_ = 0;
  bool in_word_ = false;
};

}  // namespace

std::vector<ShellCommand> ShellCommands(std::string_view line, std::vector<std::string>& nested) {
  return Lexer(line, nested).Run();
}

size_t ShellVerb(const std::vector<std::string>& words) {
  size_t first = 0;
  static constexpr std::array<std::string_view, 17> kPrefixes = {
      "sudo", "env",  "xargs", "time", "nohup", "nice", "command", "builtin", "exec",
      "then", "else", "do",    "if",   "while", "!",    "timeout", "stdbuf"};
  while (first < words.size()) {
    const std::string& word = words[first];
    const size_t equals = word.find('=');
    const bool assignment = equals != std::string::npos && equals > 0 &&
                            std::all_of(word.begin(), word.begin() + static_cast<ptrdiff_t>(equals), [](char c) {
                              return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
                            });
    const bool behind_prefix = first > 0 && (word.starts_with('-') ||
                                             (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0));
    if (!assignment && !behind_prefix && !absl::c_linear_search(kPrefixes, word)) break;
    ++first;
  }
  return first;
}

}  // namespace yardmaster
