#include "rules/engine/code/python_grammar.h"

#include <vector>

#include "rules/engine/code/language.h"

namespace yardmaster::rules {
namespace {

struct KindInfo {
  std::string_view name;
  PythonPart part = PythonPart::kPiece;
  ExprType type = ExprType::kOther;
};

// By PythonKind.
constexpr KindInfo kKinds[] = {{},
#define YARD_KIND(kind, name, part, type) {name, PythonPart::part, ExprType::type},
                               YARD_PYTHON_KINDS(YARD_KIND)
#undef YARD_KIND
};

std::vector<std::string_view> Names() {
  std::vector<std::string_view> names;
  for (const KindInfo& kind : kKinds) {
    if (!kind.name.empty()) names.push_back(kind.name);
  }
  return names;
}

}  // namespace

const PythonGrammar& PythonGrammar::Get() {
  static const PythonGrammar kGrammar;
  return kGrammar;
}

PythonGrammar::PythonGrammar() : symbols(GrammarOf(Language::kPython), Names()) {}

TSFieldId PythonGrammar::Field(std::string_view name) { return SymbolTable::Field(GrammarOf(Language::kPython), name); }

PythonPart PartOf(PythonKind kind) { return kKinds[static_cast<size_t>(kind)].part; }

ExprType ExprTypeOf(PythonKind kind) { return kKinds[static_cast<size_t>(kind)].type; }

}  // namespace yardmaster::rules
