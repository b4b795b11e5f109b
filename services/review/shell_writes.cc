#include "services/review/shell_writes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace yardmaster {
namespace {

// Commands within commands.
constexpr int kMaxShellDepth = 8;

struct Token {
  enum class Kind { kWord, kEnd, kRedirectOut, kRedirectIn };
  Kind kind = Kind::kWord;
  std::string text;
};

template <size_t N>
bool OneOf(std::string_view word, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Cuts a command line into words, redirections and ends of simple commands. Commands in "$(…)" and backquotes are
// collected in `nested`.
class Lexer {
 public:
  Lexer(std::string_view text, std::vector<std::string>& nested) : text_(text), nested_(nested) {}

  std::vector<Token> Run() {
    while (pos_ < text_.size()) Step();
    EndCommand();
    return std::move(tokens_);
  }

 private:
  char At(size_t offset) const { return pos_ + offset < text_.size() ? text_[pos_ + offset] : '\0'; }

  void EndWord() {
    if (in_word_) tokens_.push_back({Token::Kind::kWord, std::exchange(word_, "")});
    in_word_ = false;
  }
  void EndCommand() {
    EndWord();
    tokens_.push_back({Token::Kind::kEnd, ""});
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
          tokens_.push_back({Token::Kind::kRedirectOut, ""});
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
    // "2>" and "1>": the number is no word.
    if (in_word_ && std::all_of(word_.begin(), word_.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      word_.clear();
      in_word_ = false;
    }
    EndWord();
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
    tokens_.push_back({Token::Kind::kRedirectOut, ""});
  }

  void RedirectIn() {
    if (in_word_ && std::all_of(word_.begin(), word_.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      word_.clear();
      in_word_ = false;
    }
    EndWord();
    ++pos_;
    if (At(0) == '(') return;
    if (At(0) == '<' && At(1) == '<') {  // "<<< text"
      pos_ += 2;
      tokens_.push_back({Token::Kind::kRedirectIn, ""});
      return;
    }
    if (At(0) == '<') {
      ++pos_;
      HereDocument();
      return;
    }
    if (At(0) == '>') {
      ++pos_;
      tokens_.push_back({Token::Kind::kRedirectOut, ""});
      return;
    }
    if (At(0) == '&') ++pos_;
    tokens_.push_back({Token::Kind::kRedirectIn, ""});
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
  std::vector<Token> tokens_;
  std::vector<std::pair<std::string, bool>> here_documents_;
  std::string word_;
  size_t pos_ = 0;
  bool in_word_ = false;
};

// Paths that a program on the command line may write: its string literals that look like file names, if it opens
// something for writing at all.
void ProgramWrites(std::string_view program, std::vector<std::string>& out) {
  static constexpr std::array<std::string_view, 20> kWrites = {
      "write_text", "write_bytes", ".write(",    "writelines", "'w",         "\"w",       "'a",
      "\"a",        "writeFile",   "appendFile", "os.rename",  "os.replace", "os.remove", "unlink",
      "shutil.",    "truncate",    "'x'",        "\"x\"",      "'r+",        "\"r+"};
  if (std::none_of(kWrites.begin(), kWrites.end(),
                   [&](std::string_view mark) { return program.find(mark) != std::string_view::npos; })) {
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
  static constexpr std::array<std::string_view, 17> kPrefixes = {
      "sudo", "env",  "xargs", "time", "nohup", "nice", "command", "builtin", "exec",
      "then", "else", "do",    "if",   "while", "!",    "timeout", "stdbuf"};
  while (first_ < words_.size()) {
    const std::string& word = words_[first_];
    const size_t equals = word.find('=');
    const bool assignment = equals != std::string::npos && equals > 0 &&
                            std::all_of(word.begin(), word.begin() + static_cast<ptrdiff_t>(equals), [](char c) {
                              return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
                            });
    const bool behind_prefix =
        first_ > 0 &&
        (word.starts_with('-') || (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0));
    if (!assignment && !behind_prefix && !OneOf(word, kPrefixes)) break;
    ++first_;
  }
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
    const bool in_place = HasShortFlag('i') || std::any_of(words_.begin(), words_.end(), [](const std::string& word) {
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
  const std::vector<Token> tokens = Lexer(text, nested).Run();
  std::vector<std::string> words;
  bool target = false;
  bool source = false;
  for (const Token& token : tokens) {
    switch (token.kind) {
      case Token::Kind::kRedirectOut:
        target = true;
        break;
      case Token::Kind::kRedirectIn:
        source = true;
        break;
      case Token::Kind::kWord:
        if (target) {
          out.push_back(token.text);
        } else if (!source) {
          words.push_back(token.text);
        }
        target = source = false;
        break;
      case Token::Kind::kEnd:
        if (!words.empty()) Command(std::exchange(words, {}), depth, out).Run();
        target = source = false;
        break;
    }
  }
  for (const std::string& command : nested) Collect(command, depth + 1, out);
}

}  // namespace

std::vector<std::string> ShellWrites(std::string_view command) {
  std::vector<std::string> all;
  Collect(command.substr(0, kMaxShellBytes), 0, all);
  std::vector<std::string> paths;
  for (std::string& path : all) {
    if (!path.empty() && std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace yardmaster
