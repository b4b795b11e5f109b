// The facts of a file as checks see them, for people who write checks.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_FACT_LISTING_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_FACT_LISTING_H_

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "rules/engine/checks/check_set.h"
#include "rules/engine/code/source_file.h"

namespace yardmaster::rules {

// One row. Fields that are missing are left out, long texts and lists are cut; a reference says kind, line and text of
// the row that it leads to.
struct ListedFact {
  std::string_view kind;  // the narrowest that selects it: "call", not "expr"
  uint32_t line = 0;
  uint32_t column = 0;
  std::vector<std::string> definitions;  // of the pack, that the row belongs to
  nlohmann::ordered_json fields;
};

struct ListedFile {
  std::string role;     // by the pack; empty: none
  bool in_time = true;  // false: definitions took too long, and the rest of them was left out
};

// Calls `visit` with every row of the kind, in order; with an empty `kind` with those of all tables but "line". `kind`
// is one that FindKind knows. `checks` gives the file its role and definitions; null: it has none.
ListedFile ListFacts(std::shared_ptr<const SourceFile> source, const CheckSet* checks, std::string_view kind,
                     absl::FunctionRef<void(const ListedFact&)> visit);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_FACT_LISTING_H_
