#include "rules/engine/checks/fields.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "rules/engine/checks/run.h"
#include "rules/engine/checks/unit.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

constexpr std::array<std::string_view, kExprTypeCount> kExprTypes = {
    "other",  "call",          "name",  "attribute", "subscript", "string",  "number",   "list",
    "tuple",  "dict",          "set",   "binary",    "unary",     "compare", "boolean",  "conditional",
    "lambda", "comprehension", "await", "yield",     "starred",   "slice",   "constant", "assignment"};

constexpr std::array<std::string_view, kSlotCount> kSlots = {
    "other",   "argument", "keyword",   "decorator", "default",   "annotation", "returns", "value",
    "target",  "iterable", "condition", "return",    "item",      "key",        "left",    "right",
    "operand", "base",     "callee",    "index",     "statement", "raise"};

constexpr std::array<std::string_view, 19> kStatementTypes = {
    "expression", "return", "raise",    "assert", "if",   "try",      "except", "with",   "delete", "global",
    "pass",       "break",  "continue", "assign", "loop", "function", "class",  "import", "other"};

constexpr std::array<std::string_view, 3> kLevels = {"module", "class", "function"};
constexpr std::array<std::string_view, 5> kForms = {"positional", "positional_only", "keyword_only", "args", "kwargs"};
constexpr std::array<std::string_view, 6> kEntryTypes = {"text", "number", "boolean", "null", "list", "map"};

constexpr std::array<std::string_view, kFactTableCount> kTables = {
    "set",        "file",     "line",      "function", "parameter", "class",     "import",    "expr",
    "assign",     "loop",     "statement", "comment",  "section",   "checkbox",  "table_row", "list_item",
    "code_block", "codeword", "link",      "entry",    "macro",     "namespace", "match",     "value"};

// Shorthands of the getters below.
using R = Run&;
using U = const Unit&;
using I = RowIndex;

Value Text(std::string_view text) { return Value::Text(text); }
// Missing where it is empty.
Value Name(std::string_view text) { return text.empty() ? Value() : Value::Text(text); }
Value Num(double number) { return Value::Number(number); }
Value Ref(U unit, FactTable table, I row) { return Value::Row({&unit, table, row}); }

Value GuardValue(Guard guard) {
  switch (guard) {
    case Guard::kMain:
      return Text("main");
    case Guard::kTypeChecking:
      return Text("type_checking");
    case Guard::kTry:
      return Text("try");
    case Guard::kIf:
      return Text("if");
    case Guard::kNone:
      return {};
  }
  return {};
}

Value Texts(R run, const std::vector<std::string_view>& texts) {
  std::vector<Value> out;
  out.reserve(texts.size());
  for (const std::string_view text : texts) out.push_back(Text(text));
  return Value::List(run.Keep(std::move(out)));
}

Value Parameters(R run, U unit, I row, std::initializer_list<ParameterForm> forms) {
  std::vector<Value> out;
  const FunctionFact& function = unit.facts().functions[row];
  for (uint32_t i = 0; i < function.parameters; ++i) {
    const ParameterFact& parameter = unit.facts().parameters[function.first_parameter + i];
    if (std::find(forms.begin(), forms.end(), parameter.form) != forms.end()) out.push_back(Text(parameter.name));
  }
  return Value::List(run.Keep(std::move(out)));
}

// Positional arguments or items, in order.
template <typename Visit>
void ForEachItem(U unit, I row, Visit visit) {
  const auto& exprs = unit.facts().exprs;
  const ExprFact& around = exprs[row];
  for (I i = row + 1; i < around.subtree_end; i = exprs[i].subtree_end) {
    const Slot slot = exprs[i].slot;
    const bool item =
        around.type == ExprType::kCall ? slot == Slot::kArgument : slot == Slot::kItem || slot == Slot::kIndex;
    if (item) visit(i);
  }
}

Value Numbers(R run, U unit, I row, bool all) {
  std::vector<Value> out;
  bool every = true;
  ForEachItem(unit, row, [&](I item) {
    const auto number = unit.NumberOf(item);
    if (number) {
      out.push_back(Num(*number));
    } else {
      every = false;
    }
  });
  return all ? Value::Bool(every) : Value::List(run.Keep(std::move(out)));
}

// The entry and what is inside, as JSON without white space.
void WriteJson(const FileFacts& facts, I row, std::string& out) {
  const EntryFact& entry = facts.entries[row];
  if (out.size() > 64 * 1024) return;
  switch (entry.type) {
    case EntryType::kText:
      out += '"';
      out += entry.value;
      out += '"';
      return;
    case EntryType::kNull:
      out += "null";
      return;
    case EntryType::kNumber:
    case EntryType::kBoolean:
      out += entry.value;
      return;
    case EntryType::kList:
    case EntryType::kMap: {
      const bool list = entry.type == EntryType::kList;
      out += list ? '[' : '{';
      bool first = true;
      for (I i = row + 1; i < entry.subtree_end; i = facts.entries[i].subtree_end) {
        if (!first) out += ',';
        first = false;
        if (!list) {
          out += '"';
          out += facts.entries[i].key;
          out += "\":";
        }
        WriteJson(facts, i, out);
      }
      out += list ? ']' : '}';
    }
  }
}

template <typename Visit>
void ForEachChildEntry(const FileFacts& facts, I row, Visit visit) {
  for (I i = row + 1; i < facts.entries[row].subtree_end; i = facts.entries[i].subtree_end) visit(i);
}

constexpr FieldType kText = FieldType::kText;
constexpr FieldType kNumber = FieldType::kNumber;
constexpr FieldType kBool = FieldType::kBool;
constexpr FieldType kRow = FieldType::kRow;
constexpr FieldType kList = FieldType::kList;
constexpr FactTable kNoTable = FactTable::kFile;

// Getters of the fields that many tables have.
template <auto Table>
constexpr auto& Rows(U unit) {
  if constexpr (Table == FactTable::kFunction) return unit.facts().functions;
  if constexpr (Table == FactTable::kClass) return unit.facts().classes;
  if constexpr (Table == FactTable::kImport) return unit.facts().imports;
  if constexpr (Table == FactTable::kExpr) return unit.facts().exprs;
  if constexpr (Table == FactTable::kAssign) return unit.facts().assigns;
  if constexpr (Table == FactTable::kLoop) return unit.facts().loops;
  if constexpr (Table == FactTable::kStatement) return unit.facts().statements;
  if constexpr (Table == FactTable::kComment) return unit.facts().comments;
}

template <FactTable T>
const std::vector<FieldInfo>& PlaceFields() {
  static const std::vector<FieldInfo> kFields = {
      {"function", kRow, FactTable::kFunction,
       [](R, U u, I i) { return Ref(u, FactTable::kFunction, Rows<T>(u)[i].place.function); }},
      {"class", kRow, FactTable::kClass,
       [](R, U u, I i) { return Ref(u, FactTable::kClass, Rows<T>(u)[i].place.cls); }},
      {"loop", kRow, FactTable::kLoop, [](R, U u, I i) { return Ref(u, FactTable::kLoop, Rows<T>(u)[i].place.loop); }},
      {"in_block", kRow, FactTable::kCodeBlock,
       [](R, U u, I i) { return Ref(u, FactTable::kCodeBlock, Rows<T>(u)[i].place.block); }},
      {"guard", kText, kNoTable, [](R, U u, I i) { return GuardValue(Rows<T>(u)[i].place.guard); }},
  };
  return kFields;
}

const std::vector<FieldInfo>& FileFields() {
  static const std::vector<FieldInfo> kFields = {
      {"path", kText, kNoTable, [](R, U u, I) { return Text(u.path()); }},
      {"name", kText, kNoTable,
       [](R, U u, I) {
         const std::string_view path = u.path();
         return Text(path.substr(path.rfind('/') + 1));
       }},
      {"stem", kText, kNoTable,
       [](R, U u, I) {
         std::string_view name = u.path();
         name = name.substr(name.rfind('/') + 1);
         return Text(name.substr(0, name.rfind('.') == 0 ? name.size() : name.rfind('.')));
       }},
      {"extension", kText, kNoTable,
       [](R, U u, I) {
         std::string_view name = u.path();
         name = name.substr(name.rfind('/') + 1);
         const size_t dot = name.rfind('.');
         return dot == std::string_view::npos || dot == 0 ? Value() : Text(name.substr(dot + 1));
       }},
      {"folder", kText, kNoTable,
       [](R, U u, I) {
         const std::string_view path = u.path();
         const size_t slash = path.rfind('/');
         return Text(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash));
       }},
      {"role", kText, kNoTable, [](R, U u, I) { return Name(u.role); }},
      {"language", kText, kNoTable, [](R, U u, I) { return Text(LanguageName(u.facts().language)); }},
      {"lines", kNumber, kNoTable, [](R, U u, I) { return Num(static_cast<double>(u.RowCount(FactTable::kLine))); }},
      {"bytes", kNumber, kNoTable, [](R, U u, I) { return Num(static_cast<double>(u.facts().text.size())); }},
      {"valid", kBool, kNoTable, [](R, U u, I) { return Value::Bool(u.facts().errors.empty()); }},
      {"new", kBool, kNoTable, [](R, U u, I) { return Value::Bool(u.base == nullptr); }},
      {"head", kText, kNoTable,
       [](R, U u, I) {
         // 512 characters, not bytes.
         const std::string_view text = u.facts().text;
         size_t end = 0;
         for (int characters = 0; end < text.size() && characters < 512; ++characters) {
           ++end;
           while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
         }
         return Text(text.substr(0, end));
       }},
      {"front_matter", kBool, kNoTable, [](R, U u, I) { return Value::Bool(u.facts().front_matter); }},
  };
  return kFields;
}

const std::vector<FieldInfo>& SetFields() {
  static const std::vector<FieldInfo> kFields = {
      {"path", kText, kNoTable, [](R run, U, I) { return Text(run.set_path); }},
      {"size", kNumber, kNoTable, [](R run, U, I) { return Num(static_cast<double>(run.units.size())); }},
  };
  return kFields;
}

const std::vector<FieldInfo>& LineFields() {
  static const std::vector<FieldInfo> kFields = {
      {"number", kNumber, kNoTable, [](R, U, I i) { return Num(i + 1); }},
      {"indent", kNumber, kNoTable,
       [](R, U u, I i) {
         const std::string_view text = u.facts().LineText(i + 1);
         const size_t indent = text.find_first_not_of(" \t");
         return Num(static_cast<double>(indent == std::string_view::npos ? text.size() : indent));
       }},
      {"blank", kBool, kNoTable,
       [](R, U u, I i) {
         return Value::Bool(u.facts().LineText(i + 1).find_first_not_of(" \t") == std::string_view::npos);
       }},
      {"length", kNumber, kNoTable,
       [](R, U u, I i) { return Num(static_cast<double>(CodePoints(u.facts().LineText(i + 1)))); }},
  };
  return kFields;
}

const std::vector<FieldInfo>& FunctionFields() {
#define F u.facts().functions[i]
  static const std::vector<FieldInfo> kFields = {
      {"name", kText, kNoTable, [](R, U u, I i) { return Text(F.name); }},
      {"qualified", kText, kNoTable, [](R, U u, I i) { return Text(F.qualified); }},
      {"level", kText, kNoTable, [](R, U u, I i) { return Text(kLevels[static_cast<size_t>(F.level)]); }},
      {"async", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.is_async); }},
      {"params", kList, kNoTable,
       [](R r, U u, I i) {
         return Parameters(r, u, i,
                           {ParameterForm::kPositional, ParameterForm::kPositionalOnly, ParameterForm::kKeywordOnly});
       }},
      {"positional", kList, kNoTable,
       [](R r, U u, I i) {
         return Parameters(r, u, i, {ParameterForm::kPositional, ParameterForm::kPositionalOnly});
       }},
      {"keyword_only", kList, kNoTable,
       [](R r, U u, I i) { return Parameters(r, u, i, {ParameterForm::kKeywordOnly}); }},
      {"varargs", kList, kNoTable, [](R r, U u, I i) { return Parameters(r, u, i, {ParameterForm::kArgs}); }},
      {"varkw", kList, kNoTable, [](R r, U u, I i) { return Parameters(r, u, i, {ParameterForm::kKwargs}); }},
      {"required", kNumber, kNoTable,
       [](R, U u, I i) {
         double count = 0;
         for (uint32_t p = 0; p < F.parameters; ++p) {
           const ParameterFact& parameter = u.facts().parameters[F.first_parameter + p];
           const bool star = parameter.form == ParameterForm::kArgs || parameter.form == ParameterForm::kKwargs;
           count += !star && !parameter.has_default;
         }
         return Num(count);
       }},
      {"returns", kRow, FactTable::kExpr, [](R, U u, I i) { return Ref(u, FactTable::kExpr, F.returns); }},
      {"doc", kText, kNoTable, [](R, U u, I i) { return F.has_doc ? Text(F.doc) : Value(); }},
      {"decorators", kList, kNoTable,
       [](R r, U u, I i) {
         std::vector<std::string_view> names;
         for (const I row : u.DecoratorsOf(FactTable::kFunction, i)) names.push_back(u.facts().exprs[row].name);
         return Texts(r, names);
       }},
      {"generator", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.generator); }},
      {"stub", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.stub); }},
      {"global_kernel", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.global_kernel); }},
      {"statements", kNumber, kNoTable, [](R, U u, I i) { return Num(F.statements); }},
      {"branches", kNumber, kNoTable, [](R, U u, I i) { return Num(F.branches); }},
      {"body_lines", kNumber, kNoTable,
       [](R, U u, I i) {
         const ByteSpan body = F.body;
         if (body.end <= body.begin) return Num(0);
         return Num(u.facts().LineOf(body.end - 1) - u.facts().LineOf(body.begin) + 1);
       }},
      {"public", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(!F.name.starts_with('_')); }},
  };
#undef F
  return kFields;
}

const std::vector<FieldInfo>& ParameterFields() {
#define F u.facts().parameters[i]
  static const std::vector<FieldInfo> kFields = {
      {"name", kText, kNoTable, [](R, U u, I i) { return Text(F.name); }},
      {"index", kNumber, kNoTable, [](R, U u, I i) { return Num(F.index); }},
      {"form", kText, kNoTable, [](R, U u, I i) { return Text(kForms[static_cast<size_t>(F.form)]); }},
      {"function", kRow, FactTable::kFunction, [](R, U u, I i) { return Ref(u, FactTable::kFunction, F.function); }},
      {"annotation", kRow, FactTable::kExpr, [](R, U u, I i) { return Ref(u, FactTable::kExpr, F.annotation); }},
      {"default", kRow, FactTable::kExpr, [](R, U u, I i) { return Ref(u, FactTable::kExpr, F.default_value); }},
  };
#undef F
  return kFields;
}

const std::vector<FieldInfo>& ClassFields() {
#define F u.facts().classes[i]
  static const std::vector<FieldInfo> kFields = {
      {"name", kText, kNoTable, [](R, U u, I i) { return Text(F.name); }},
      {"qualified", kText, kNoTable, [](R, U u, I i) { return Text(F.qualified); }},
      {"level", kText, kNoTable, [](R, U u, I i) { return Text(kLevels[static_cast<size_t>(F.level)]); }},
      {"bases", kList, kNoTable, [](R r, U u, I i) { return Texts(r, F.bases); }},
      {"decorators", kList, kNoTable,
       [](R r, U u, I i) {
         std::vector<std::string_view> names;
         for (const I row : u.DecoratorsOf(FactTable::kClass, i)) names.push_back(u.facts().exprs[row].name);
         return Texts(r, names);
       }},
      {"doc", kText, kNoTable, [](R, U u, I i) { return F.has_doc ? Text(F.doc) : Value(); }},
      {"statements", kNumber, kNoTable, [](R, U u, I i) { return Num(F.statements); }},
      {"public", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(!F.name.starts_with('_')); }},
  };
#undef F
  return kFields;
}

const std::vector<FieldInfo>& ImportFields() {
#define F u.facts().imports[i]
  static const std::vector<FieldInfo> kFields = {
      {"form", kText, kNoTable, [](R, U u, I i) { return Text(F.form); }},
      {"module", kText, kNoTable, [](R, U u, I i) { return Text(F.module); }},
      {"name", kText, kNoTable, [](R, U u, I i) { return Name(F.name); }},
      {"alias", kText, kNoTable, [](R, U u, I i) { return Name(F.alias); }},
      {"bound", kText, kNoTable, [](R, U u, I i) { return Name(F.bound); }},
      {"level", kNumber, kNoTable, [](R, U u, I i) { return Num(F.level); }},
      {"root", kText, kNoTable, [](R, U u, I i) { return Text(F.module.substr(0, F.module.find('.'))); }},
      {"last", kText, kNoTable, [](R, U u, I i) { return Text(F.module.substr(F.module.rfind('.') + 1)); }},
      {"top", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.top); }},
      {"system", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.system); }},
  };
#undef F
  return kFields;
}

const std::vector<FieldInfo>& ExprFields() {
#define F u.facts().exprs[i]
  static const std::vector<FieldInfo> kFields = {
      {"type", kText, kNoTable, [](R, U u, I i) { return Text(kExprTypes[static_cast<size_t>(F.type)]); }},
      {"slot", kText, kNoTable, [](R, U u, I i) { return Text(kSlots[static_cast<size_t>(F.slot)]); }},
      {"index", kNumber, kNoTable, [](R, U u, I i) { return Num(F.index); }},
      {"keyword", kText, kNoTable, [](R, U u, I i) { return Name(F.keyword); }},
      {"parent", kRow, FactTable::kExpr, [](R, U u, I i) { return Ref(u, FactTable::kExpr, F.parent); }},
      {"call", kRow, FactTable::kExpr,
       [](R, U u, I i) {
         const bool argument = F.slot == Slot::kArgument || F.slot == Slot::kKeyword;
         return argument ? Ref(u, FactTable::kExpr, F.parent) : Value();
       }},
      {"statement", kRow, FactTable::kStatement,
       [](R, U u, I i) { return Ref(u, FactTable::kStatement, F.place.statement); }},
      {"of_parameter", kRow, FactTable::kParameter,
       [](R, U u, I i) {
         const bool of = F.slot == Slot::kAnnotation || F.slot == Slot::kDefault;
         return of ? Ref(u, FactTable::kParameter, F.owner) : Value();
       }},
      {"name", kText, kNoTable, [](R, U u, I i) { return Name(F.name); }},
      {"resolved", kText, kNoTable, [](R, U u, I i) { return Name(u.ResolvedName(i)); }},
      {"attr", kText, kNoTable, [](R, U u, I i) { return Name(F.attr); }},
      {"root", kText, kNoTable, [](R, U u, I i) { return Name(F.root); }},
      {"base", kRow, FactTable::kExpr, [](R, U u, I i) { return Ref(u, FactTable::kExpr, F.base); }},
      {"size", kNumber, kNoTable, [](R, U u, I i) { return Num(F.positional); }},
      {"keywords", kList, kNoTable,
       [](R r, U u, I i) {
         std::vector<Value> names;
         const auto& exprs = u.facts().exprs;
         for (I k = i + 1; k < F.subtree_end; k = exprs[k].subtree_end) {
           if (!exprs[k].keyword.empty()) names.push_back(Text(exprs[k].keyword));
         }
         return Value::List(r.Keep(std::move(names)));
       }},
      {"numbers", kList, kNoTable, [](R r, U u, I i) { return Numbers(r, u, i, false); }},
      {"all_numbers", kBool, kNoTable, [](R r, U u, I i) { return Numbers(r, u, i, true); }},
      {"op", kText, kNoTable, [](R, U u, I i) { return Name(F.op); }},
      {"value", kText, kNoTable,
       [](R, U u, I i) {
         const bool literal =
             F.type == ExprType::kString || F.type == ExprType::kNumber || F.type == ExprType::kConstant;
         return literal ? Text(F.value) : Value();
       }},
      {"number", kNumber, kNoTable,
       [](R, U u, I i) {
         const auto number = u.NumberOf(i);
         return number ? Num(*number) : Value();
       }},
      {"string", kText, kNoTable,
       [](R, U u, I i) {
         const auto text = u.TextOf(i);
         return text ? Text(*text) : Value();
       }},
      {"binding", kRow, FactTable::kAssign, [](R, U u, I i) { return Ref(u, FactTable::kAssign, u.BindingOf(i)); }},
      {"parameter", kRow, FactTable::kParameter,
       [](R, U u, I i) { return Ref(u, FactTable::kParameter, u.ParameterOf(i)); }},
      {"target", kRow, FactTable::kFunction, [](R, U u, I i) { return Ref(u, FactTable::kFunction, u.TargetOf(i)); }},
      {"launch", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.launch); }},
  };
#undef F
  return kFields;
}

const std::vector<FieldInfo>& AssignFields() {
#define F u.facts().assigns[i]
  static const std::vector<FieldInfo> kFields = {
      {"form", kText, kNoTable, [](R, U u, I i) { return Text(F.form); }},
      {"op", kText, kNoTable, [](R, U u, I i) { return Text(F.op); }},
      {"target", kRow, FactTable::kExpr, [](R, U u, I i) { return Ref(u, FactTable::kExpr, F.target); }},
      {"target_type", kText, kNoTable,
       [](R, U u, I i) {
         return F.target == kNoRow ? Value() : Text(kExprTypes[static_cast<size_t>(u.facts().exprs[F.target].type)]);
       }},
      {"name", kText, kNoTable,
       [](R, U u, I i) { return F.target == kNoRow ? Value() : Name(u.facts().exprs[F.target].name); }},
      {"root", kText, kNoTable,
       [](R, U u, I i) { return F.target == kNoRow ? Value() : Name(u.facts().exprs[F.target].root); }},
      {"in_tuple", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.in_tuple); }},
      {"value", kRow, FactTable::kExpr, [](R, U u, I i) { return Ref(u, FactTable::kExpr, F.value); }},
      {"annotation", kRow, FactTable::kExpr, [](R, U u, I i) { return Ref(u, FactTable::kExpr, F.annotation); }},
      {"parameter", kRow, FactTable::kParameter,
       [](R, U u, I i) {
         if (F.target == kNoRow || u.facts().exprs[F.target].type != ExprType::kName) return Value();
         return Ref(u, FactTable::kParameter, u.ParameterNamed(F.place.function, u.facts().exprs[F.target].name));
       }},
      {"level", kText, kNoTable, [](R, U u, I i) { return Text(kLevels[static_cast<size_t>(F.level)]); }},
      {"statement", kRow, FactTable::kStatement,
       [](R, U u, I i) { return Ref(u, FactTable::kStatement, F.place.statement); }},
  };
#undef F
  return kFields;
}

const std::vector<FieldInfo>& LoopFields() {
#define F u.facts().loops[i]
  static const std::vector<FieldInfo> kFields = {
      {"form", kText, kNoTable, [](R, U u, I i) { return Text(F.form); }},
      {"iterable", kRow, FactTable::kExpr, [](R, U u, I i) { return Ref(u, FactTable::kExpr, F.iterable); }},
      {"condition", kRow, FactTable::kExpr, [](R, U u, I i) { return Ref(u, FactTable::kExpr, F.condition); }},
      {"variables", kList, kNoTable, [](R r, U u, I i) { return Texts(r, F.variables); }},
      {"depth", kNumber, kNoTable, [](R, U u, I i) { return Num(F.depth); }},
  };
#undef F
  return kFields;
}

const std::vector<FieldInfo>& StatementFields() {
#define F u.facts().statements[i]
  static const std::vector<FieldInfo> kFields = {
      {"type", kText, kNoTable, [](R, U u, I i) { return Text(kStatementTypes[static_cast<size_t>(F.type)]); }},
      {"value", kRow, FactTable::kExpr, [](R, U u, I i) { return Ref(u, FactTable::kExpr, F.value); }},
      {"parent", kRow, FactTable::kStatement,
       [](R, U u, I i) { return Ref(u, FactTable::kStatement, F.place.statement); }},
      {"nested", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.nested); }},
      {"index", kNumber, kNoTable, [](R, U u, I i) { return Num(F.index); }},
      {"after_jump", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.after_jump); }},
      {"bare", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.bare); }},
      {"names", kList, kNoTable, [](R r, U u, I i) { return Texts(r, F.names); }},
  };
#undef F
  return kFields;
}

const std::vector<FieldInfo>& CommentFields() {
  static const std::vector<FieldInfo> kFields = {
      {"body", kText, kNoTable, [](R, U u, I i) { return Text(u.facts().comments[i].body); }},
      {"own_line", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(u.facts().comments[i].own_line); }},
  };
  return kFields;
}

const std::vector<FieldInfo>& SectionFields() {
#define F u.facts().sections[i]
  static const std::vector<FieldInfo> kFields = {
      {"title", kText, kNoTable, [](R, U u, I i) { return Text(F.title); }},
      {"level", kNumber, kNoTable, [](R, U u, I i) { return Num(F.level); }},
      {"body", kText, kNoTable, [](R, U u, I i) { return Text(u.facts().Text(F.body)); }},
      {"own", kText, kNoTable, [](R, U u, I i) { return Text(u.facts().Text(F.own)); }},
      {"parent", kRow, FactTable::kSection, [](R, U u, I i) { return Ref(u, FactTable::kSection, F.parent); }},
      {"index", kNumber, kNoTable, [](R, U u, I i) { return Num(F.index); }},
  };
#undef F
  return kFields;
}

template <auto Member>
std::vector<FieldInfo> ItemFields() {
  return {
      {"body", kText, kNoTable, [](R, U u, I i) { return Text((u.facts().*Member)[i].body); }},
      {"index", kNumber, kNoTable, [](R, U u, I i) { return Num((u.facts().*Member)[i].index); }},
      {"section", kRow, FactTable::kSection,
       [](R, U u, I i) { return Ref(u, FactTable::kSection, (u.facts().*Member)[i].section); }},
  };
}

const std::vector<FieldInfo>& CheckboxFields() {
  static const std::vector<FieldInfo> kFields = [] {
    auto out = ItemFields<&FileFacts::checkboxes>();
    out.push_back({"mark", kText, kNoTable, [](R, U u, I i) { return Text(u.facts().checkboxes[i].extra); }});
    out.push_back({"checked", kBool, kNoTable, [](R, U u, I i) {
                     const std::string_view mark = u.facts().checkboxes[i].extra;
                     return Value::Bool(mark == "x" || mark == "X" || mark.starts_with("✓") || mark.starts_with("✔") ||
                                        mark.starts_with("✅") || mark.starts_with("☑"));
                   }});
    return out;
  }();
  return kFields;
}

const std::vector<FieldInfo>& ListItemFields() {
  static const std::vector<FieldInfo> kFields = ItemFields<&FileFacts::list_items>();
  return kFields;
}

const std::vector<FieldInfo>& TableRowFields() {
#define F u.facts().table_rows[i]
  static const std::vector<FieldInfo> kFields = {
      {"cells", kList, kNoTable, [](R r, U u, I i) { return Texts(r, F.cells); }},
      {"first", kText, kNoTable, [](R, U u, I i) { return F.cells.empty() ? Value() : Text(F.cells.front()); }},
      {"last", kText, kNoTable,
       [](R, U u, I i) {
         for (auto cell = F.cells.rbegin(); cell != F.cells.rend(); ++cell) {
           if (!cell->empty()) return Text(*cell);
         }
         return Value();
       }},
      {"header", kList, kNoTable,
       [](R r, U u, I i) { return F.header == kNoRow ? Value() : Texts(r, u.facts().table_headers[F.header]); }},
      {"index", kNumber, kNoTable, [](R, U u, I i) { return Num(F.index); }},
      {"table", kNumber, kNoTable, [](R, U u, I i) { return Num(F.table); }},
      {"section", kRow, FactTable::kSection, [](R, U u, I i) { return Ref(u, FactTable::kSection, F.section); }},
  };
#undef F
  return kFields;
}

const std::vector<FieldInfo>& CodeBlockFields() {
#define F u.facts().code_blocks[i]
  static const std::vector<FieldInfo> kFields = {
      {"language", kText, kNoTable, [](R, U u, I i) { return Name(F.language); }},
      {"body", kText, kNoTable, [](R, U u, I i) { return Text(u.facts().Text(F.body)); }},
      {"valid", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.valid); }},
      {"section", kRow, FactTable::kSection, [](R, U u, I i) { return Ref(u, FactTable::kSection, F.section); }},
  };
#undef F
  return kFields;
}

const std::vector<FieldInfo>& CodewordFields() {
  static const std::vector<FieldInfo> kFields = {
      {"name", kText, kNoTable, [](R, U u, I i) { return Text(u.facts().codewords[i].body); }},
  };
  return kFields;
}

const std::vector<FieldInfo>& LinkFields() {
  static const std::vector<FieldInfo> kFields = {
      {"target", kText, kNoTable, [](R, U u, I i) { return Text(u.facts().links[i].body); }},
      {"title", kText, kNoTable, [](R, U u, I i) { return Text(u.facts().links[i].extra); }},
      {"section", kRow, FactTable::kSection,
       [](R, U u, I i) { return Ref(u, FactTable::kSection, u.facts().links[i].section); }},
  };
  return kFields;
}

const std::vector<FieldInfo>& EntryFields() {
#define F u.facts().entries[i]
  static const std::vector<FieldInfo> kFields = {
      {"pointer", kText, kNoTable, [](R, U u, I i) { return Text(F.pointer); }},
      {"key", kText, kNoTable,
       [](R, U u, I i) {
         const bool in_map = F.parent != kNoRow && u.facts().entries[F.parent].type == EntryType::kMap;
         return in_map ? Text(F.key) : Value();
       }},
      {"index", kNumber, kNoTable, [](R, U u, I i) { return Num(F.index); }},
      {"depth", kNumber, kNoTable, [](R, U u, I i) { return Num(F.depth); }},
      {"type", kText, kNoTable, [](R, U u, I i) { return Text(kEntryTypes[static_cast<size_t>(F.type)]); }},
      {"value", kText, kNoTable,
       [](R, U u, I i) {
         const bool scalar = F.type != EntryType::kList && F.type != EntryType::kMap && F.type != EntryType::kNull;
         return scalar ? Text(F.value) : Value();
       }},
      {"number", kNumber, kNoTable, [](R, U u, I i) { return F.type == EntryType::kNumber ? Num(F.number) : Value(); }},
      {"size", kNumber, kNoTable, [](R, U u, I i) { return Num(F.size); }},
      {"numbers", kList, kNoTable,
       [](R r, U u, I i) {
         std::vector<Value> out;
         ForEachChildEntry(u.facts(), i, [&](I child) {
           if (u.facts().entries[child].type == EntryType::kNumber) out.push_back(Num(u.facts().entries[child].number));
         });
         return Value::List(r.Keep(std::move(out)));
       }},
      {"all_numbers", kBool, kNoTable,
       [](R, U u, I i) {
         bool all = true;
         ForEachChildEntry(u.facts(), i, [&](I child) { all &= u.facts().entries[child].type == EntryType::kNumber; });
         return Value::Bool(all);
       }},
      {"values", kList, kNoTable,
       [](R r, U u, I i) {
         std::vector<std::string_view> out;
         ForEachChildEntry(u.facts(), i, [&](I child) {
           const EntryFact& entry = u.facts().entries[child];
           if (entry.type != EntryType::kList && entry.type != EntryType::kMap) out.push_back(entry.value);
         });
         return Texts(r, out);
       }},
      {"keys", kList, kNoTable,
       [](R r, U u, I i) {
         std::vector<std::string_view> out;
         if (F.type == EntryType::kMap) {
           ForEachChildEntry(u.facts(), i, [&](I child) { out.push_back(u.facts().entries[child].key); });
         }
         return Texts(r, out);
       }},
      {"parent", kRow, FactTable::kEntry, [](R, U u, I i) { return Ref(u, FactTable::kEntry, F.parent); }},
      {"duplicate", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.duplicate); }},
      {"front", kBool, kNoTable, [](R, U u, I i) { return Value::Bool(F.front); }},
      {"json", kText, kNoTable,
       [](R r, U u, I i) {
         std::string out;
         WriteJson(u.facts(), i, out);
         return Text(r.Keep(std::move(out)));
       }},
  };
#undef F
  return kFields;
}

const std::vector<FieldInfo>& MacroFields() {
  static const std::vector<FieldInfo> kFields = {
      {"name", kText, kNoTable, [](R, U u, I i) { return Text(u.facts().macros[i].name); }},
      {"body", kText, kNoTable, [](R, U u, I i) { return Text(u.facts().macros[i].body); }},
  };
  return kFields;
}

const std::vector<FieldInfo>& NamespaceFields() {
  static const std::vector<FieldInfo> kFields = {
      {"name", kText, kNoTable, [](R, U u, I i) { return Text(u.facts().namespaces[i].name); }},
  };
  return kFields;
}

const std::vector<FieldInfo>& ValueFields() {
  static const std::vector<FieldInfo> kFields = {
      {"value", kText, kNoTable, [](R run, U, I i) { return i < run.values.size() ? run.values[i].first : Value(); }},
      {"index", kNumber, kNoTable,
       [](R run, U, I i) { return i < run.values.size() ? Num(static_cast<double>(run.values[i].second)) : Value(); }},
  };
  return kFields;
}

template <FactTable T>
const std::vector<FieldInfo>& Common() {
  static const std::vector<FieldInfo> kFields = {
      {"file", kRow, FactTable::kFile, [](R, U u, I) { return Ref(u, FactTable::kFile, 0); }},
      {"line", kNumber, kNoTable, [](R, U u, I i) { return Num(u.facts().LineOf(u.HeadOf(T, i).begin)); }},
      {"column", kNumber, kNoTable,
       [](R, U u, I i) {
         const uint32_t begin = u.HeadOf(T, i).begin;
         const uint32_t line = u.facts().LineOf(begin);
         return Num(static_cast<double>(CodePoints(u.facts().Text({u.facts().line_starts[line - 1], begin})) + 1));
       }},
      {"end_line", kNumber, kNoTable,
       [](R, U u, I i) {
         const ByteSpan span = u.SpanOf(T, i);
         return Num(u.facts().LineOf(span.end > span.begin ? span.end - 1 : span.begin));
       }},
      {"text", kText, kNoTable, [](R, U u, I i) { return Text(u.facts().Text(u.SpanOf(T, i))); }},
      {"added", kBool, kNoTable,
       [](R, U u, I i) {
         const ByteSpan span = u.SpanOf(T, i);
         const uint32_t last = u.facts().LineOf(span.end > span.begin ? span.end - 1 : span.begin);
         for (uint32_t line = u.facts().LineOf(span.begin); line <= last; ++line) {
           if (u.Added(line)) return Value::Bool(true);
         }
         return Value::Bool(false);
       }},
      {"kind", kText, kNoTable, [](R, U, I) { return Text(kTables[static_cast<size_t>(T)]); }},
  };
  return kFields;
}

// Fields of a table in up to three lists: its own, where its rows stand, and those of every row.
struct TableFields {
  const std::vector<FieldInfo>* own = nullptr;
  const std::vector<FieldInfo>* place = nullptr;
  const std::vector<FieldInfo>* common = nullptr;
};

TableFields FieldsOf(FactTable table) {
  switch (table) {
    case FactTable::kSet:
      return {&SetFields(), nullptr, nullptr};
    case FactTable::kFile:
      return {&FileFields(), nullptr, &Common<FactTable::kFile>()};
    case FactTable::kLine:
      return {&LineFields(), nullptr, &Common<FactTable::kLine>()};
    case FactTable::kFunction:
      return {&FunctionFields(), &PlaceFields<FactTable::kFunction>(), &Common<FactTable::kFunction>()};
    case FactTable::kParameter:
      return {&ParameterFields(), nullptr, &Common<FactTable::kParameter>()};
    case FactTable::kClass:
      return {&ClassFields(), &PlaceFields<FactTable::kClass>(), &Common<FactTable::kClass>()};
    case FactTable::kImport:
      return {&ImportFields(), &PlaceFields<FactTable::kImport>(), &Common<FactTable::kImport>()};
    case FactTable::kExpr:
      return {&ExprFields(), &PlaceFields<FactTable::kExpr>(), &Common<FactTable::kExpr>()};
    case FactTable::kAssign:
      return {&AssignFields(), &PlaceFields<FactTable::kAssign>(), &Common<FactTable::kAssign>()};
    case FactTable::kLoop:
      return {&LoopFields(), &PlaceFields<FactTable::kLoop>(), &Common<FactTable::kLoop>()};
    case FactTable::kStatement:
      return {&StatementFields(), &PlaceFields<FactTable::kStatement>(), &Common<FactTable::kStatement>()};
    case FactTable::kComment:
      return {&CommentFields(), &PlaceFields<FactTable::kComment>(), &Common<FactTable::kComment>()};
    case FactTable::kSection:
      return {&SectionFields(), nullptr, &Common<FactTable::kSection>()};
    case FactTable::kCheckbox:
      return {&CheckboxFields(), nullptr, &Common<FactTable::kCheckbox>()};
    case FactTable::kTableRow:
      return {&TableRowFields(), nullptr, &Common<FactTable::kTableRow>()};
    case FactTable::kListItem:
      return {&ListItemFields(), nullptr, &Common<FactTable::kListItem>()};
    case FactTable::kCodeBlock:
      return {&CodeBlockFields(), nullptr, &Common<FactTable::kCodeBlock>()};
    case FactTable::kCodeword:
      return {&CodewordFields(), nullptr, &Common<FactTable::kCodeword>()};
    case FactTable::kLink:
      return {&LinkFields(), nullptr, &Common<FactTable::kLink>()};
    case FactTable::kEntry:
      return {&EntryFields(), nullptr, &Common<FactTable::kEntry>()};
    case FactTable::kMacro:
      return {&MacroFields(), nullptr, &Common<FactTable::kMacro>()};
    case FactTable::kNamespace:
      return {&NamespaceFields(), nullptr, &Common<FactTable::kNamespace>()};
    case FactTable::kMatch:
      return {nullptr, nullptr, &Common<FactTable::kMatch>()};
    case FactTable::kValue:
      return {&ValueFields(), nullptr, nullptr};
  }
  return {};
}

constexpr KindInfo::Select kAllRows = KindInfo::Select::kAll;

const std::vector<KindInfo>& Kinds() {
  static const std::vector<KindInfo> kKinds = [] {
    std::vector<KindInfo> out;
    for (size_t i = 0; i < kTables.size(); ++i) out.push_back({kTables[i], static_cast<FactTable>(i), kAllRows, 0});
    for (size_t i = 1; i < kExprTypes.size(); ++i) {
      // "set" is all files; the literal has another name.
      const bool set = static_cast<ExprType>(i) == ExprType::kSet;
      out.push_back({set ? "set_literal" : kExprTypes[i], FactTable::kExpr, KindInfo::Select::kExprType,
                     static_cast<uint8_t>(i)});
    }
    for (const Slot slot : {Slot::kArgument, Slot::kKeyword, Slot::kDecorator, Slot::kAnnotation, Slot::kDefault}) {
      out.push_back(
          {kSlots[static_cast<size_t>(slot)], FactTable::kExpr, KindInfo::Select::kSlot, static_cast<uint8_t>(slot)});
    }
    for (size_t i = 0; i < kStatementTypes.size(); ++i) {
      const auto type = static_cast<StatementType>(i);
      if (type >= StatementType::kAssign) break;
      out.push_back(
          {kStatementTypes[i], FactTable::kStatement, KindInfo::Select::kStatementType, static_cast<uint8_t>(i)});
    }
    return out;
  }();
  return kKinds;
}

}  // namespace

const FieldInfo* FindField(FactTable table, std::string_view name) {
  const TableFields fields = FieldsOf(table);
  for (const auto* list : {fields.own, fields.place, fields.common}) {
    if (list == nullptr) continue;
    for (const FieldInfo& field : *list) {
      if (field.name == name) return &field;
    }
  }
  return nullptr;
}

std::vector<std::string_view> FieldNames(FactTable table) {
  std::vector<std::string_view> names;
  const TableFields fields = FieldsOf(table);
  for (const auto* list : {fields.own, fields.place, fields.common}) {
    if (list == nullptr) continue;
    for (const FieldInfo& field : *list) names.push_back(field.name);
  }
  return names;
}

const KindInfo* FindKind(std::string_view name) {
  for (const KindInfo& kind : Kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::vector<std::string_view> KindNames() {
  std::vector<std::string_view> names;
  for (const KindInfo& kind : Kinds()) names.push_back(kind.name);
  return names;
}

}  // namespace yardmaster::rules
