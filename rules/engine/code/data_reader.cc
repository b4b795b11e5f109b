#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>

#include "rules/engine/code/fact_builder.h"
#include "services/core/json_document.h"

namespace yardmaster::rules {
namespace {

class DataReader : public FactBuilder {
 public:
  DataReader(TSNode root, bool front, FileFacts& facts) : FactBuilder(facts, root), front_(front) {}

  void Read() { Value(kNoRow, {}, 0, ""); }

 private:
  // A key or index as a step of a JSON pointer.
  std::string_view Pointer(std::string_view parent, std::string_view step) { return Keep(PointerJoin(parent, step)); }

  RowIndex Add(EntryType type, RowIndex parent, std::string_view key, size_t index, std::string_view pointer) {
    CountRow();
    EntryFact& fact = facts_.entries.emplace_back();
    fact.span = SpanOf(Current());
    fact.type = type;
    fact.front = front_;
    fact.parent = parent;
    fact.key = key;
    fact.index = static_cast<uint32_t>(index);
    fact.pointer = pointer;
    fact.depth = parent == kNoRow ? 0 : facts_.entries[parent].depth + 1;
    fact.subtree_end = static_cast<RowIndex>(facts_.entries.size());
    return static_cast<RowIndex>(facts_.entries.size() - 1);
  }

  // The text that a quoted scalar stands for.
  std::string_view Unquoted(std::string_view text, char quote) {
    if (text.size() >= 2) text = text.substr(1, text.size() - 2);
    if (quote == '\'') {
      if (text.find("''") == std::string_view::npos) return text;
      std::string out;
      for (size_t i = 0; i < text.size(); ++i) {
        out += text[i];
        if (text[i] == '\'' && i + 1 < text.size() && text[i + 1] == '\'') ++i;
      }
      return Keep(std::move(out));
    }
    if (text.find('\\') == std::string_view::npos) return text;
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        out += text[i];
        continue;
      }
      const char c = text[++i];
      switch (c) {
        case 'n':
          out += '\n';
          break;
        case 't':
          out += '\t';
          break;
        case 'r':
          out += '\r';
          break;
        case '"':
        case '\\':
        case '/':
          out += c;
          break;
        default:  // others stay as they are written
          out += '\\';
          out += c;
      }
    }
    return Keep(std::move(out));
  }

  void Scalar(EntryType type, std::string_view value, RowIndex parent, std::string_view key, size_t index,
              std::string_view pointer) {
    const RowIndex row = Add(type, parent, key, index, pointer);
    facts_.entries[row].value = value;
    if (type == EntryType::kNumber) facts_.entries[row].number = std::strtod(std::string(value).c_str(), nullptr);
  }

  void Comment(TSNode node) {
    std::string_view body = TextOf(node);
    if (!body.empty()) body.remove_prefix(1);
    AddComment(node, body);
  }

  // The text of a key.
  std::string_view KeyText(TSNode node) {
    std::string_view text = TextOf(node);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
    if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
      return Unquoted(text, text.front());
    }
    return text;
  }

  // `key: value` at the cursor, in the mapping `row`.
  void Pair(RowIndex row, std::string_view pointer, std::unordered_set<std::string_view>& keys) {
    const TSNode pair = Current();
    const TSNode key_node = ts_node_child_by_field_name(pair, "key", 3);
    const TSNode value_node = ts_node_child_by_field_name(pair, "value", 5);
    const std::string_view key = ts_node_is_null(key_node) ? std::string_view() : KeyText(key_node);
    const bool duplicate = !keys.insert(key).second;
    const size_t index = facts_.entries[row].size++;
    const auto first = static_cast<RowIndex>(facts_.entries.size());
    const std::string_view inner = Pointer(pointer, key);
    if (ts_node_is_null(value_node)) {
      Scalar(EntryType::kNull, "", row, key, index, inner);
    } else {
      ForEachChild([&] {
        if (ts_node_eq(Current(), value_node)) Value(row, key, index, inner);
      });
    }
    if (first < facts_.entries.size()) {
      // An entry is found at its key.
      facts_.entries[first].span.begin = ts_node_start_byte(pair);
      facts_.entries[first].duplicate = duplicate;
    }
  }

  // The value at the cursor. Returns whether there was one.
  bool Value(RowIndex parent, std::string_view key, size_t index, std::string_view pointer) {
    const TSNode node = Current();
    const std::string_view type = ts_node_type(node);
    if (type == "block_mapping" || type == "flow_mapping" || type == "object") {
      const RowIndex row = Add(EntryType::kMap, parent, key, index, pointer);
      std::unordered_set<std::string_view> keys;
      ForEachChild([&] {
        const std::string_view child = ts_node_type(Current());
        if (child == "block_mapping_pair" || child == "flow_pair" || child == "pair") Pair(row, pointer, keys);
        if (child == "comment") Comment(Current());
      });
      facts_.entries[row].subtree_end = static_cast<RowIndex>(facts_.entries.size());
      return true;
    }
    if (type == "block_sequence" || type == "flow_sequence" || type == "array") {
      const RowIndex row = Add(EntryType::kList, parent, key, index, pointer);
      ForEachChild([&] {
        if (!ts_node_is_named(Current())) return;
        const std::string_view child = ts_node_type(Current());
        if (child == "comment") return Comment(Current());
        const size_t position = facts_.entries[row].size;
        const std::string_view inner = Pointer(pointer, std::to_string(position));
        if (child == "flow_pair") {
          const RowIndex map = Add(EntryType::kMap, row, {}, position, inner);
          std::unordered_set<std::string_view> keys;
          Pair(map, inner, keys);
          facts_.entries[map].subtree_end = static_cast<RowIndex>(facts_.entries.size());
          ++facts_.entries[row].size;
        } else if (Value(row, {}, position, inner)) {
          ++facts_.entries[row].size;
        } else if (child == "block_sequence_item") {
          Scalar(EntryType::kNull, "", row, {}, position, inner);
          ++facts_.entries[row].size;
        }
      });
      facts_.entries[row].subtree_end = static_cast<RowIndex>(facts_.entries.size());
      return true;
    }
    const auto scalar = [&](EntryType kind, std::string_view value) {
      Scalar(kind, value, parent, key, index, pointer);
      return true;
    };
    if (type == "string" || type == "double_quote_scalar") return scalar(EntryType::kText, Unquoted(TextOf(node), '"'));
    if (type == "single_quote_scalar") return scalar(EntryType::kText, Unquoted(TextOf(node), '\''));
    if (type == "number" || type == "integer_scalar" || type == "float_scalar") {
      return scalar(EntryType::kNumber, TextOf(node));
    }
    if (type == "true" || type == "false" || type == "boolean_scalar") return scalar(EntryType::kBoolean, TextOf(node));
    if (type == "null" || type == "null_scalar") return scalar(EntryType::kNull, TextOf(node));
    if (type == "string_scalar" || type == "block_scalar" || type == "alias" || type == "timestamp_scalar") {
      return scalar(EntryType::kText, TextOf(node));
    }
    if (type == "comment") {
      Comment(node);
      return false;
    }
    if (type == "anchor" || type == "tag" || type == "yaml_directive") return false;
    // Wrappers: stream, document, block_node, flow_node, plain_scalar, items, errors. The first value counts.
    bool found = false;
    ForEachChild([&] {
      if (!ts_node_is_named(Current())) return;
      if (!found) found = Value(parent, key, index, pointer);
    });
    return found;
  }

  const bool front_;
};

}  // namespace

void ReadData(TSNode root, bool front, FileFacts& facts) { DataReader(root, front, facts).Read(); }

}  // namespace yardmaster::rules
