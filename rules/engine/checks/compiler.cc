#include "rules/engine/checks/compiler.h"

#include "absl/algorithm/container.h"
#include "rules/engine/checks/compile_names.h"
#include "rules/engine/checks/shared_pattern.h"
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
  const auto it = absl::c_find_if(set_.definitions, [&](const CompiledDefinition& one) { return one.name == name; });
  if (it == set_.definitions.end()) return std::nullopt;
  return static_cast<size_t>(it - set_.definitions.begin());
}

std::shared_ptr<const RE2> CheckCompiler::CompilePattern(const JsonPlace& at) {
  using Pattern = std::shared_ptr<const RE2>;
  if (!at.value->is_string()) return Fail<Pattern>(at.pointer, "expected a pattern");
  std::string error;
  const std::string text = ExpandPattern(at.value->get_ref<const std::string&>(), set_.patterns, error);
  if (!error.empty()) return Fail<Pattern>(at.pointer, std::move(error));
  Pattern pattern = SharedPattern(text);
  if (pattern->ok()) return pattern;
  return Fail<Pattern>(at.pointer, "expected an RE2 pattern: " + Readable(pattern->error()));
}

std::vector<KindSelection> CheckCompiler::CompileKinds(const JsonPlace& at) {
  using Kinds = std::vector<KindSelection>;
  if (!at.value->is_string() && !at.value->is_array()) {
    return Fail<Kinds>(at.pointer, "expected a kind, a definition, or a list of them");
  }
  Kinds out;
  for (const std::string& name : Names(*at.value)) {
    if (const KindInfo* kind = FindKind(name)) {
      use_.functions.emplace("kind", kind->name);
      out.push_back({*kind, {}});
    } else if (const auto definition = FindDefinition(name)) {
      use_.definitions.insert(*definition);
      // The kinds of the definition; membership is asked for as a whole.
      for (KindSelection selection : set_.definitions[*definition].kinds) {
        selection.definitions = {*definition};
        out.push_back(std::move(selection));
      }
    } else {
      std::vector<std::string_view> known = KindNames();
      for (const CompiledDefinition& one : set_.definitions) known.push_back(one.name);
      return Fail<Kinds>(at.pointer, "unknown kind or definition " + Quoted(name) + DidYouMean(name, known));
    }
  }
  for (const KindSelection& selection : out) {
    if (selection.kind.table == out.front().kind.table) continue;
    return Fail<Kinds>(at.pointer, "expected kinds with the same fields, got " + Quoted(out.front().kind.name) +
                                       " and " + Quoted(selection.kind.name));
  }
  if (out.empty()) Add(at.pointer, "expected at least one kind");
  return out;
}

std::vector<size_t> CheckCompiler::CompileDefinitions(const JsonPlace& at, std::optional<FactTable> table) {
  std::vector<size_t> out;
  const std::vector<std::string> names = Names(*at.value);
  if (names.empty()) Add(at.pointer, "expected the name of a definition, or a list of them");
  for (const std::string& name : names) {
    const auto definition = FindDefinition(name);
    if (!definition) {
      std::vector<std::string_view> known;
      for (const CompiledDefinition& one : set_.definitions) known.push_back(one.name);
      Add(at.pointer, "unknown definition " + Quoted(name) + DidYouMean(name, known));
    } else if (table && set_.definitions[*definition].table != *table) {
      Add(at.pointer, "the definition " + Quoted(name) + " is about other rows");
    } else {
      use_.definitions.insert(*definition);
      out.push_back(*definition);
    }
  }
  return out;
}

}  // namespace yardmaster::rules
