// Statements, and the blocks that hold them.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rules/engine/code/python_walker.h"
#include "rules/engine/code/readers.h"

namespace yardmaster::rules {

PythonReader::BlockResult PythonReader::Block(bool nested) {
  BlockResult result;
  bool jumped = false;
  // The module begins at the margin; other blocks, and code within documents, where their first statement does.
  std::optional<size_t> indent;
  if (depth_ == 0 && place_.block == kNoRow) indent = 0;
  uint32_t line = UINT32_MAX;
  const bool read = depth_ > 0 && depth_ < kMaxNesting && !full_;
  const TSNode block = Current();
  bool empty = true;
  ForEachNamed([&](Kind kind) {
    const TSNode node = Current();
    empty = false;
    // The grammar lets statements of one block stand anywhere; Python does not.
    if (ts_node_start_point(node).row != line && PartOf(kind) == PythonPart::kStatement) {
      if (const std::optional<size_t> width = IndentOf(ts_node_start_byte(node))) {
        if (indent && *width != *indent) {
          Refuse(SpanOf(node), *width > *indent ? "unexpected indent" : "unindent does not match any outer level");
        }
        if (!indent) indent = width;
      }
    }
    line = ts_node_end_point(node).row;
    const RowIndex row = Statement(kind, result.statements, nested, jumped);
    if (row == kNoRow) return;
    if (result.statements == 0) result.first = row;
    ++result.statements;
    const StatementType type = facts_.statements[row].type;
    jumped |= type == StatementType::kReturn || type == StatementType::kRaise || type == StatementType::kBreak ||
              type == StatementType::kContinue;
    result.stub &= IsStub(facts_.statements[row]);
  });
  if (read && empty && !Refused()) {
    // Pointed at from the word that opens it to its colon.
    const TSNode head = ts_node_parent(block);
    const uint32_t end = ts_node_start_byte(block);
    Refuse({ts_node_is_null(head) ? end : ts_node_start_byte(head), end}, "expected an indented block");
  }
  return result;
}

std::optional<size_t> PythonReader::IndentOf(uint32_t offset) const {
  const std::string_view before = facts_.text.substr(0, offset);
  size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  if (begin == 0 && before.starts_with("\xef\xbb\xbf")) begin = 3;
  // A line that another one continues on has no indentation of its own.
  if (begin >= 2 && before[begin - 2] == '\\') return std::nullopt;
  if (begin >= 3 && before[begin - 2] == '\r' && before[begin - 3] == '\\') return std::nullopt;
  const std::string_view blanks = before.substr(begin);
  if (blanks.find_first_not_of(" \t\f") != std::string_view::npos) return std::nullopt;
  // What stands before a form feed does not count. Tabs and blanks count alike: Python measures a line with tabs of 8
  // and again with tabs of 1, and wants both to agree.
  return blanks.size() - (blanks.rfind('\f') + 1);
}

bool PythonReader::Refused() const {
  return place_.block == kNoRow ? !facts_.errors.empty() : !facts_.code_blocks[place_.block].valid;
}

void PythonReader::Refuse(ByteSpan span, std::string_view why) {
  if (Refused()) return;
  if (place_.block != kNoRow) {
    facts_.code_blocks[place_.block].valid = false;
  } else {
    facts_.errors.push_back({span.begin, span.end, std::string(why)});
  }
}

bool PythonReader::IsStub(const StatementFact& fact) const {
  if (fact.type == StatementType::kPass) return true;
  if (fact.value == kNoRow) return false;
  const ExprFact& value = facts_.exprs[fact.value];
  if (fact.type == StatementType::kExpression) {
    return value.type == ExprType::kString || (value.type == ExprType::kConstant && value.value == "...");
  }
  return fact.type == StatementType::kRaise && value.name == "NotImplementedError";
}

void PythonReader::Comment() {
  const TSNode node = Current();
  std::string_view body = TextOf(node);
  body.remove_prefix(std::min<size_t>(1, body.size()));
  AddComment(node, body);
}

RowIndex PythonReader::Open(StatementType type, size_t index, bool nested, bool jumped) {
  return AddStatement(type, Current(), index, nested, jumped);
}

RowIndex PythonReader::Statement(Kind kind, size_t index, bool nested, bool jumped) {
  const auto simple = [&](StatementType type, Slot slot) {
    const RowIndex row = Open(type, index, nested, jumped);
    Within(row, [&] {
      size_t position = 0;
      ForEachChild([&] {
        if (!ts_node_is_named(Current())) return;
        const RowIndex expr = Expr(slot, kNoRow, position++);
        if (facts_.statements[row].value == kNoRow) facts_.statements[row].value = expr;
      });
    });
    return row;
  };
  switch (kind) {
    case kExpressionStatement:
      return ExpressionStatement(index, nested, jumped);
    case kReturnNode:
      return simple(StatementType::kReturn, Slot::kReturn);
    case kRaiseNode:
      return simple(StatementType::kRaise, Slot::kRaise);
    case kAssertNode:
      return simple(StatementType::kAssert, Slot::kCondition);
    case kDeleteNode:
      return simple(StatementType::kDelete, Slot::kOther);
    case kPrint:
    case kExec:
    case kTypeAlias:
      return simple(StatementType::kOther, Slot::kOther);
    case kPassNode:
      return Open(StatementType::kPass, index, nested, jumped);
    case kBreakNode:
      return Open(StatementType::kBreak, index, nested, jumped);
    case kContinueNode:
      return Open(StatementType::kContinue, index, nested, jumped);
    case kGlobalNode:
    case kNonlocal: {
      const RowIndex row = Open(StatementType::kGlobal, index, nested, jumped);
      ForEachChild([&] {
        if (KindOf(Current()) == kIdentifier) facts_.statements[row].names.push_back(TextOf(Current()));
      });
      return row;
    }
    case kImportNode:
    case kImportFrom:
    case kFutureImport: {
      const RowIndex row = Open(StatementType::kImport, index, nested, jumped);
      Within(row, [&] { Import(kind); });
      return row;
    }
    case kIfNode:
      return If(index, nested, jumped);
    case kForNode:
    case kWhileNode:
      return Loop(kind, index, nested, jumped);
    case kTryNode:
      return Try(index, nested, jumped);
    case kWithNode:
      return With(index, nested, jumped);
    case kDecorated:
      return Decorated(index, nested, jumped);
    case kFunctionNode: {
      const RowIndex row = Open(StatementType::kFunction, index, nested, jumped);
      Within(row, [&] { Function(AddFunction(SpanOf(Current()))); });
      return row;
    }
    case kClassNode: {
      const RowIndex row = Open(StatementType::kClass, index, nested, jumped);
      Within(row, [&] { Class(AddClass(SpanOf(Current()))); });
      return row;
    }
    case kMatch: {
      const RowIndex row = Open(StatementType::kOther, index, nested, jumped);
      Within(row, [&] { Generic(); });
      return row;
    }
    case kBlock: {
      Block(true);
      return kNoRow;
    }
    default:
      // Errors, and what they tore apart.
      if (IsPythonExpression(kind)) {
        Expr(Slot::kOther, kNoRow, 0);
        return kNoRow;
      }
      Generic();
      return kNoRow;
  }
}

void PythonReader::Blocks() {
  ForEachChild([&] {
    if (KindOf(Current()) == kBlock) Block(true);
  });
}

void PythonReader::Generic() {
  ForEachNamed([&](Kind kind) {
    if (kind == kBlock) {
      Block(true);
    } else if (IsPythonExpression(kind)) {
      Expr(Slot::kOther, kNoRow, 0);
    } else if (kind == kCase) {
      CountBranch();
      Generic();
    } else {
      Statement(kind, 0, true, false);
    }
  });
}

RowIndex PythonReader::ExpressionStatement(size_t index, bool nested, bool jumped) {
  const RowIndex row = Open(StatementType::kExpression, index, nested, jumped);
  Within(row, [&] {
    ForEachNamed([&](Kind kind) {
      RowIndex value = kNoRow;
      if (kind == kAssignmentNode || kind == kAugmented) {
        auto& by_type = facts_.statements_by_type;
        by_type[static_cast<size_t>(StatementType::kExpression)].pop_back();
        by_type[static_cast<size_t>(StatementType::kAssign)].push_back(row);
        facts_.statements[row].type = StatementType::kAssign;
        value = Assignment(kind);
      } else {
        value = Expr(Slot::kStatement, kNoRow, 0);
      }
      if (facts_.statements[row].value == kNoRow) facts_.statements[row].value = value;
    });
  });
  return row;
}

// ---- what is assigned to what

RowIndex PythonReader::Assignment(Kind kind) {
  const auto first = static_cast<RowIndex>(facts_.assigns.size());
  RowIndex last = first;
  RowIndex value = kNoRow;
  RowIndex annotation = kNoRow;
  std::string_view op = "=";
  const TSNode node = Current();
  const bool annotated = kind == kAssignmentNode && !ts_node_is_null(ts_node_child_by_field_id(node, g_.type));
  const std::string_view form = kind == kAugmented ? "augmented" : annotated ? "annotated" : "plain";
  if (kind == kAugmented) {
    const TSNode operator_node = ts_node_child_by_field_id(node, g_.op);
    if (!ts_node_is_null(operator_node)) op = TextOf(operator_node);
  }
  ForEachChild([&] {
    const TSFieldId field = CurrentField();
    if (field == g_.left) {
      Target(form, op, false);
      last = static_cast<RowIndex>(facts_.assigns.size());
    } else if (field == g_.type) {
      annotation = Expr(Slot::kAnnotation, kNoRow, 0);
    } else if (field == g_.right) {
      const Kind right = KindOf(Current());
      value = right == kAssignmentNode || right == kAugmented ? Assignment(right) : Expr(Slot::kValue, kNoRow, 0);
    } else if (KindOf(Current()) == kComment) {
      Comment();
    }
  });
  for (RowIndex i = first; i < last; ++i) {
    AssignFact& assign = facts_.assigns[i];
    assign.value = assign.in_tuple ? ItemFor(assign.position, last - first, value) : value;
    assign.annotation = annotation;
  }
  return value;
}

RowIndex PythonReader::ItemFor(std::optional<uint32_t> position, size_t targets, RowIndex value) const {
  if (!position.has_value() || value == kNoRow) return kNoRow;
  const ExprFact& items = facts_.exprs[value];
  if ((items.type != ExprType::kTuple && items.type != ExprType::kList) || items.positional != targets) return kNoRow;
  RowIndex found = kNoRow;
  for (RowIndex i = value + 1; i < items.subtree_end; i = facts_.exprs[i].subtree_end) {
    if (facts_.exprs[i].type == ExprType::kStarred) return kNoRow;
    if (facts_.exprs[i].parent == value && facts_.exprs[i].slot == Slot::kItem && facts_.exprs[i].index == *position)
      found = i;
  }
  return found;
}

void PythonReader::Target(std::string_view form, std::string_view op, bool in_tuple, std::optional<uint32_t> position) {
  const TSNode node = Current();
  switch (KindOf(node)) {
    case kPatternList:
    case kTuplePattern:
    case kListPattern:
    case kTupleNode:
    case kListNode:
    case kExpressionList: {
      // Within a tuple in a tuple nothing is known, nor behind a star.
      std::optional<uint32_t> next;
      if (!in_tuple) next = 0;
      ForEachChild([&] {
        const Kind kind = KindOf(Current());
        if (!ts_node_is_named(Current())) return;
        if (kind == kComment) return Comment();
        if (kind == kListSplatPattern || kind == kListSplat) next.reset();
        Target(form, op, true, next);
        if (next.has_value()) ++*next;
      });
      return;
    }
    case kListSplatPattern:
    case kListSplat:
    case kParenthesized:
    case kAsPatternTarget:
      ForEachChild([&] {
        if (ts_node_is_named(Current())) Target(form, op, in_tuple, position);
      });
      return;
    case kComment:
      return Comment();
    default: {
      const RowIndex assign = AddAssign(form, op, node);
      const RowIndex target = Expr(Slot::kTarget, kNoRow, 0);
      NameAssign(assign, target);
      facts_.assigns[assign].in_tuple = in_tuple;
      facts_.assigns[assign].position = position;
    }
  }
}

// ---- imports, and the names that they bind

void PythonReader::Import(Kind kind) {
  std::string_view module;
  uint32_t level = 0;
  if (kind == kFutureImport) module = "__future__";
  const ByteSpan span = SpanOf(Current());
  const auto add = [&](std::string_view name, std::string_view alias, ByteSpan where) {
    CountRow();
    ImportFact& fact = facts_.imports.emplace_back();
    fact.span = kind == kImportNode ? where : span;
    fact.place = place_;
    fact.form = kind == kImportNode ? "import" : "from";
    fact.top = level_ == Level::kModule && place_.guard == Guard::kNone && !facts_.statements[place_.statement].nested;
    fact.level = level;
    fact.alias = alias;
    if (kind == kImportNode) {
      fact.module = name;
      fact.bound = alias.empty() ? name.substr(0, name.find('.')) : alias;
      facts_.aliases[fact.bound] = alias.empty() ? fact.bound : name;
    } else {
      fact.module = module;
      fact.name = name;
      fact.bound = alias.empty() ? name : alias;
      if (name == "*") return;
      std::string full(level, '.');
      full += module;
      if (!module.empty()) full += '.';
      full += name;
      facts_.aliases[fact.bound] = Keep(std::move(full));
    }
  };
  ForEachChild([&] {
    const TSNode node = Current();
    const TSFieldId field = CurrentField();
    if (!ts_node_is_named(node)) return;
    const std::string_view type = ts_node_type(node);
    if (field == g_.module_name) {
      module = TextOf(node);
      while (!module.empty() && (module.front() == '.' || module.front() == ' ')) {
        level += module.front() == '.';
        module.remove_prefix(1);
      }
    } else if (type == "wildcard_import") {
      add("*", {}, SpanOf(node));
    } else if (type == "aliased_import") {
      const TSNode name = ts_node_child_by_field_id(node, g_.name);
      const TSNode alias = ts_node_child_by_field_id(node, g_.alias);
      if (!ts_node_is_null(name) && !ts_node_is_null(alias)) add(TextOf(name), TextOf(alias), SpanOf(node));
    } else if (field == g_.name) {
      add(TextOf(node), {}, SpanOf(node));
    }
  });
}

void ReadPython(TSNode root, RowIndex block, FileFacts& facts) {
  // In usual code every third to fourth node is an expression: rows that grow are copied again and again.
  facts.exprs.reserve(facts.exprs.size() + ts_node_descendant_count(root) / 4);
  PythonReader(root, block, facts).Read();
}

}  // namespace yardmaster::rules
