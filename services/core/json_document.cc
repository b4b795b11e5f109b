#include "services/core/json_document.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "services/core/readable.h"

namespace yardmaster {
namespace {

using nlohmann::json;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// A broken generator can repeat the same mistake a million times; nobody reads more than this.
constexpr size_t kMaxProblems = 100;
constexpr uint32_t kNoNode = UINT32_MAX;

// Feeds bytes to the parser and lets its observer see how many were taken: the SAX interface itself does not tell.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  // `taken` follows the iterator; null for the end.
  CountingIterator(const char* at, const char** taken) : at_(at), taken_(taken) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    if (taken_ != nullptr) *taken_ = at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** taken_;
};

// Turns byte offsets, which mostly grow, into lines and columns.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  JsonPosition At(size_t offset) {
    offset = std::min(offset, text_.size());
    if (offset < scanned_) {
      scanned_ = line_start_ = 0;
      line_ = 1;
    }
    while (scanned_ < offset) {
      const size_t end = text_.find('\n', scanned_);
      if (end == std::string_view::npos || end >= offset) break;
      ++line_;
      scanned_ = line_start_ = end + 1;
    }
    scanned_ = offset;
    return {line_, static_cast<uint32_t>(offset - line_start_ + 1)};
  }

 private:
  std::string_view text_;
  size_t scanned_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
};

// Offset of the first byte of the scalar that ends at or right before `end` (the parser reads one byte past a number).
size_t ScalarBegin(std::string_view text, size_t end, bool is_string) {
  if (is_string) {
    // Inside a string every quote follows an odd number of backslashes, the opening one none.
    size_t i = end - 1;
    while (i > 0) {
      --i;
      if (text[i] != '"') continue;
      size_t backslashes = 0;
      while (backslashes < i && text[i - 1 - backslashes] == '\\') ++backslashes;
      if (backslashes % 2 == 0) return i;
    }
    return 0;
  }
  const auto part_of_scalar = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == 'E' || c == '+' || c == '-' || c == '.';
  };
  if (end > 0 && !part_of_scalar(text[end - 1])) --end;
  while (end > 0 && part_of_scalar(text[end - 1])) --end;
  return end;
}

// The part of nlohmann's message that tells what was expected, without its own numbering.
std::string SyntaxMessage(std::string_view what) {
  if (const size_t bracket = what.find("] "); bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
  if (what.starts_with("parse error")) {
    if (const size_t colon = what.find(": "); colon != std::string_view::npos) what.remove_prefix(colon + 2);
  }
  // "…; last read: '<token>'; expected …": a token can be as long as the file.
  std::string out;
  constexpr std::string_view kLastRead = "last read: '";
  if (const size_t begin = what.find(kLastRead); begin != std::string_view::npos) {
    const size_t token = begin + kLastRead.size();
    size_t end = what.rfind("'; expected");
    if (end == std::string_view::npos || end < token) end = what.rfind('\'');
    if (end != std::string_view::npos && end > token) {
      constexpr size_t kTail = 40;
      const std::string_view read = what.substr(token, end - token);
      out.append(what.substr(0, token));
      out.append(read.size() > kTail ? "…" : "");
      out.append(read.substr(read.size() > kTail ? read.size() - kTail : 0));
      out.append(what.substr(end));
      what = out;
    }
  }
  return "not valid JSON: " + Readable(what, 400);
}

// Places of all values as a flat tree: documents may have millions of small values.
struct PositionTree {
  struct Node {
    JsonPosition position;
    uint32_t children = 0;  // index of the first child in `order`
    uint32_t count = 0;
    uint32_t key = 0;  // offset in `keys`; members of objects only
    uint32_t key_size = 0;
    bool is_object = false;
  };
  std::vector<Node> nodes;      // 0 is the root
  std::vector<uint32_t> order;  // children of each container side by side; of objects by key
  std::string keys;

  std::string_view Key(const Node& node) const { return std::string_view(keys).substr(node.key, node.key_size); }
};

// Builds the value, and the positions when asked to, and watches the limits. Nothing here recurses.
class Builder {
 public:
  // `positions` may be null. Call Parse once.
  Builder(std::string_view text, const JsonLimits& limits, PositionTree* positions)
      : text_(text), limits_(limits), taken_(text.data()), positions_(positions), lines_(text) {}

  bool Parse() {
    const char* const end = text_.data() + text_.size();
    return json::sax_parse(CountingIterator(text_.data(), &taken_), CountingIterator(end, nullptr), this) &&
           problems_.empty();
  }

  // SAX events.
  bool null() { return Scalar(json(nullptr), false); }
  bool boolean(bool value) { return Scalar(json(value), false); }
  bool number_integer(json::number_integer_t value) { return Scalar(json(value), false); }
  bool number_unsigned(json::number_unsigned_t value) { return Scalar(json(value), false); }
  bool number_float(json::number_float_t value, const std::string&) { return Scalar(json(value), false); }
  bool string(std::string& value) { return Scalar(json(std::move(value)), true); }
  bool binary(json::binary_t&) { return false; }
  bool start_object(size_t) { return Open(json(json::value_t::object)); }
  bool end_object() { return Close(); }
  bool start_array(size_t) { return Open(json(json::value_t::array)); }
  bool end_array() { return Close(); }

  bool key(std::string& name) {
    Frame& frame = frames_.back();
    frame.key = std::move(name);
    const auto [it, inserted] = frame.value->get_ref<json::object_t&>().try_emplace(frame.key);
    frame.target = &it->second;
    frame.duplicate = !inserted;
    if (inserted) return true;
    if (positions_ == nullptr && limits_.duplicates == JsonLimits::Duplicates::kLastWins) return true;
    std::string message = "duplicate key " + Quoted(frame.key) + "; expected each key once";
    if (positions_ != nullptr) {
      for (uint32_t child : frame.children) {
        const auto& node = positions_->nodes[child];
        if (positions_->Key(node) != frame.key) continue;
        message += " (first on line " + std::to_string(node.position.line) + ")";
        break;
      }
    }
    return Add(ScalarBegin(text_, Taken(), true), Pointer(true), std::move(message));
  }

  bool parse_error(size_t byte, const std::string&, const nlohmann::detail::exception& error) {
    // `byte` counts from 1 and stands on the last byte read; out-of-range numbers come with it too.
    Add(byte > 0 ? byte - 1 : 0, Pointer(false), SyntaxMessage(error.what()));
    return false;
  }

  json& root() { return root_; }
  Problems& problems() { return problems_; }

 private:
  struct Frame {
    json* value = nullptr;
    json* target = nullptr;  // objects: where the next value goes
    std::string key;         // objects: its key
    bool duplicate = false;
    uint32_t node = kNoNode;
    std::vector<uint32_t> children;
  };

  // Number of bytes that the parser has seen.
  size_t Taken() const { return static_cast<size_t>(taken_ - text_.data()); }

  // Pointer of the innermost open container, or with `member` of its current member.
  std::string Pointer(bool member) const {
    std::string out;
    for (size_t i = 0; i < frames_.size(); ++i) {
      if (i + 1 == frames_.size() && !member) break;
      const Frame& frame = frames_[i];
      out = frame.value->is_object() ? PointerJoin(out, frame.key) : PointerJoin(out, frame.value->size() - 1);
    }
    return out;
  }

  bool Add(size_t offset, std::string pointer, std::string message) {
    if (problems_.size() == kMaxProblems) {
      message = "too many problems; the rest of the file was not read";
      pointer.clear();
    }
    const JsonPosition position = lines_.At(offset);
    problems_.push_back({"", std::move(pointer), position.line, position.column, std::move(message)});
    return problems_.size() <= kMaxProblems;
  }

  // Puts a value where it belongs and remembers its place. Null if there are too many.
  json* Place(json value, size_t begin) {
    if (++values_ > limits_.max_values) {
      Add(Taken(), Pointer(false), "too many values; expected at most " + std::to_string(limits_.max_values));
      return nullptr;
    }
    json* placed = nullptr;
    if (frames_.empty()) {
      root_ = std::move(value);
      placed = &root_;
    } else if (Frame& frame = frames_.back(); frame.value->is_object()) {
      *frame.target = std::move(value);
      placed = frame.target;
    } else {
      auto& items = frame.value->get_ref<json::array_t&>();
      items.push_back(std::move(value));
      placed = &items.back();
    }
    if (positions_ != nullptr) {
      PositionTree::Node node;
      node.position = lines_.At(begin);
      node.is_object = placed->is_object();
      const uint32_t index = static_cast<uint32_t>(positions_->nodes.size());
      if (!frames_.empty()) {
        Frame& frame = frames_.back();
        if (frame.value->is_object()) {
          node.key = static_cast<uint32_t>(positions_->keys.size());
          node.key_size = static_cast<uint32_t>(frame.key.size());
          positions_->keys += frame.key;
        }
        if (!frame.duplicate) frame.children.push_back(index);
      }
      positions_->nodes.push_back(node);
    }
    return placed;
  }

  bool Scalar(json value, bool is_string) {
    return Place(std::move(value), positions_ != nullptr ? ScalarBegin(text_, Taken(), is_string) : 0) != nullptr;
  }

  bool Open(json value) {
    const size_t begin = Taken() - 1;
    if (frames_.size() == limits_.max_depth) {
      Add(begin, Pointer(false),
          "nested too deeply; expected at most " + std::to_string(limits_.max_depth) + " levels of arrays and objects");
      return false;
    }
    json* placed = Place(std::move(value), begin);
    if (placed == nullptr) return false;
    Frame frame;
    frame.value = placed;
    if (positions_ != nullptr) frame.node = static_cast<uint32_t>(positions_->nodes.size() - 1);
    frames_.push_back(std::move(frame));
    return true;
  }

  bool Close() {
    if (positions_ != nullptr) {
      Frame& frame = frames_.back();
      auto& node = positions_->nodes[frame.node];
      if (node.is_object) {
        absl::c_sort(frame.children, [this](uint32_t a, uint32_t b) {
          return positions_->Key(positions_->nodes[a]) < positions_->Key(positions_->nodes[b]);
        });
      }
      node.children = static_cast<uint32_t>(positions_->order.size());
      node.count = static_cast<uint32_t>(frame.children.size());
      positions_->order.insert(positions_->order.end(), frame.children.begin(), frame.children.end());
    }
    frames_.pop_back();
    return true;
  }

  const std::string_view text_;
  const JsonLimits limits_;
  const char* taken_;
  PositionTree* const positions_;
  LineCounter lines_;
  json root_;
  size_t values_ = 0;
  std::vector<Frame> frames_;
  Problems problems_;
};

// What the parser itself would let pass. Empty if nothing.
std::string RefusedBytes(std::string_view text, const JsonLimits& limits, size_t& offset) {
  offset = 0;
  if (text.size() > limits.max_bytes) {
    return std::to_string(text.size()) + " bytes; expected at most " + std::to_string(limits.max_bytes);
  }
  // To nlohmann::json a NUL byte is the end of the text, and whatever follows is lost.
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    offset = nul;
    return "not valid JSON: a NUL byte; expected text";
  }
  if (text.starts_with(kByteOrderMark)) return "not valid JSON: a second byte-order mark; expected at most one";
  return {};
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

// Takes the first reference token off a pointer that begins with "/", unescaped.
std::string TakeToken(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const size_t end = std::min(pointer.find('/'), pointer.size());
  std::string token;
  for (size_t i = 0; i < end; ++i) {
    if (pointer[i] == '~' && i + 1 < end && (pointer[i + 1] == '0' || pointer[i + 1] == '1')) {
      token += pointer[++i] == '0' ? '~' : '/';
    } else {
      token += pointer[i];
    }
  }
  pointer.remove_prefix(end);
  return token;
}

}  // namespace

struct JsonDocument::Positions : PositionTree {};

std::optional<JsonDocument> JsonDocument::Parse(std::string file, std::string_view text, const JsonLimits& limits,
                                                Problems& problems) {
  text = WithoutByteOrderMark(text);
  size_t offset = 0;
  if (std::string refused = RefusedBytes(text, limits, offset); !refused.empty()) {
    const JsonPosition position = offset > 0 ? LineCounter(text).At(offset) : JsonPosition{1, 1};
    problems.push_back({std::move(file), "", position.line, position.column, std::move(refused)});
    return std::nullopt;
  }

  auto positions = std::make_shared<Positions>();
  Builder builder(text, limits, positions.get());
  if (!builder.Parse()) {
    for (Problem& problem : builder.problems()) {
      problem.file = file;
      problems.push_back(std::move(problem));
    }
    return std::nullopt;
  }
  JsonDocument document;
  document.file_ = std::move(file);
  document.value_ = std::move(builder.root());
  document.positions_ = std::move(positions);
  return document;
}

JsonPosition JsonDocument::PositionOf(std::string_view pointer) const {
  if (positions_->nodes.empty()) return {};
  const PositionTree::Node* node = &positions_->nodes.front();
  while (pointer.starts_with('/')) {
    const std::string token = TakeToken(pointer);
    const uint32_t* const begin = positions_->order.data() + node->children;
    const uint32_t* const end = begin + node->count;
    const uint32_t* child = end;
    if (node->is_object) {
      child = std::lower_bound(begin, end, token, [this](uint32_t index, const std::string& key) {
        return positions_->Key(positions_->nodes[index]) < key;
      });
      if (child != end && positions_->Key(positions_->nodes[*child]) != token) child = end;
    } else {
      size_t index = 0;
      const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), index);
      if (error == std::errc() && stop == token.data() + token.size() && index < node->count) child = begin + index;
    }
    if (child == end) break;
    node = &positions_->nodes[*child];
  }
  return node->position;
}

Problem JsonDocument::ProblemAt(std::string_view pointer, std::string message) const {
  const JsonPosition position = PositionOf(pointer);
  return {file_, std::string(pointer), position.line, position.column, std::move(message)};
}

std::optional<json> ParseJsonLimited(std::string_view text, const JsonLimits& limits, std::string& error) {
  text = WithoutByteOrderMark(text);
  size_t offset = 0;
  if (error = RefusedBytes(text, limits, offset); !error.empty()) return std::nullopt;

  Builder builder(text, limits, nullptr);
  if (builder.Parse()) return std::move(builder.root());
  error = builder.problems().empty() ? "not valid JSON" : builder.problems().front().ToString();
  return std::nullopt;
}

std::string PointerJoin(std::string_view pointer, std::string_view key) {
  std::string out(pointer);
  out += '/';
  for (char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string PointerJoin(std::string_view pointer, size_t index) {
  return std::string(pointer) + "/" + std::to_string(index);
}

}  // namespace yardmaster
