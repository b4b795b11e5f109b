// Conditions that no row of the kinds around them can meet.
#include <string>
#include <string_view>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/compile_names.h"
#include "rules/engine/checks/compiler.h"
#include "rules/engine/checks/field_getters.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

// What the field can be of rows that the kind selects; empty: anything.
std::vector<std::string_view> WordsOfKind(const KindInfo& kind, std::string_view field) {
  if (field == "type" && kind.select == KindInfo::Select::kExprType) return {kExprTypes[kind.value]};
  if (field == "type" && kind.select == KindInfo::Select::kStatementType) return {kStatementTypes[kind.value]};
  if (field != "slot" || kind.select != KindInfo::Select::kSlot) return {};
  // Keywords are arguments too.
  if (static_cast<Slot>(kind.value) == Slot::kArgument) return {NameOf(Slot::kArgument), NameOf(Slot::kKeyword)};
  return {kSlots[kind.value]};
}

}  // namespace

void CheckCompiler::ExpectFits(const std::vector<KindSelection>& kinds, const JsonPlace& where) {
  if (kinds.empty() || !where.value->is_object()) return;
  for (const std::string_view field : {"type", "slot"}) {
    const auto found = where.value->find(std::string(field));
    if (found == where.value->end() || found->is_object()) continue;
    const std::vector<std::string> asked = Names(*found);
    std::vector<std::string_view> possible;
    for (const KindSelection& selection : kinds) {
      const std::vector<std::string_view> words = WordsOfKind(selection.kind, field);
      if (words.empty()) {
        possible.clear();
        break;
      }
      possible.insert(possible.end(), words.begin(), words.end());
    }
    const bool fits = asked.empty() || possible.empty() || absl::c_any_of(asked, [&](const std::string& word) {
                        return word.find_first_of("{}") != std::string::npos || absl::c_linear_search(possible, word);
                      });
    if (fits) continue;
    Add(PointerJoin(where.pointer, field),
        "no row of this kind has this " + Quoted(field) + "; expected one of " + Listed(possible));
  }
}

}  // namespace yardmaster::rules
