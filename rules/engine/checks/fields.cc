#include "rules/engine/checks/fields.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/field_getters.h"
#include "services/core/readable.h"
#include "services/core/utf8.h"

namespace yardmaster::rules {
namespace {

// ---- What several getters need

std::optional<std::string_view> TextUnless(bool missing, std::string_view text) {
  return missing ? std::nullopt : std::optional(text);
}

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

constexpr uint32_t kExecutableMode = 0100755;

// Missing where nothing is compared.
std::optional<std::string_view> ChangeOfFile(const Unit& unit) {
  if (unit.untouched) return "same-as-base";
  return unit.change ? std::optional(FileChangeName(unit.change->kind)) : std::nullopt;
}

uint32_t ModeOf(const Unit& unit) {
  if (!unit.change) return 0;
  return unit.is_base ? unit.change->former_mode : unit.change->mode;
}

// Of base: removed ones.
size_t AddedLinesOf(const Unit& unit) {
  size_t count = 0;
  for (uint32_t line = 1; line <= unit.RowCount(FactTable::kLine); ++line) count += unit.Added(line) ? 1 : 0;
  return count;
}

std::string_view GuardName(Guard guard) {
  return guard == Guard::kNone ? std::string_view() : kGuards[static_cast<size_t>(guard) - 1];
}

Texts ParametersOf(const FunctionFact& function, const Unit& unit, std::initializer_list<ParameterForm> forms) {
  Texts names;
  for (uint32_t i = 0; i < function.parameters; ++i) {
    const ParameterFact& parameter = unit.facts().parameters[function.first_parameter + i];
    if (absl::c_linear_search(forms, parameter.form)) names.push_back(parameter.name);
  }
  return names;
}

Texts DecoratorNames(const Unit& unit, FactTable table, RowIndex row) {
  Texts names;
  for (const RowIndex expr : unit.DecoratorsOf(table, row)) names.push_back(unit.facts().exprs[expr].name);
  return names;
}

// The path from the root that a link of a document leads to: "../x" where that is outside, empty for other sites and
// for places of the same document.
std::string LinkedPath(std::string_view document, std::string_view target) {
  target = target.substr(0, target.find_first_of("#?"));
  const size_t colon = target.find(':');
  if (target.empty() || target.starts_with("//") || (colon != std::string_view::npos && colon < target.find('/'))) {
    return {};
  }
  const bool from_root = target.front() == '/';
  const std::filesystem::path folder = from_root ? "" : std::filesystem::path(document).parent_path();
  std::string path = (folder / target.substr(from_root ? 1 : 0)).lexically_normal().generic_string();
  if (path.ends_with('/')) path.pop_back();
  return path;
}

// Rows directly inside of one; of expressions and of entries.
template <typename Fact, typename Visit>
void ForEachChild(const std::vector<Fact>& facts, RowIndex row, Visit visit) {
  for (RowIndex i = row + 1; i < facts[row].subtree_end; i = facts[i].subtree_end) visit(i, facts[i]);
}

// Positional arguments or items, in order, as numbers; nullopt for those that are none.
std::vector<std::optional<double>> ItemNumbers(RowIndex row, const Unit& unit) {
  const auto& exprs = unit.facts().exprs;
  const bool call = exprs[row].type == ExprType::kCall;
  std::vector<std::optional<double>> numbers;
  ForEachChild(exprs, row, [&](RowIndex item, const ExprFact& fact) {
    const bool counts = call ? fact.slot == Slot::kArgument : fact.slot == Slot::kItem || fact.slot == Slot::kIndex;
    if (counts) numbers.push_back(unit.NumberOf(item));
  });
  return numbers;
}

// The entry and what is inside, as JSON without white space.
void WriteJson(const FileFacts& facts, RowIndex row, std::string& out) {
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
      for (RowIndex i = row + 1; i < entry.subtree_end; i = facts.entries[i].subtree_end) {
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

// The type as the code has it, whatever the language; missing where there is none.
std::optional<std::string_view> WrittenType(std::string_view type, RowIndex annotation, const Unit& unit) {
  if (!type.empty()) return type;
  if (annotation == kNoRow) return std::nullopt;
  return unit.facts().Text(unit.facts().exprs[annotation].span);
}

const ExprFact* TargetOf(const AssignFact& assign, const Unit& unit) {
  return assign.target == kNoRow ? nullptr : &unit.facts().exprs[assign.target];
}

uint32_t LastLine(const RowRef& row) {
  const ByteSpan span = row.unit->SpanOf(row.table, row.index);
  return row.unit->facts().LineOf(span.end > span.begin ? span.end - 1 : span.begin);
}

// Whether the row has a line that the other version does not have at its place.
bool TouchesAdded(const RowRef& row) { return row.unit->TouchesAdded(row.table, row.index); }

const std::array<std::string_view, kLanguageCount> kLanguages = [] {
  std::array<std::string_view, kLanguageCount> names;
  for (size_t i = 0; i < kLanguageCount; ++i) names[i] = LanguageName(static_cast<Language>(i));
  return names;
}();

FieldInfo OfRoles(FieldInfo field) {
  field.role = true;
  return field;
}

// ---- The fields of each table

using Fields = std::vector<FieldInfo>;

Fields SetFields() {
  return {Field("path", [](Run& run, const RowRef&) { return std::string_view(run.set_path); }),
          Field("size", [](Run& run, const RowRef&) { return run.units.size(); })};
}

Fields FileFields() {
  return {
      OfFile("path", [](auto& u) { return std::string_view(u.path()); }),
      OfFile("name", [](auto& u) { return FileName(u.path()); }),
      OfFile("stem",
             [](auto& u) {
               const std::string_view name = FileName(u.path());
               return name.rfind('.') == 0 ? name : name.substr(0, name.rfind('.'));
             }),
      OfFile("extension",
             [](auto& u) {
               const std::string_view name = FileName(u.path());
               const size_t dot = name.rfind('.');
               return TextUnless(dot == std::string_view::npos || dot == 0, name.substr(dot + 1));
             }),
      OfFile("folder",
             [](auto& u) {
               const std::string_view path = u.path();
               return path.substr(0, path.size() - FileName(path).size()).substr(0, path.rfind('/'));
             }),
      OfRoles(OfFile("role", [](auto& u) { return TextUnless(u.role.empty(), u.role); })),
      Among(kLanguages, OfFile("language", [](auto& u) { return LanguageName(u.facts().language); })),
      OfFile("lines", [](auto& u) { return u.RowCount(FactTable::kLine); }),
      OfFile("bytes",
             [](auto& u) {
               const bool binary = u.change && u.change->binary && !u.is_base;
               return binary ? static_cast<size_t>(u.change->binary_bytes) : u.facts().text.size();
             }),
      OfFile("valid", [](auto& u) { return u.facts().errors.empty(); }),
      OfFile("new", [](auto& u) { return !u.compared() && !u.untouched; }),
      OfFile("change", [](auto& u) { return ChangeOfFile(u); }),
      OfFile("former_path",
             [](auto& u) {
               return TextUnless(!u.change || u.change->former_path.empty(),
                                 u.change ? std::string_view(u.change->former_path) : std::string_view());
             }),
      OfFile("binary", [](auto& u) { return u.change && u.change->binary; }),
      OfFile("link", [](auto& u) { return ModeOf(u) == kLinkMode; }),
      OfFile("submodule", [](auto& u) { return ModeOf(u) == kSubmoduleMode; }),
      OfFile("executable", [](auto& u) { return ModeOf(u) == kExecutableMode; }),
      OfFile("mode_changed",
             [](auto& u) {
               return u.change && u.change->mode != 0 && u.change->former_mode != 0 &&
                      u.change->mode != u.change->former_mode;
             }),
      OfFile("added_lines", [](auto& u) { return AddedLinesOf(u); }),
      OfFile("removed_lines", [](auto& u) { return u.base == nullptr ? 0 : AddedLinesOf(*u.base); }),
      OfFile("head", [](auto& u) { return FirstCodePoints(u.facts().text, 512); }),
      OfFile("front_matter", [](auto& u) { return u.facts().front_matter; }),
  };
}

std::string_view LineText(const RowRef& row) { return row.unit->facts().LineText(row.index + 1); }

Fields LineFields() {
  return {
      Field("number", [](Run&, const RowRef& row) { return row.index + 1; }),
      Field("indent",
            [](Run&, const RowRef& row) {
              return std::min(LineText(row).find_first_not_of(" \t"), LineText(row).size());
            }),
      Field("blank",
            [](Run&, const RowRef& row) { return LineText(row).find_first_not_of(" \t") == std::string_view::npos; }),
      Field("length", [](Run&, const RowRef& row) { return CodePoints(LineText(row)); }),
  };
}

Fields FunctionFields() {
  using F = FunctionFact;
  using T = Of<&FileFacts::functions>;
  using Form = ParameterForm;
  return {
      T::Is<&F::name>("name"),
      T::Is<&F::qualified>("qualified"),
      T::Is<&F::level>("level"),
      T::Is<&F::is_async>("async"),
      T::By("params",
            [](auto& f, auto& u) {
              return ParametersOf(f, u, {Form::kPositional, Form::kPositionalOnly, Form::kKeywordOnly});
            }),
      T::By("positional",
            [](auto& f, auto& u) {
              return ParametersOf(f, u, {Form::kPositional, Form::kPositionalOnly});
            }),
      T::By("keyword_only", [](auto& f, auto& u) { return ParametersOf(f, u, {Form::kKeywordOnly}); }),
      T::By("varargs", [](auto& f, auto& u) { return ParametersOf(f, u, {Form::kArgs}); }),
      T::By("varkw", [](auto& f, auto& u) { return ParametersOf(f, u, {Form::kKwargs}); }),
      T::By("required",
            [](auto& f, auto& u) {
              uint32_t count = 0;
              for (uint32_t i = 0; i < f.parameters; ++i) {
                const ParameterFact& parameter = u.facts().parameters[f.first_parameter + i];
                const bool star = parameter.form == Form::kArgs || parameter.form == Form::kKwargs;
                count += !star && !parameter.has_default ? 1 : 0;
              }
              return count;
            }),
      T::Refers<FactTable::kExpr, &F::returns>("returns"),
      T::By("return_type", [](auto& f, auto& u) { return WrittenType(f.type, f.returns, u); }),
      T::By("doc", [](auto& f) { return TextUnless(!f.has_doc, f.doc); }),
      T::By("decorators", [](auto&, auto& u, RowIndex i) { return DecoratorNames(u, FactTable::kFunction, i); }),
      T::Is<&F::generator>("generator"),
      T::Is<&F::stub>("stub"),
      T::Is<&F::global_kernel>("global_kernel"),
      T::Is<&F::type_parameters>("type_parameters"),
      T::Is<&F::statements>("statements"),
      T::Is<&F::branches>("branches"),
      T::By("body_lines",
            [](auto& f, auto& u) {
              const FileFacts& facts = u.facts();
              return f.body.end <= f.body.begin ? 0 : facts.LineOf(f.body.end - 1) - facts.LineOf(f.body.begin) + 1;
            }),
      T::By("public", [](auto& f) { return !f.name.starts_with('_'); }),
  };
}

Fields ParameterFields() {
  using F = ParameterFact;
  using T = Of<&FileFacts::parameters>;
  return {T::Is<&F::name>("name"),
          T::Is<&F::index>("index"),
          T::Is<&F::form>("form"),
          T::Refers<FactTable::kFunction, &F::function>("function"),
          T::Refers<FactTable::kExpr, &F::annotation>("annotation"),
          T::By("declared_type", [](auto& f, auto& u) { return WrittenType(f.type, f.annotation, u); }),
          T::Refers<FactTable::kExpr, &F::default_value>("default")};
}

Fields ClassFields() {
  using F = ClassFact;
  using T = Of<&FileFacts::classes>;
  return {
      T::Is<&F::name>("name"),
      T::Is<&F::qualified>("qualified"),
      T::Is<&F::level>("level"),
      T::Is<&F::bases>("bases"),
      T::Is<&F::type_parameters>("type_parameters"),
      T::By("decorators", [](auto&, auto& u, RowIndex i) { return DecoratorNames(u, FactTable::kClass, i); }),
      T::By("doc", [](auto& f) { return TextUnless(!f.has_doc, f.doc); }),
      T::Is<&F::statements>("statements"),
      T::By("public", [](auto& f) { return !f.name.starts_with('_'); }),
  };
}

Fields ImportFields() {
  using F = ImportFact;
  using T = Of<&FileFacts::imports>;
  return {
      Among(kImportForms, T::Is<&F::form>("form")),
      T::Is<&F::module>("module"),
      T::May<&F::name>("name"),
      T::May<&F::alias>("alias"),
      T::May<&F::bound>("bound"),
      T::Is<&F::level>("level"),
      T::By("root", [](auto& f) { return f.module.substr(0, f.module.find('.')); }),
      T::By("last", [](auto& f) { return f.module.substr(f.module.rfind('.') + 1); }),
      T::Is<&F::top>("top"),
      T::Is<&F::system>("system"),
  };
}

Fields ExprFields() {
  using F = ExprFact;
  using T = Of<&FileFacts::exprs>;
  return {
      T::Is<&F::type>("type"),
      T::Is<&F::slot>("slot"),
      T::Is<&F::index>("index"),
      T::May<&F::keyword>("keyword"),
      T::Refers<FactTable::kExpr, &F::parent>("parent"),
      T::By("call",
            [](auto& f) { return ToExpr{f.slot == Slot::kArgument || f.slot == Slot::kKeyword ? f.parent : kNoRow}; }),
      T::By("statement", [](auto& f) { return ToStatement{f.place.statement}; }),
      T::By("of_parameter",
            [](auto& f) {
              return ToParameter{f.slot == Slot::kAnnotation || f.slot == Slot::kDefault ? f.owner : kNoRow};
            }),
      T::May<&F::name>("name"),
      T::By("resolved", [](auto&, auto& u, RowIndex i) { return T::NotEmpty(u.ResolvedName(i)); }),
      T::May<&F::attr>("attr"),
      T::May<&F::root>("root"),
      T::Refers<FactTable::kExpr, &F::base>("base"),
      T::Is<&F::positional>("size"),
      T::By("keywords",
            [](auto&, auto& u, RowIndex i) {
              Texts names;
              ForEachChild(u.facts().exprs, i, [&](RowIndex, const ExprFact& child) {
                if (!child.keyword.empty()) names.push_back(child.keyword);
              });
              return names;
            }),
      T::By("numbers",
            [](auto&, auto& u, RowIndex i) {
              Values values;
              for (const std::optional<double>& number : ItemNumbers(i, u)) {
                if (number) values.push_back(Value::Number(*number));
              }
              return values;
            }),
      T::By("all_numbers",
            [](auto&, auto& u, RowIndex i) {
              return absl::c_all_of(ItemNumbers(i, u), [](const auto& number) { return number.has_value(); });
            }),
      T::May<&F::op>("op"),
      T::By("value",
            [](auto& f) {
              const bool literal =
                  f.type == ExprType::kString || f.type == ExprType::kNumber || f.type == ExprType::kConstant;
              return TextUnless(!literal, f.value);
            }),
      T::By("number", [](auto&, auto& u, RowIndex i) { return u.NumberOf(i); }),
      T::By("string", [](auto&, auto& u, RowIndex i) { return u.TextOf(i); }),
      T::By("binding", [](auto&, auto& u, RowIndex i) { return To<FactTable::kAssign>{u.BindingOf(i)}; }),
      T::By("parameter", [](auto&, auto& u, RowIndex i) { return ToParameter{u.ParameterOf(i)}; }),
      T::By("target", [](auto&, auto& u, RowIndex i) { return ToFunction{u.TargetOf(i)}; }),
      T::Is<&F::launch>("launch"),
  };
}

Fields AssignFields() {
  using F = AssignFact;
  using T = Of<&FileFacts::assigns>;
  return {
      Among(kAssignForms, T::Is<&F::form>("form")),
      T::Is<&F::op>("op"),
      T::Refers<FactTable::kExpr, &F::target>("target"),
      T::By("target_type",
            [](auto& f, auto& u) {
              const ExprFact* target = TargetOf(f, u);
              return target == nullptr ? std::nullopt : std::optional(target->type);
            }),
      T::By("name",
            [](auto& f, auto& u) {
              const ExprFact* target = TargetOf(f, u);
              return target == nullptr ? std::nullopt : T::NotEmpty(target->name);
            }),
      T::By("root",
            [](auto& f, auto& u) {
              const ExprFact* target = TargetOf(f, u);
              return target == nullptr ? std::nullopt : T::NotEmpty(target->root);
            }),
      T::Is<&F::in_tuple>("in_tuple"),
      T::By("position",
            [](auto& f) {
              return f.position.has_value() ? std::optional<double>(*f.position) : std::optional<double>();
            }),
      T::Refers<FactTable::kExpr, &F::value>("value"),
      T::Refers<FactTable::kExpr, &F::annotation>("annotation"),
      T::By("declared_type", [](auto& f, auto& u) { return WrittenType(f.type, f.annotation, u); }),
      T::By("parameter",
            [](auto& f, auto& u) {
              const ExprFact* target = TargetOf(f, u);
              const bool name = target != nullptr && target->type == ExprType::kName;
              return ToParameter{name ? u.ParameterNamed(f.place.function, target->name) : kNoRow};
            }),
      T::Is<&F::level>("level"),
      T::By("statement", [](auto& f) { return ToStatement{f.place.statement}; }),
  };
}

Fields LoopFields() {
  using F = LoopFact;
  using T = Of<&FileFacts::loops>;
  return {Among(kLoopForms, T::Is<&F::form>("form")), T::Refers<FactTable::kExpr, &F::iterable>("iterable"),
          T::Refers<FactTable::kExpr, &F::condition>("condition"), T::Is<&F::variables>("variables"),
          T::Is<&F::depth>("depth")};
}

Fields StatementFields() {
  using F = StatementFact;
  using T = Of<&FileFacts::statements>;
  return {T::Is<&F::type>("type"),
          T::Refers<FactTable::kExpr, &F::value>("value"),
          T::By("parent", [](auto& f) { return ToStatement{f.place.statement}; }),
          T::Is<&F::nested>("nested"),
          T::Is<&F::index>("index"),
          T::Is<&F::after_jump>("after_jump"),
          T::Is<&F::bare>("bare"),
          T::Is<&F::names>("names")};
}

Fields CommentFields() {
  using T = Of<&FileFacts::comments>;
  return {T::Is<&CommentFact::body>("body"), T::Is<&CommentFact::own_line>("own_line")};
}

Fields SectionFields() {
  using F = SectionFact;
  using T = Of<&FileFacts::sections>;
  return {T::Is<&F::title>("title"),
          T::Is<&F::level>("level"),
          T::Is<&F::body>("body"),
          T::Is<&F::own>("own"),
          T::Refers<FactTable::kSection, &F::parent>("parent"),
          T::Is<&F::index>("index")};
}

template <auto Items>
Fields ItemFields() {
  using F = MarkdownItemFact;
  using T = Of<Items>;
  return {T::template Is<&F::body>("body"), T::template Is<&F::index>("index"),
          T::template Refers<FactTable::kSection, &F::section>("section")};
}

Fields CheckboxFields() {
  using T = Of<&FileFacts::checkboxes>;
  Fields fields = ItemFields<&FileFacts::checkboxes>();
  fields.push_back(T::Is<&MarkdownItemFact::extra>("mark"));
  fields.push_back(T::By("checked", [](auto& f) {
    static constexpr std::string_view kMarks[] = {"✓", "✔", "✅", "☑"};
    return f.extra == "x" || f.extra == "X" ||
           absl::c_any_of(kMarks, [&](std::string_view mark) { return f.extra.starts_with(mark); });
  }));
  return fields;
}

Fields TableRowFields() {
  using F = TableRowFact;
  using T = Of<&FileFacts::table_rows>;
  return {
      T::Is<&F::cells>("cells"),
      T::By("first",
            [](auto& f) { return f.cells.empty() ? std::nullopt : std::optional<std::string_view>(f.cells.front()); }),
      T::By("last",
            [](auto& f) {
              const auto cell =
                  std::find_if(f.cells.rbegin(), f.cells.rend(), [](const auto& one) { return !one.empty(); });
              return cell == f.cells.rend() ? std::nullopt : std::optional<std::string_view>(*cell);
            }),
      T::By("header",
            [](auto& f, auto& u) {
              return f.header == kNoRow ? std::nullopt : std::optional(u.facts().table_headers[f.header]);
            }),
      T::Is<&F::index>("index"),
      T::Is<&F::table>("table"),
      T::Refers<FactTable::kSection, &F::section>("section"),
  };
}

Fields CodeBlockFields() {
  using F = CodeBlockFact;
  using T = Of<&FileFacts::code_blocks>;
  return {T::May<&F::language>("language"), T::Is<&F::body>("body"), T::Is<&F::valid>("valid"),
          T::Refers<FactTable::kSection, &F::section>("section")};
}

Fields CodewordFields() { return {Of<&FileFacts::codewords>::Is<&MarkdownItemFact::body>("name")}; }

Fields LinkFields() {
  using F = MarkdownItemFact;
  using T = Of<&FileFacts::links>;
  return {T::Is<&F::body>("target"), T::Is<&F::extra>("title"), T::Refers<FactTable::kSection, &F::section>("section"),
          Field("path", [](Run& run, const RowRef& row) {
            std::string path = LinkedPath(run.tree.PathOf(*row.unit), row.unit->facts().links[row.index].body);
            return path.empty() ? Value() : Value::Text(run.Keep(std::move(path)));
          })};
}

Fields EntryFields() {
  using F = EntryFact;
  using T = Of<&FileFacts::entries>;
  return {
      T::Is<&F::pointer>("pointer"),
      T::By("key",
            [](auto& f, auto& u) {
              const bool in_map = f.parent != kNoRow && u.facts().entries[f.parent].type == EntryType::kMap;
              return TextUnless(!in_map, f.key);
            }),
      T::Is<&F::index>("index"),
      T::Is<&F::depth>("depth"),
      T::Is<&F::type>("type"),
      T::By("value",
            [](auto& f) {
              const bool scalar = f.type != EntryType::kList && f.type != EntryType::kMap && f.type != EntryType::kNull;
              return TextUnless(!scalar, f.value);
            }),
      T::By("number", [](auto& f) { return f.type == EntryType::kNumber ? std::optional(f.number) : std::nullopt; }),
      T::Is<&F::size>("size"),
      T::By("numbers",
            [](auto&, auto& u, RowIndex i) {
              Values values;
              ForEachChild(u.facts().entries, i, [&](RowIndex, const F& child) {
                if (child.type == EntryType::kNumber) values.push_back(Value::Number(child.number));
              });
              return values;
            }),
      T::By("all_numbers",
            [](auto&, auto& u, RowIndex i) {
              bool all = true;
              ForEachChild(u.facts().entries, i,
                           [&](RowIndex, const F& child) { all &= child.type == EntryType::kNumber; });
              return all;
            }),
      T::By("values",
            [](auto&, auto& u, RowIndex i) {
              Texts values;
              ForEachChild(u.facts().entries, i, [&](RowIndex, const F& child) {
                if (child.type != EntryType::kList && child.type != EntryType::kMap) values.push_back(child.value);
              });
              return values;
            }),
      T::By("keys",
            [](auto&, auto& u, RowIndex i) {
              Texts keys;
              if (u.facts().entries[i].type != EntryType::kMap) return keys;
              ForEachChild(u.facts().entries, i, [&](RowIndex, const F& child) { keys.push_back(child.key); });
              return keys;
            }),
      T::Refers<FactTable::kEntry, &F::parent>("parent"),
      T::Is<&F::duplicate>("duplicate"),
      T::Is<&F::front>("front"),
      Field("json",
            [](Run& run, const RowRef& row) {
              std::string out;
              WriteJson(row.unit->facts(), row.index, out);
              return run.Keep(std::move(out));
            }),
  };
}

Fields MacroFields() {
  using T = Of<&FileFacts::macros>;
  return {T::Is<&NamedFact::name>("name"), T::Is<&NamedFact::body>("body")};
}

Fields NamespaceFields() { return {Of<&FileFacts::namespaces>::Is<&NamedFact::name>("name")}; }

Fields ValueFields() {
  return {
      Field("value",
            [](Run& run, const RowRef& row) {
              return row.index < run.values.size() ? run.values[row.index].first : Value();
            }),
      Field("index",
            [](Run& run, const RowRef& row) {
              return row.index < run.values.size() ? std::optional(run.values[row.index].second) : std::nullopt;
            }),
  };
}

// Of rows of code: where they stand.
template <auto Facts>
Fields PlaceFields() {
  using T = Of<Facts>;
  return {
      T::By("function", [](auto& f) { return ToFunction{f.place.function}; }),
      T::By("class", [](auto& f) { return To<FactTable::kClass>{f.place.cls}; }),
      T::By("loop", [](auto& f) { return To<FactTable::kLoop>{f.place.loop}; }),
      T::By("in_block", [](auto& f) { return To<FactTable::kCodeBlock>{f.place.block}; }),
      Among(
          kGuards,
          T::By("guard", [](auto& f) { return TextUnless(f.place.guard == Guard::kNone, GuardName(f.place.guard)); })),
  };
}

// Of every row of a file.
Fields CommonFields() {
  return {
      Field("file", [](Run&, const RowRef&) { return To<FactTable::kFile>{0}; }),
      Field("line", [](Run&, const RowRef& row) { return row.unit->LineOf(row.table, row.index); }),
      Field("column",
            [](Run&, const RowRef& row) {
              const FileFacts& facts = row.unit->facts();
              const uint32_t begin = row.unit->HeadOf(row.table, row.index).begin;
              return CodePoints(facts.Text({facts.line_starts[facts.LineOf(begin) - 1], begin})) + 1;
            }),
      Field("end_line", [](Run&, const RowRef& row) { return LastLine(row); }),
      Field("text",
            [](Run&, const RowRef& row) { return row.unit->facts().Text(row.unit->SpanOf(row.table, row.index)); }),
      Field("added", [](Run&, const RowRef& row) { return !row.unit->is_base && TouchesAdded(row); }),
      Field("removed", [](Run&, const RowRef& row) { return row.unit->is_base && TouchesAdded(row); }),
      Among(kTables, Field("kind", [](Run&, const RowRef& row) { return NameIn(kTables, row.table); })),
  };
}

// Of named pieces of a file: what they were before a change, and what became of them.
template <FactTable Table>
Fields ChangeFields() {
  static_assert(Table != FactTable::kFile);
  return {{"former", FieldType::kRow, Table,
           [](Run& run, const RowRef& row) { return Value::Row(run.counterparts.FormerOf(row)); }},
          {"later", FieldType::kRow, Table,
           [](Run& run, const RowRef& row) { return Value::Row(run.counterparts.LaterOf(row)); }},
          Field("change", [](Run& run, const RowRef& row) {
            const std::string_view word = run.counterparts.ChangeOf(row);
            return TextUnless(word.empty(), word);
          })};
}

Fields Together(std::initializer_list<Fields> parts) {
  Fields all;
  for (const Fields& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

const Fields& FieldsOf(FactTable table) {
  static const Fields kCommon = CommonFields();
  // By table, in the order of FactTable.
  static const std::array<Fields, kFactTableCount> kFields = {
      SetFields(),
      Together({FileFields(), kCommon}),
      Together({LineFields(), kCommon}),
      Together({FunctionFields(), ChangeFields<FactTable::kFunction>(), PlaceFields<&FileFacts::functions>(), kCommon}),
      Together({ParameterFields(), ChangeFields<FactTable::kParameter>(), kCommon}),
      Together({ClassFields(), ChangeFields<FactTable::kClass>(), PlaceFields<&FileFacts::classes>(), kCommon}),
      Together({ImportFields(), ChangeFields<FactTable::kImport>(), PlaceFields<&FileFacts::imports>(), kCommon}),
      Together({ExprFields(), PlaceFields<&FileFacts::exprs>(), kCommon}),
      Together({AssignFields(), PlaceFields<&FileFacts::assigns>(), kCommon}),
      Together({LoopFields(), PlaceFields<&FileFacts::loops>(), kCommon}),
      Together({StatementFields(), PlaceFields<&FileFacts::statements>(), kCommon}),
      Together({CommentFields(), PlaceFields<&FileFacts::comments>(), kCommon}),
      Together({SectionFields(), ChangeFields<FactTable::kSection>(), kCommon}),
      Together({CheckboxFields(), kCommon}),
      Together({TableRowFields(), kCommon}),
      Together({ItemFields<&FileFacts::list_items>(), kCommon}),
      Together({CodeBlockFields(), kCommon}),
      Together({CodewordFields(), kCommon}),
      Together({LinkFields(), kCommon}),
      Together({EntryFields(), ChangeFields<FactTable::kEntry>(), kCommon}),
      Together({MacroFields(), kCommon}),
      Together({NamespaceFields(), kCommon}),
      kCommon,
      ValueFields(),
  };
  return kFields[static_cast<size_t>(table)];
}

constexpr KindInfo::Select kAllRows = KindInfo::Select::kAll;

const std::vector<KindInfo>& Kinds() {
  static const std::vector<KindInfo> kKinds = [] {
    std::vector<KindInfo> out;
    for (size_t i = 0; i < kTables.size(); ++i) out.push_back({kTables[i], static_cast<FactTable>(i), kAllRows, 0});
    for (size_t i = 1; i < kExprTypes.size(); ++i) {
      out.push_back({kExprTypes[i], FactTable::kExpr, KindInfo::Select::kExprType, static_cast<uint8_t>(i)});
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

template <typename List>
auto Find(const List& list, std::string_view name) {
  const auto it = absl::c_find_if(list, [&](const auto& one) { return one.name == name; });
  return it == list.end() ? nullptr : &*it;
}

template <typename List>
Texts NamesOf(const List& list) {
  Texts names;
  for (const auto& one : list) names.push_back(one.name);
  return names;
}

}  // namespace

const FieldInfo* FindField(FactTable table, std::string_view name) { return Find(FieldsOf(table), name); }

std::vector<std::string_view> FieldNames(FactTable table) { return NamesOf(FieldsOf(table)); }

std::string_view TableName(FactTable table) { return NameIn(kTables, table); }

const KindInfo* FindKind(std::string_view name) { return Find(Kinds(), name); }

std::vector<std::string_view> KindNames() { return NamesOf(Kinds()); }

}  // namespace yardmaster::rules
