#include "rules/engine/code/fact_builder.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/code/source_file.h"

namespace yardmaster::rules {

SymbolTable::SymbolTable(const TSLanguage* language, const std::vector<std::string_view>& names) {
  kinds_.resize(ts_language_symbol_count(language) + 1, 0);
  for (uint32_t symbol = 0; symbol < ts_language_symbol_count(language); ++symbol) {
    if (ts_language_symbol_type(language, static_cast<TSSymbol>(symbol)) != TSSymbolTypeRegular) continue;
    const std::string_view name = ts_language_symbol_name(language, static_cast<TSSymbol>(symbol));
    const auto found = absl::c_find(names, name);
    if (found != names.end()) kinds_[symbol] = static_cast<uint8_t>(found - names.begin() + 1);
  }
  // Errors have the symbol 65535, of no kind.
  kinds_.resize(65536, 0);
}

TSFieldId SymbolTable::Field(const TSLanguage* language, std::string_view name) {
  return ts_language_field_id_for_name(language, name.data(), static_cast<uint32_t>(name.size()));
}

FactBuilder::FactBuilder(FileFacts& facts, TSNode root) : facts_(facts), cursor_(ts_tree_cursor_new(root)) {}

void FactBuilder::CountRow() {
  if (++facts_.rows < kMaxSourceRows || full_) return;
  full_ = true;
  facts_.limits.push_back({"more than " + std::to_string(kMaxSourceRows) + " facts; the rest was not read"});
}

std::string_view FactBuilder::Keep(std::string text) {
  if (facts_.made_bytes + text.size() > kMaxMadeBytes) {
    if (!full_) {
      full_ = true;
      facts_.limits.push_back(
          {"names and pointers take more than " + std::to_string(kMaxMadeBytes) + " bytes; the rest was not read"});
    }
    return {};
  }
  return facts_.Keep(std::move(text));
}

void FactBuilder::TooDeep() {
  if (too_deep_) return;
  too_deep_ = true;
  facts_.limits.push_back(
      {"nested deeper than " + std::to_string(kMaxNesting) + " levels; what is inside was not read"});
}

RowIndex FactBuilder::AddExpr(ExprType type, Slot slot, RowIndex parent, size_t index, TSNode node) {
  CountRow();
  const auto row = static_cast<RowIndex>(facts_.exprs.size());
  ExprFact& fact = facts_.exprs.emplace_back();
  fact.span = SpanOf(node);
  fact.place = place_;
  fact.type = type;
  fact.slot = slot;
  fact.parent = parent;
  fact.index = static_cast<uint16_t>(std::min<size_t>(index, UINT16_MAX));
  fact.subtree_end = row + 1;
  facts_.exprs_by_type[static_cast<size_t>(type)].push_back(row);
  // Keyword arguments are arguments too.
  facts_.exprs_by_slot[static_cast<size_t>(slot)].push_back(row);
  if (slot == Slot::kKeyword) facts_.exprs_by_slot[static_cast<size_t>(Slot::kArgument)].push_back(row);
  return row;
}

void FactBuilder::NameAttribute(RowIndex expr, std::string_view separator) {
  ExprFact& fact = At(expr);
  if (fact.base == kNoRow) return;
  const ExprFact& base = At(fact.base);
  fact.root = base.root;
  if (base.name.empty() || fact.attr.empty()) return;
  // What is called or looked into lends its name to the call only, not to what follows.
  if (base.type != ExprType::kName && base.type != ExprType::kAttribute) return;
  // The name as it stands, unless there is white space or a comment in it.
  const std::string_view written = facts_.Text(fact.span);
  if (written.size() == base.name.size() + separator.size() + fact.attr.size() && written.starts_with(base.name)) {
    fact.name = written;
  } else {
    fact.name = Keep(std::string(base.name) + std::string(separator) + std::string(fact.attr));
  }
}

void FactBuilder::TakeNames(RowIndex expr) {
  ExprFact& fact = At(expr);
  if (fact.base == kNoRow) return;
  const ExprFact& base = At(fact.base);
  fact.name = base.name;
  fact.attr = base.attr;
  fact.root = base.root;
}

RowIndex FactBuilder::AddAssign(std::string_view form, std::string_view op, TSNode target) {
  CountRow();
  AssignFact& fact = facts_.assigns.emplace_back();
  fact.span = SpanOf(target);
  fact.place = place_;
  fact.level = level_;
  fact.form = form;
  fact.op = op;
  return static_cast<RowIndex>(facts_.assigns.size() - 1);
}

void FactBuilder::NameAssign(RowIndex assign, RowIndex target) {
  facts_.assigns[assign].target = target;
  if (target == kNoRow || At(target).type != ExprType::kName) return;
  facts_.assigns_by_name[{facts_.assigns[assign].place.function, At(target).name}].push_back(assign);
}

RowIndex FactBuilder::AddStatement(StatementType type, TSNode node, size_t index, bool nested, bool after_jump) {
  CountRow();
  const auto row = static_cast<RowIndex>(facts_.statements.size());
  StatementFact& fact = facts_.statements.emplace_back();
  fact.span = SpanOf(node);
  fact.place = place_;
  fact.type = type;
  fact.index = static_cast<uint32_t>(index);
  fact.nested = nested;
  fact.after_jump = after_jump;
  facts_.statements_by_type[static_cast<size_t>(type)].push_back(row);
  return row;
}

RowIndex FactBuilder::AddFunction(ByteSpan span) {
  CountRow();
  FunctionFact& fact = facts_.functions.emplace_back();
  fact.span = span;
  fact.head = span;
  fact.place = place_;
  fact.level = level_;
  fact.first_parameter = static_cast<RowIndex>(facts_.parameters.size());
  return static_cast<RowIndex>(facts_.functions.size() - 1);
}

RowIndex FactBuilder::AddClass(ByteSpan span) {
  CountRow();
  ClassFact& fact = facts_.classes.emplace_back();
  fact.span = span;
  fact.head = span;
  fact.place = place_;
  fact.level = level_;
  return static_cast<RowIndex>(facts_.classes.size() - 1);
}

std::string FactBuilder::Qualified(const Place& place, Level level, std::string_view name,
                                   std::string_view separator) const {
  std::string_view around;
  if (level == Level::kClass && place.cls != kNoRow) around = facts_.classes[place.cls].qualified;
  if (level == Level::kFunction && place.function != kNoRow) around = facts_.functions[place.function].qualified;
  return around.empty() ? std::string(name) : std::string(around) + std::string(separator) + std::string(name);
}

void FactBuilder::NameFunction(RowIndex function, TSNode name, std::string_view separator) {
  FunctionFact& fact = facts_.functions[function];
  fact.head = SpanOf(name);
  fact.name = TextOf(name);
  fact.qualified =
      fact.level == Level::kModule ? fact.name : Keep(Qualified(fact.place, fact.level, fact.name, separator));
  if (fact.level == Level::kModule) facts_.module_functions[fact.name] = function;
}

void FactBuilder::NameClass(RowIndex cls, TSNode name, std::string_view separator) {
  ClassFact& fact = facts_.classes[cls];
  fact.head = SpanOf(name);
  fact.name = TextOf(name);
  fact.qualified =
      fact.level == Level::kModule ? fact.name : Keep(Qualified(fact.place, fact.level, fact.name, separator));
}

RowIndex FactBuilder::AddParameter(RowIndex function, TSNode node, ParameterForm form) {
  CountRow();
  ParameterFact& fact = facts_.parameters.emplace_back();
  fact.span = SpanOf(node);
  fact.function = function;
  fact.index = facts_.functions[function].parameters++;
  fact.form = form;
  return static_cast<RowIndex>(facts_.parameters.size() - 1);
}

RowIndex FactBuilder::AddLoop(std::string_view form) {
  CountRow();
  CountBranch();
  const uint32_t depth = place_.loop == kNoRow ? 0 : facts_.loops[place_.loop].depth + 1;
  LoopFact& fact = facts_.loops.emplace_back();
  fact.span = SpanOf(Current());
  fact.body = fact.span;
  fact.place = place_;
  fact.form = form;
  fact.depth = depth;
  return static_cast<RowIndex>(facts_.loops.size() - 1);
}

void FactBuilder::CountBranch() {
  if (place_.function != kNoRow) ++facts_.functions[place_.function].branches;
}

void FactBuilder::AddComment(TSNode node, std::string_view body) {
  CountRow();
  CommentFact& fact = facts_.comments.emplace_back();
  fact.span = SpanOf(node);
  fact.place = place_;
  while (!body.empty() && (body.front() == ' ' || body.front() == '\t')) body.remove_prefix(1);
  fact.body = body;
  uint32_t begin = fact.span.begin;
  while (begin > 0 && (facts_.text[begin - 1] == ' ' || facts_.text[begin - 1] == '\t')) --begin;
  fact.own_line = begin == 0 || facts_.text[begin - 1] == '\n';
}

void FindSyntaxErrors(TSNode root, size_t max, std::vector<SyntaxError>& errors) {
  if (!ts_node_has_error(root)) return;
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  // Depth first, only below nodes that hold an error; a bound on the nodes keeps hostile texts cheap.
  size_t seen = 0;
  while (errors.size() < max && ++seen < 200'000) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    const bool error = ts_node_is_error(node);
    const bool missing = ts_node_is_missing(node);
    if (error || missing) {
      SyntaxError& fact = errors.emplace_back();
      fact.begin = ts_node_start_byte(node);
      fact.end = ts_node_end_byte(node);
      if (missing) fact.message = "missing " + std::string(ts_node_type(node));
    }
    if (!error && ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor)) continue;
    bool more = true;
    while (more && !ts_tree_cursor_goto_next_sibling(&cursor)) more = ts_tree_cursor_goto_parent(&cursor);
    if (!more) break;
  }
  ts_tree_cursor_delete(&cursor);
}

}  // namespace yardmaster::rules
