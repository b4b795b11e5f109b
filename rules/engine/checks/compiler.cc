#include "rules/engine/checks/compiler.h"

#include "rules/engine/checks/compile_words.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

// More problems than this are not listed.
constexpr size_t kMaxProblems = 200;

}  // namespace

void CheckCompiler::Add(const std::string& pointer, std::string message) {
  if (problems_.size() >= kMaxProblems) return;
  problems_.push_back(document_->ProblemAt(pointer, std::move(message)));
}

std::optional<size_t> CheckCompiler::FindDefinition(std::string_view name) const {
  for (size_t i = 0; i < set_.definitions.size(); ++i) {
    if (set_.definitions[i].name == name) return i;
  }
  return std::nullopt;
}

std::unique_ptr<RE2> CheckCompiler::CompilePattern(const json& value, const std::string& pointer) {
  if (!value.is_string()) {
    Add(pointer, "expected a pattern");
    return nullptr;
  }
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(4 << 20);
  auto pattern = std::make_unique<RE2>(value.get<std::string>(), options);
  if (pattern->ok()) return pattern;
  Add(pointer, "expected an RE2 pattern: " + Readable(pattern->error()));
  return nullptr;
}

std::vector<KindSelection> CheckCompiler::CompileKinds(const json& value, const std::string& pointer) {
  std::vector<KindSelection> out;
  if (!value.is_string() && !value.is_array()) {
    Add(pointer, "expected a kind, a definition, or a list of them");
    return out;
  }
  for (const std::string& name : Names(value)) {
    if (const KindInfo* kind = FindKind(name)) {
      out.push_back({*kind, {}});
    } else if (const auto definition = FindDefinition(name)) {
      // The kinds of the definition; membership is asked for as a whole.
      for (KindSelection selection : set_.definitions[*definition].kinds) {
        selection.definitions = {*definition};
        out.push_back(std::move(selection));
      }
    } else {
      std::vector<std::string_view> known = KindNames();
      for (const CompiledDefinition& one : set_.definitions) known.push_back(one.name);
      Add(pointer, "unknown kind or definition " + Quoted(name) + Suggestion(name, known));
      return {};
    }
  }
  for (const KindSelection& selection : out) {
    if (selection.kind.table == out.front().kind.table) continue;
    Add(pointer, "expected kinds with the same fields, got " + Quoted(out.front().kind.name) + " and " +
                     Quoted(selection.kind.name));
    return {};
  }
  if (out.empty()) Add(pointer, "expected at least one kind");
  return out;
}

std::vector<size_t> CheckCompiler::CompileDefinitions(const json& value, const std::string& pointer,
                                                      std::optional<FactTable> table) {
  std::vector<size_t> out;
  const std::vector<std::string> names = Names(value);
  if (names.empty()) Add(pointer, "expected the name of a definition, or a list of them");
  for (const std::string& name : names) {
    const auto definition = FindDefinition(name);
    if (!definition) {
      std::vector<std::string_view> known;
      for (const CompiledDefinition& one : set_.definitions) known.push_back(one.name);
      Add(pointer, "unknown definition " + Quoted(name) + Suggestion(name, known));
    } else if (table && set_.definitions[*definition].table != *table) {
      Add(pointer, "the definition " + Quoted(name) + " is about other rows");
    } else {
      out.push_back(*definition);
    }
  }
  return out;
}

}  // namespace yardmaster::rules
