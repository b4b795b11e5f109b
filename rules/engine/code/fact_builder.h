// What the readers of all languages share: adding rows with their places, limits, and walking a tree by cursor.
#ifndef YARDMASTER_RULES_ENGINE_CODE_FACT_BUILDER_H_
#define YARDMASTER_RULES_ENGINE_CODE_FACT_BUILDER_H_

#include <tree_sitter/api.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/engine/code/facts.h"

namespace yardmaster::rules {

// Node kinds of a grammar as a dense enum: names once, then an array look-up for each node.
class SymbolTable {
 public:
  // `names[i]` is the name of kind i + 1; 0 is everything else. Only named nodes have kinds.
  SymbolTable(const TSLanguage* language, const std::vector<std::string_view>& names);
  uint8_t KindOf(TSNode node) const { return kinds_[ts_node_symbol(node)]; }
  // Id of a field; 0 if the grammar has none of that name.
  static TSFieldId Field(const TSLanguage* language, std::string_view name);

 private:
  std::vector<uint8_t> kinds_;
};

class FactBuilder {
 public:
  FactBuilder(FileFacts& facts, TSNode root);
  ~FactBuilder() { ts_tree_cursor_delete(&cursor_); }
  FactBuilder(const FactBuilder&) = delete;
  FactBuilder& operator=(const FactBuilder&) = delete;

 protected:
  TSNode Current() const { return ts_tree_cursor_current_node(&cursor_); }
  TSFieldId CurrentField() const { return ts_tree_cursor_current_field_id(&cursor_); }
  static ByteSpan SpanOf(TSNode node) { return {ts_node_start_byte(node), ts_node_end_byte(node)}; }
  std::string_view TextOf(TSNode node) const { return facts_.Text(SpanOf(node)); }

  // Calls `visit` with the cursor at each child of the current node, in order; the cursor comes back. Does nothing
  // beyond the limits of nesting and rows.
  template <typename Visit>
  void ForEachChild(Visit visit) {
    if (depth_ >= kMaxNesting || full_) {
      if (!full_) TooDeep();
      return;
    }
    if (!ts_tree_cursor_goto_first_child(&cursor_)) return;
    ++depth_;
    do {
      visit();
    } while (!full_ && ts_tree_cursor_goto_next_sibling(&cursor_));
    --depth_;
    ts_tree_cursor_goto_parent(&cursor_);
  }

  RowIndex AddExpr(ExprType type, Slot slot, RowIndex parent, size_t index, TSNode node);
  ExprFact& At(RowIndex expr) { return facts_.exprs[expr]; }
  // Everything inside has been added.
  void CloseExpr(RowIndex expr) { facts_.exprs[expr].subtree_end = static_cast<RowIndex>(facts_.exprs.size()); }
  // `a.b` of a base that is `a`; "" if the base is no plain name.
  void NameAttribute(RowIndex expr, std::string_view separator);
  // Names of a call or a subscript are those of what is called or looked into.
  void TakeNames(RowIndex expr);
  RowIndex AddAssign(std::string_view form, std::string_view op, TSNode target);
  // The target has been read: its name can be found from now on.
  void NameAssign(RowIndex assign, RowIndex target);
  RowIndex AddStatement(StatementType type, TSNode node, size_t index, bool nested, bool after_jump);
  RowIndex AddFunction(ByteSpan span);
  RowIndex AddClass(ByteSpan span);
  void NameFunction(RowIndex function, TSNode name, std::string_view separator);
  void NameClass(RowIndex cls, TSNode name, std::string_view separator);
  RowIndex AddParameter(RowIndex function, TSNode node, ParameterForm form);
  // The loop at the cursor.
  RowIndex AddLoop(std::string_view form);
  void AddComment(TSNode node, std::string_view body);
  // In the function around.
  void CountBranch();
  void CountRow();
  // A text that does not stand in the file. Long names around many short ones would fill the memory: bounded.
  std::string_view Keep(std::string text);
  void TooDeep();
  std::string Qualified(const Place& place, Level level, std::string_view name, std::string_view separator) const;

  static constexpr int kMaxNesting = 500;

  FileFacts& facts_;
  TSTreeCursor cursor_;
  Place place_;
  Level level_ = Level::kModule;
  int depth_ = 0;
  bool full_ = false;
  bool too_deep_ = false;
};

// Appends the first syntax errors below `root`, at most `max`.
void FindSyntaxErrors(TSNode root, size_t max, std::vector<SyntaxError>& errors);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_FACT_BUILDER_H_
