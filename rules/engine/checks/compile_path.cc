// Paths, and templates, whose placeholders are paths.
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/compile_names.h"
#include "rules/engine/checks/compiler.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

// Steps that take a position or a name.
constexpr std::string_view kSelectorSteps[] = {"arg", "item", "param", "child", "cell", "decorator"};

}  // namespace

bool CheckCompiler::AddStep(std::string_view text, const std::string& pointer, std::string_view whole, StaticType& type,
                            Path& path, std::vector<std::string_view>& rest) {
  if (!type.IsRow()) {
    Add(pointer, "nothing can follow before " + Quoted(text) + " in " + Quoted(whole) + ": it is not a reference");
    return false;
  }
  const FactTable table = type.table;
  Path::Step step;
  // Steps with a selector.
  const auto selector = [&](Path::StepKind kind, FactTable target) {
    step.kind = kind;
    if (rest.empty()) {
      Add(pointer, "expected a position or a name behind " + Quoted(text) + " in " + Quoted(whole));
      return false;
    }
    for (const std::string_view one : Split(rest.front(), ',')) {
      Path::Selector part;
      int position = 0;
      const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), position);
      if (error == std::errc() && end == one.data() + one.size()) {
        part.position = position;
      } else {
        part.name = one;
      }
      step.selectors.push_back(std::move(part));
    }
    rest.erase(rest.begin());
    type = {true, kind == Path::StepKind::kCell ? FieldType::kText : FieldType::kRow, target};
    path.steps.push_back(std::move(step));
    NoteKey("step", kSelectorSteps, text);
    return true;
  };
  if (table == FactTable::kExpr && text == "arg") return selector(Path::StepKind::kArgument, FactTable::kExpr);
  if (table == FactTable::kExpr && text == "item") return selector(Path::StepKind::kItem, FactTable::kExpr);
  if (table == FactTable::kFunction && text == "param") {
    return selector(Path::StepKind::kParameter, FactTable::kParameter);
  }
  if (table == FactTable::kTableRow && text == "cell") return selector(Path::StepKind::kCell, FactTable::kFile);
  if (table == FactTable::kEntry && text == "child") return selector(Path::StepKind::kChild, FactTable::kEntry);
  if ((table == FactTable::kFunction || table == FactTable::kClass) && text == "decorator") {
    return selector(Path::StepKind::kDecorator, FactTable::kExpr);
  }
  if (const FieldInfo* field = FindField(table, text)) {
    step.field = field;
    use_.functions.emplace(TableName(table), field->name);
    path.steps.push_back(std::move(step));
    type = {true, field->type, field->target, field};
    return true;
  }
  if ((table == FactTable::kFile || table == FactTable::kSet) && groups_.count(text) > 0) {
    step.kind = table == FactTable::kFile ? Path::StepKind::kGroup : Path::StepKind::kSetGroup;
    step.name = text;
    path.steps.push_back(std::move(step));
    type = {true, FieldType::kText, FactTable::kFile};
    return true;
  }
  Add(pointer, "unknown field " + Quoted(text) + " in " + Quoted(whole) + DidYouMean(text, FieldNames(table)) +
                   "; known are " + Listed(FieldNames(table)));
  return false;
}

std::optional<Path> CheckCompiler::CompilePath(const JsonPlace& at, const NameScope& scope, StaticType* type) {
  StaticType unused;
  if (!at.value->is_string()) return Fail<std::optional<Path>>(at.pointer, "expected a path");
  return CompilePathText(at.value->get_ref<const std::string&>(), at.pointer, scope, type == nullptr ? unused : *type);
}

std::optional<Path> CheckCompiler::CompileReference(const JsonPlace& at, const NameScope& scope) {
  StaticType type;
  std::optional<Path> path = CompilePath(at, scope, &type);
  if (path && !type.IsRow()) Add(at.pointer, "expected the path of a reference");
  return path;
}

std::optional<Path> CheckCompiler::CompilePathText(std::string_view text, const std::string& pointer,
                                                   const NameScope& scope, StaticType& type) {
  Path path;
  std::vector<std::string_view> parts = Split(text, '.');
  const std::string_view first = parts.front();
  const auto drop_first = [&] { parts.erase(parts.begin()); };
  type = {};

  // Outwards: a row of that name, a named value, an option; else a field of the innermost row.
  std::optional<size_t> slot;
  for (size_t i = 0; i < scope.rows.size(); ++i) {
    if (!scope.rows[i].name.empty() && scope.rows[i].name == first) slot = i;
  }
  const auto let = absl::c_find_if(scope.lets, [&](const NameScope::Let& one) { return one.name == first; });
  if (slot) {
    path.slot = *slot;
    type = {true, FieldType::kRow, scope.rows[*slot].table};
    drop_first();
  } else if (let != scope.lets.end()) {
    path.start = Path::Start::kLet;
    path.slot = static_cast<size_t>(let - scope.lets.begin());
    if (let->table) type = {true, FieldType::kRow, *let->table};
    drop_first();
  } else if (first == "set") {
    path.start = Path::Start::kSet;
    type = {true, FieldType::kRow, FactTable::kSet};
    drop_first();
  } else if (first == "option") {
    drop_first();
    if (parts.size() != 1) {
      Add(pointer, "expected \"option\" and a name, got " + Quoted(text));
      return std::nullopt;
    }
    path.start = Path::Start::kOption;
    path.name = parts.front();
    type = {true, FieldType::kText, FactTable::kFile};
    return path;
  } else {
    path.slot = scope.rows.size() - 1;
    type = {true, FieldType::kRow, scope.rows.back().table};
    // Captures of a query.
    if (type.table == FactTable::kMatch && scope.captures != nullptr) {
      const auto capture = absl::c_find(*scope.captures, first);
      if (capture != scope.captures->end()) {
        Path::Step step;
        step.kind = Path::StepKind::kCapture;
        step.capture = static_cast<size_t>(capture - scope.captures->begin());
        path.steps.push_back(std::move(step));
        type = {true, FieldType::kText, FactTable::kFile};
        drop_first();
      }
    }
  }
  while (!parts.empty()) {
    const std::string_view step = parts.front();
    drop_first();
    if (!AddStep(step, pointer, text, type, path, parts)) return std::nullopt;
  }
  // Packs have ten thousands of paths, most of one step.
  path.steps.shrink_to_fit();
  return path;
}

bool CheckCompiler::CompileFilter(std::string_view text, const std::string& pointer, Template::Part& part) {
  using Kind = Template::Filter::Kind;
  static constexpr std::pair<std::string_view, Kind> kFilters[] = {{"upper", Kind::kUpper},
                                                                   {"lower", Kind::kLower},
                                                                   {"or", Kind::kOr},
                                                                   {"map", Kind::kMap},
                                                                   {"nearest", Kind::kNearest}};
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto known = absl::c_find_if(kFilters, [&](const auto& one) { return one.first == name; });
  if (known == std::end(kFilters)) {
    return Fail<bool>(pointer, "unknown filter " + Quoted(name) + "; expected upper, lower, or, map or nearest");
  }
  use_.functions.emplace("filter", known->first);
  Template::Filter& filter = part.filters.emplace_back();
  filter.kind = known->second;
  if (colon != std::string_view::npos) filter.argument = text.substr(colon + 1);
  if (filter.kind == Kind::kMap) {
    const auto map = set_.maps.find(filter.argument);
    if (map == set_.maps.end()) return Fail<bool>(pointer, "unknown map " + Quoted(filter.argument));
    filter.map = &map->second;
  }
  if (filter.kind == Kind::kNearest) {
    const auto list = set_.lists.find(filter.argument);
    if (list == set_.lists.end()) return Fail<bool>(pointer, "unknown list " + Quoted(filter.argument));
    filter.list = &list->second;
  }
  return true;
}

std::optional<Template> CheckCompiler::CompileTemplate(const JsonPlace& at, const NameScope& scope) {
  const auto& text = at.value->get_ref<const std::string&>();
  Template out;
  std::string literal;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      literal += c;
      ++i;
      continue;
    }
    if (c == '}') {
      return Fail<std::optional<Template>>(at.pointer, "a \"}\" without \"{\"; write \"}}\" for a brace");
    }
    if (c != '{') {
      literal += c;
      continue;
    }
    const size_t close = text.find('}', i);
    if (close == std::string::npos) {
      return Fail<std::optional<Template>>(at.pointer, "a \"{\" without \"}\"; write \"{{\" for a brace");
    }
    const std::vector<std::string_view> parts = Split(std::string_view(text).substr(i + 1, close - i - 1), '|');
    Template::Part part;
    part.text = std::exchange(literal, {});
    StaticType type;
    part.path = CompilePathText(parts.front(), at.pointer, scope, type);
    if (!part.path) return std::nullopt;
    for (size_t p = 1; p < parts.size(); ++p) {
      if (!CompileFilter(parts[p], at.pointer, part)) return std::nullopt;
    }
    out.parts.push_back(std::move(part));
    i = close;
  }
  if (!literal.empty() || out.parts.empty()) out.parts.push_back({std::move(literal), std::nullopt, {}});
  return out;
}

}  // namespace yardmaster::rules
