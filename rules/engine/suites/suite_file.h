// The files of a pack that speak of suites, each by itself: suites/*.json, signatures.json and recipes.json.
#ifndef YARDMASTER_RULES_ENGINE_SUITES_SUITE_FILE_H_
#define YARDMASTER_RULES_ENGINE_SUITES_SUITE_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/suite_model.h"
#include "services/core/json_document.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// Limits of one file.
inline constexpr size_t kMaxSuiteFileBytes = 1024 * 1024;
inline constexpr size_t kMaxSuiteFileValues = 100'000;
inline constexpr size_t kMaxSuiteFileDepth = 32;

// Something with an id, and where it stands.
template <typename Model>
struct PlacedModel {
  Model model;
  std::string pointer;
  uint32_t line = 0;
};

struct SuiteFile {
  std::string file;  // for problems
  std::vector<PlacedModel<SuiteModel>> suites;
  std::vector<PlacedModel<FailureSignature>> signatures;
  std::vector<PlacedModel<RecoveryRecipe>> recipes;
  // Recipes that suites name, with their places.
  struct Reference {
    std::string id;
    std::string pointer;
    uint32_t line = 0;
  };
  std::vector<Reference> recipe_references;
};

enum class SuiteFileKind : uint8_t { kNone, kSuites, kSignatures, kRecipes };

// What kind of file a path inside of a pack's folder names.
SuiteFileKind SuiteFileKindOf(std::string_view path);

// Everything of one file, checked as far as it can be by itself. Nothing, and problems, if anything is wrong.
std::optional<SuiteFile> ReadSuiteFile(SuiteFileKind kind, std::string_view file, std::string_view bytes,
                                       std::string_view pack, Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_SUITES_SUITE_FILE_H_
