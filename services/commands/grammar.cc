#include "services/commands/grammar.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "services/commands/binder.h"
#include "services/commands/command_lines.h"
#include "services/commands/line_tokens.h"
#include "services/commands/problem_texts.h"
#include "services/core/absl_view.h"
#include "services/core/characters.h"
#include "services/core/limits.h"
#include "services/core/readable.h"
#include "services/core/short_digest.h"

namespace yardmaster::commands {
namespace {

using rules::CommandMatch;
using rules::CommandTable;

// Words of which a command's name consists at most.
constexpr size_t kMaxNameWords = 4;
// Unknown words of one text that are compared with all known ones.
constexpr size_t kMaxComparisons = 50;
// Shorter words are close to everything.
constexpr size_t kMinWordToCompare = 3;

bool IsNameChar(char c) { return absl::ascii_isalnum(c) || c == '-' || c == '_'; }
// "[" and "]": GitHub's Apps are called "name[bot]".
bool IsLoginChar(char c) { return IsNameChar(c) || c == '.' || c == '[' || c == ']'; }

// Reads one line after the other.
class LineReader {
 public:
  LineReader(const CommandTable& table, const std::vector<std::string>& logins, const std::vector<std::string>& bots)
      : table_(table), logins_(logins), bots_(bots) {}

  enum class Result : uint8_t { kNothing, kOurs, kOtherBots };

  // `line` begins with the slash or the mention. Fills in all of `out` but its place in the text; for other bots,
  // `bot` is set.
  Result Read(std::string_view line, ParsedCommand& out, std::string& bot) {
    line_ = line;
    const Character first = CharacterAt(line, 0);
    if (AsciiOf(first.code) == '/') return ReadSlash(first.length, false, out, bot);
    return ReadMention(first.length, out, bot);
  }

  // Where the request of a kRequest begins.
  size_t request_begin() const { return request_begin_; }

 private:
  Result ReadMention(size_t pos, ParsedCommand& out, std::string& bot) {
    std::string login;
    while (pos < line_.size() && login.size() <= kMaxNameBytes) {
      const Character c = CharacterAt(line_, pos);
      const char ascii = AsciiOf(c.code);
      if (!IsLoginChar(ascii)) break;
      // A name at the end of a sentence.
      const size_t next = pos + c.length;
      if (ascii == '.' && (next == line_.size() || !IsNameChar(AsciiOf(CharacterAt(line_, next).code)))) break;
      login += ascii;
      pos = next;
    }
    login = Lower(login);
    if (!IsBot(login)) {
      if (!table_.IsOtherBotsLogin(login)) return Result::kNothing;
      bot = "@" + login;
      return Result::kOtherBots;
    }
    out.mention = true;
    // "@bot: squash", "@bot，/squash"
    while (pos < line_.size()) {
      const Character c = CharacterAt(line_, pos);
      const char ascii = AsciiOf(c.code);
      if (!IsBlank(c.code) && ascii != ',' && ascii != ':' && ascii != '!' && ascii != '.') break;
      pos += c.length;
    }
    request_begin_ = pos;
    if (pos < line_.size()) {
      const Character c = CharacterAt(line_, pos);
      const size_t next = pos + c.length;
      if (AsciiOf(c.code) == '/' && next < line_.size() &&
          absl::ascii_isalpha(AsciiOf(CharacterAt(line_, next).code))) {
        const Result result = ReadSlash(next, true, out, bot);
        if (result != Result::kNothing) return result;
      } else if (ReadBare(pos, out)) {
        return Result::kOurs;
      }
    }
    out = ParsedCommand();
    out.mention = true;
    out.kind = ParsedCommand::Kind::kRequest;
    return Result::kOurs;
  }

  bool IsBot(std::string_view login) const {
    constexpr std::string_view kSuffix = "[bot]";
    if (login.empty()) return false;
    return absl::c_any_of(logins_, [&](std::string_view known) {
      if (known == login) return true;
      return known.size() == login.size() + kSuffix.size() && known.substr(login.size()) == kSuffix &&
             known.substr(0, login.size()) == login;
    });
  }

  // `pos` is behind the slash, before a letter.
  Result ReadSlash(size_t pos, bool addressed, ParsedCommand& out, std::string& bot) {
    // The name ends before the first character that no name has.
    std::string name;
    size_t end = pos;
    while (end < line_.size() && name.size() <= kMaxNameBytes) {
      const Character c = CharacterAt(line_, end);
      const char ascii = AsciiOf(c.code);
      if (ascii == 0 || ascii == ' ' || ascii == '\t' || ascii == ',' || ascii == '(' || ascii == ':') break;
      name += ascii;
      end += c.length;
    }
    TrimName(name);
    if (IsOtherBotsCommand(name)) {
      bot = "/" + Readable(name);
      return Result::kOtherBots;
    }
    out.name = Lower(name);
    // Paths, regular expressions, dates: no command.
    const bool is_name = absl::c_all_of(name, IsNameChar);
    const bool garbled = !is_name && absl::c_all_of(name, [](char c) {
      return IsNameChar(c) || c == '@' || c == '?' || c == '!' || c == '+' || c == '*';
    });
    if (!is_name && !garbled && !addressed) return Result::kNothing;

    if (line_.size() > kMaxCommandLineBytes || !IsValidUtf8(line_)) {
      const std::array<std::string_view, 1> words = {name};
      const std::vector<CommandMatch> matches = table_.FindWords(words);
      if (matches.empty() && !table_.IsPrefix(name) && !addressed) return Result::kNothing;
      out.kind = matches.empty() ? ParsedCommand::Kind::kUnknown : ParsedCommand::Kind::kCommand;
      out.words = {Readable(name)};
      if (!matches.empty()) Choose(matches[0], out);
      out.problems.push_back(line_.size() > kMaxCommandLineBytes ? TooLong() : Unreadable());
      digest_ = line_;
      return Result::kOurs;
    }

    const LineTokens split = WordsOf(name, pos, end);
    const std::optional<CommandMatch> match = Match(split.words);
    if (!match) return ReadUnknown(split, name, addressed, out);
    Describe(split, out);
    Choose(*match, out);
    BindWords(*match, split, out);
    return Result::kOurs;
  }

  // "@bot squash 160": a command if nothing about it looks like a sentence, else it is for the interpreter.
  bool ReadBare(size_t pos, ParsedCommand& out) {
    if (!absl::ascii_isalpha(AsciiOf(CharacterAt(line_, pos).code))) return false;
    if (line_.size() > kMaxCommandLineBytes || !IsValidUtf8(line_)) return false;
    const LineTokens split = SplitWords(line_, pos);
    if (split.words.empty() || split.words[0].quoted) return false;
    const std::optional<CommandMatch> match = Match(split.words);
    if (!match) return false;
    Describe(split, out);
    Choose(*match, out);
    const bool clear = BindWords(*match, split, out);
    return clear && out.problems.empty();
  }

  bool IsOtherBotsCommand(std::string_view name) const {
    return table_.IsOtherBotsCommand(name) || IsOnList(Lower(name), bots_);
  }

  // "/retest." and "/retest!"; a question mark stays, since a question is no command.
  static void TrimName(std::string& name) {
    while (name.size() > 1 && (name.back() == '.' || name.back() == '!' || name.back() == ';')) name.pop_back();
  }

  // The words of the line, of which the name at [pos, end) is the first; what directly follows it ("/retest一下",
  // "/squash：160") is a word of its own.
  LineTokens WordsOf(const std::string& name, size_t pos, size_t end) const {
    LineToken first;
    first.begin = pos;
    first.end = end;
    first.text = line_.substr(pos, end - pos);
    first.plain = name;
    if (end < line_.size()) {
      const Character c = CharacterAt(line_, end);
      if (AsciiOf(c.code) == ':') end += c.length;
    }
    LineTokens split = SplitWords(line_, end);
    split.words.insert(split.words.begin(), std::move(first));
    return split;
  }

  // The form that the words begin with.
  std::optional<CommandMatch> Match(const std::vector<LineToken>& words) const {
    std::array<std::string_view, kMaxNameWords> names;
    size_t count = 0;
    for (; count < names.size() && count < words.size(); ++count) {
      const LineToken& word = words[count];
      if (count > 0 && (word.quoted || word.after_comma || word.plain.empty() || word.plain[0] == '-')) break;
      names[count] = word.plain;
    }
    std::vector<CommandMatch> matches = table_.FindWords(std::span<const std::string_view>(names.data(), count));
    for (CommandMatch& match : matches) {
      if (match.form->needs.empty() || IsGiven(*match.command, match.form->needs, words, match.words))
        return std::move(match);
    }
    return std::nullopt;
  }

  Result ReadUnknown(const LineTokens& split, const std::string& name, bool addressed, ParsedCommand& out) {
    const bool prefix = table_.IsPrefix(name);
    std::string written = name;
    if (split.words.size() > 1 && !split.words[1].quoted) written += " " + split.words[1].plain;
    std::string_view nearest;
    if (comparisons_ < kMaxComparisons && name.size() >= kMinWordToCompare) {
      ++comparisons_;
      if (!prefix) nearest = table_.Nearest(name);
      if (nearest.empty() && written.size() > name.size()) {
        nearest = table_.Nearest(written);
        // "/foo bar" may be close to a form of one word by chance.
        if (nearest.find(' ') == std::string_view::npos) nearest = {};
      }
    }
    if (nearest.empty() && !prefix && !addressed) return Result::kNothing;
    Describe(split, out);
    out.kind = ParsedCommand::Kind::kUnknown;
    out.suggestion = nearest;
    out.problems.push_back(UnknownCommand("/" + (prefix ? written : name), nearest));
    return Result::kOurs;
  }

  // What every line with words has: the words and what they are known by.
  void Describe(const LineTokens& split, ParsedCommand& out) {
    out.words.clear();
    out.words.reserve(split.words.size());
    digest_.clear();
    for (const LineToken& word : split.words) {
      out.words.push_back(word.text);
      if (!digest_.empty()) digest_ += word.after_comma ? ',' : '\x1f';
      digest_ += digest_.empty() ? Lower(word.plain) : word.plain;
    }
    if (split.too_many) digest_ += line_;
  }

  static void Choose(const CommandMatch& match, ParsedCommand& out) {
    out.kind = ParsedCommand::Kind::kCommand;
    out.command = match.command;
    out.form = match.form;
    out.slots = match.slots;
  }

  bool BindWords(const CommandMatch& match, const LineTokens& split, ParsedCommand& out) {
    if (split.too_many) out.problems.push_back(TooLong());
    if (split.open_quote) out.problems.push_back(OpenQuote());
    if (!out.problems.empty()) return false;
    return Bind(table_, *match.command, line_, split.words, match.words, out);
  }

 public:
  // What the last line is known by, before it is numbered.
  const std::string& digest() const { return digest_; }

 private:
  const CommandTable& table_;
  const std::vector<std::string>& logins_;
  const std::vector<std::string>& bots_;
  std::string_view line_;
  std::string digest_;
  size_t request_begin_ = 0;
  size_t comparisons_ = 0;
};

// A request's words, one blank between them.
std::string RequestDigest(std::string_view text) {
  std::string out = "?";
  bool blank = true;
  for (size_t pos = 0; pos < text.size();) {
    const Character c = CharacterAt(text, pos);
    if (IsBlank(c.code) || c.code == '\n' || c.code == '\r') {
      if (!blank) out += ' ';
      blank = true;
    } else {
      const char ascii = AsciiOf(c.code);
      if (ascii != 0) {
        out += ascii;
      } else {
        out += text.substr(pos, c.length);
      }
      blank = false;
    }
    pos += c.length;
  }
  return out;
}

std::vector<std::string> LowerAll(const std::vector<std::string>& words) {
  std::vector<std::string> lower;
  lower.reserve(words.size());
  for (const std::string& word : words) lower.push_back(Lower(word));
  return lower;
}

// Fills in what all commands of a text have.
class Numbering {
 public:
  void Number(std::string digest, ParsedCommand& command) {
    const auto same = static_cast<size_t>(absl::c_count(digests_, digest));
    command.index = digests_.size();
    command.fingerprint = ShortDigest(digest + '\x1e' + std::to_string(same));
    digests_.push_back(std::move(digest));
    if (command.command != nullptr && (!command.problems.empty() || !command.missing.empty()))
      command.usage = command.command->usage;
  }
  size_t size() const { return digests_.size(); }

 private:
  std::vector<std::string> digests_;
};

std::string_view WithoutBlankEnd(std::string_view text) {
  const size_t last = text.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? text.substr(0, 0) : text.substr(0, last + 1);
}

std::string ValidText(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return IsValidUtf8(text) ? std::string(text) : Readable(text, text.size() * 4);
}

}  // namespace

bool IsOnList(std::string_view word, const std::vector<std::string>& list) {
  return absl::c_any_of(list, [word](std::string_view entry) {
    const bool prefix = entry.ends_with('*');
    if (prefix) entry.remove_suffix(1);
    return absl::EqualsIgnoreCase(Abs(prefix ? word.substr(0, entry.size()) : word), Abs(entry));
  });
}

CommandGrammar::CommandGrammar(std::shared_ptr<const CommandTable> table, const GrammarOptions& options)
    : table_(std::move(table)), logins_(LowerAll(options.own_logins)), bots_(LowerAll(options.bot_commands)) {}

ParsedText CommandGrammar::Parse(std::string_view text) const {
  ParsedText parsed;
  const CommandLines lines = FindCommandLines(text);
  parsed.too_deep = lines.too_deep;
  parsed.unread = lines.unread;
  LineReader reader(*table_, logins_, bots_);
  Numbering numbering;
  for (const CommandLine& line : lines.lines) {
    const std::string_view content = WithoutBlankEnd(line.Text(text));
    ParsedCommand command;
    std::string bot;
    const LineReader::Result result = reader.Read(content, command, bot);
    if (result == LineReader::Result::kNothing) continue;
    const size_t end = line.begin + content.size();
    if (result == LineReader::Result::kOtherBots) {
      if (parsed.skipped_lines.size() < kMaxCommandsInText)
        parsed.skipped_lines.push_back({line.begin, end, std::move(bot)});
      continue;
    }
    if (numbering.size() == kMaxCommandsInText) {
      parsed.too_many = true;
      break;
    }
    command.begin = line.begin;
    command.end = end;
    std::string digest;
    if (command.kind == ParsedCommand::Kind::kRequest) {
      // With the lines behind it; those begin where this one ends.
      std::string request(content.substr(reader.request_begin()));
      request += line.Rest(text);
      command.end = std::max(end, line.rest_end);
      command.request = ValidText(WithoutBlankEnd(request));
      digest = RequestDigest(command.request);
    } else {
      digest = reader.digest();
    }
    numbering.Number(std::move(digest), command);
    parsed.commands.push_back(std::move(command));
  }
  return parsed;
}

std::optional<ParsedCommand> CommandGrammar::ParseLine(std::string_view line) const {
  const std::string_view first = WithoutBlankEnd(line.substr(0, line.find_first_of("\r\n")));
  size_t begin = 0;
  if (!MayBeCommand(first, begin)) return std::nullopt;
  const std::string_view content = first.substr(begin);
  LineReader reader(*table_, logins_, bots_);
  ParsedCommand command;
  std::string bot;
  if (reader.Read(content, command, bot) != LineReader::Result::kOurs) return std::nullopt;
  command.begin = begin;
  command.end = first.size();
  std::string digest = reader.digest();
  if (command.kind == ParsedCommand::Kind::kRequest) {
    command.request = ValidText(content.substr(reader.request_begin()));
    digest = RequestDigest(command.request);
  }
  Numbering().Number(std::move(digest), command);
  return command;
}

}  // namespace yardmaster::commands
