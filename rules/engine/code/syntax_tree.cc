#include "rules/engine/code/syntax_tree.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/code/json_numbers.h"
#include "rules/engine/code/parse_memory.h"
#include "rules/engine/code/python_stars.h"
#include "services/core/thread_clock.h"

namespace yardmaster::rules {
namespace {

struct ParserDeleter {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};

struct Input {
  std::string_view text;
};

const char* ReadChunk(void* payload, uint32_t byte, TSPoint, uint32_t* size) {
  // In pieces: the parser looks at the progress callback between them as well.
  constexpr size_t kPiece = 64 * 1024;
  const std::string_view text = static_cast<Input*>(payload)->text;
  if (byte >= text.size()) {
    *size = 0;
    return "";
  }
  *size = static_cast<uint32_t>(std::min(kPiece, text.size() - byte));
  return text.data() + byte;
}

struct Bounds {
  ThreadClock::time_point end;
  size_t bytes_before = 0;
  bool full = false;
};

// Looked at every hundred steps of the parser.
bool Passed(TSParseState* state) {
  auto* bounds = static_cast<Bounds*>(state->payload);
  bounds->full = yard_parse_bytes() - bounds->bytes_before > kMaxParseBytes;
  return bounds->full || ThreadClock::now() > bounds->end;
}

// Row and column (bytes) of an offset.
TSPoint PointAt(std::string_view text, uint32_t offset) {
  const std::string_view head = text.substr(0, offset);
  const auto rows = static_cast<uint32_t>(absl::c_count(head, '\n'));
  const size_t last = head.rfind('\n');
  return {rows, static_cast<uint32_t>(last == std::string_view::npos ? offset : offset - last - 1)};
}

bool IndentedTooFar(Language language, std::string_view text) {
  if (language != Language::kPython && language != Language::kYaml) return false;
  size_t blanks = 0;
  bool counts = true;  // from the beginning of a line; in YAML a block may begin behind a dash
  for (const char c : text) {
    if (c == ' ' || c == '\t') {
      if (++blanks > kMaxIndent && counts) return true;
    } else {
      blanks = 0;
      counts = language == Language::kYaml || c == '\n';
    }
  }
  return false;
}

// YAML's scanner remembers rows and columns. JSON is not worth it.
bool KeepsNoPlaces(Language language) {
  return language == Language::kPython || language == Language::kCpp || language == Language::kCuda;
}

// What all ways of parsing share: `former` is for the whole text only.
SyntaxTree Parse(Language language, std::string_view text, std::optional<TSRange> range, const TSTree* former,
                 std::chrono::milliseconds limit, ParseStop* stop) {
  const TSLanguage* grammar = GrammarOf(language);
  if (grammar == nullptr) return nullptr;
  const std::string_view seen_part = range ? text.substr(range->start_byte, range->end_byte - range->start_byte) : text;
  if (IndentedTooFar(language, seen_part)) {
    if (stop != nullptr) *stop = ParseStop::kIndent;
    return nullptr;
  }
  Bounds bounds{ThreadClock::now() + limit, yard_parse_bytes()};
  const std::unique_ptr<TSParser, ParserDeleter> parser(ts_parser_new());
  if (!ts_parser_set_language(parser.get(), grammar)) return nullptr;
  if (range && !ts_parser_set_included_ranges(parser.get(), &*range, 1)) return nullptr;
  const auto parse = [&](std::string_view seen, const TSTree* old) {
    Input source{seen};
    const TSInput input = {&source, &ReadChunk, TSInputEncodingUTF8, nullptr};
    const TSParseOptions options = {&bounds, &Passed};
    return SyntaxTree(ts_parser_parse_with_options(parser.get(), old, input, options));
  };
  const auto whole = [](const SyntaxTree& tree) { return tree && !ts_node_has_error(ts_tree_root_node(tree.get())); };
  if (former != nullptr && KeepsNoPlaces(language) && ts_tree_language(former) == grammar) {
    // How errors are mended depends on where the parser comes from.
    SyntaxTree tree = parse(text, former);
    if (whole(tree)) return tree;
    ts_parser_reset(parser.get());
  }
  // Only the parser sees what is replaced; facts are taken from the text itself.
  const std::optional<std::string> numbers = language == Language::kJson ? NumbersForGrammar(text) : std::nullopt;
  SyntaxTree tree = parse(numbers.has_value() ? *numbers : text, nullptr);
  if (tree && language == Language::kPython && !whole(tree)) {
    if (const std::optional<std::string> stars = StarsForGrammar(text)) {
      SyntaxTree without = parse(*stars, nullptr);
      if (whole(without)) tree = std::move(without);
    }
  }
  if (!tree && stop != nullptr) *stop = bounds.full ? ParseStop::kMemory : ParseStop::kTime;
  return tree;
}

}  // namespace

std::string Describe(ParseStop stop, std::chrono::milliseconds limit) {
  switch (stop) {
    case ParseStop::kTime:
      return "parsing took longer than " + std::to_string(limit.count()) + " ms";
    case ParseStop::kMemory:
      return "parsing took more than " + std::to_string(kMaxParseBytes / 1024 / 1024) + " MiB of memory";
    case ParseStop::kIndent:
      return "a line is indented by more than " + std::to_string(kMaxIndent) + " characters; nothing was parsed";
  }
  return {};
}

SyntaxTree ParseSourcePart(Language language, std::string_view text, uint32_t begin, uint32_t end,
                           std::chrono::milliseconds limit, ParseStop* stop) {
  if (begin == 0 && end == text.size()) return ParseSource(language, text, limit, stop);
  const TSRange range = {PointAt(text, begin), PointAt(text, end), begin, end};
  return Parse(language, text, range, nullptr, limit, stop);
}

SyntaxTree ParseSource(Language language, std::string_view text, std::chrono::milliseconds limit, ParseStop* stop) {
  return Parse(language, text, std::nullopt, nullptr, limit, stop);
}

SyntaxTree ParseSourceAfter(const TSTree* former, Language language, std::string_view text,
                            std::chrono::milliseconds limit, ParseStop* stop) {
  return Parse(language, text, std::nullopt, former, limit, stop);
}

}  // namespace yardmaster::rules
