#include "rules/engine/suites/suite_file.h"

#include <utility>

#include "rules/engine/pack/schema_validator.h"
#include "rules/engine/suites/check_suite.h"
#include "rules/engine/suites/check_texts.h"
#include "rules/engine/suites/suite_places.h"
#include "rules/engine/suites/suite_reader.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

void ReadSuites(const JsonDocument& document, std::string_view pack, SuiteFile& out, Problems& problems) {
  const size_t count = document.value().at("suites").size();
  for (size_t i = 0; i < count; ++i) {
    const std::string pointer = PointerJoin("/suites", i);
    SuiteModel suite = ReadSuite(document, pointer, pack);
    CheckSuite(suite, document, pointer, problems);
    for (size_t k = 0; k < suite.recipes.size(); ++k) {
      const std::string place = PointerJoin(PointerJoin(pointer, "recipes"), k);
      out.recipe_references.push_back({suite.recipes[k], place, document.PositionOf(place).line});
    }
    out.suites.push_back({std::move(suite), pointer, document.PositionOf(pointer).line});
  }
}

void ReadSignatures(const JsonDocument& document, SuiteFile& out, Problems& problems) {
  const json& list = document.value().at("signatures");
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string pointer = PointerJoin("/signatures", i);
    const Place place(document, pointer, problems);
    FailureSignature signature = ReadSignature(list[i]);
    for (size_t k = 0; k < signature.patterns.size(); ++k) {
      CheckPattern(signature.patterns[k], {}, false, place / "patterns" / k);
    }
    out.signatures.push_back({std::move(signature), pointer, document.PositionOf(pointer).line});
  }
}

void ReadRecipes(const JsonDocument& document, SuiteFile& out, Problems& problems) {
  const size_t count = document.value().at("recipes").size();
  for (size_t i = 0; i < count; ++i) {
    const std::string pointer = PointerJoin("/recipes", i);
    const Place place(document, pointer, problems);
    RecoveryRecipe recipe = ReadRecipe(document, pointer);
    for (size_t k = 0; k < recipe.symptoms.size(); ++k) {
      CheckPattern(recipe.symptoms[k], {}, true, place / "symptoms" / k);
    }
    const Place apply = place / "apply";
    CheckVariables(recipe.variables, {}, true, apply / "variables");
    CheckVariableNames(recipe.unset, false, apply / "unset");
    for (size_t k = 0; k < recipe.scripts.size(); ++k) {
      CheckPlaceholders(recipe.scripts[k], {}, apply / "scripts" / k);
    }
    for (size_t k = 0; k < recipe.commands.size(); ++k) {
      const CommandLine& command = recipe.commands[k];
      CheckPlaceholders(command.shell, {}, apply / "run" / k);
      for (size_t word = 0; word < command.words.size(); ++word) {
        CheckPlaceholders(command.words[word], {}, apply / "run" / k / word);
      }
    }
    out.recipes.push_back({std::move(recipe), pointer, document.PositionOf(pointer).line});
  }
}

}  // namespace

SuiteFileKind SuiteFileKindOf(std::string_view path) {
  if (path == "signatures.json") return SuiteFileKind::kSignatures;
  if (path == "recipes.json") return SuiteFileKind::kRecipes;
  return path.starts_with("suites/") && path.ends_with(".json") ? SuiteFileKind::kSuites : SuiteFileKind::kNone;
}

std::optional<SuiteFile> ReadSuiteFile(SuiteFileKind kind, std::string_view file, std::string_view bytes,
                                       std::string_view pack, Problems& problems) {
  const size_t before = problems.size();
  JsonLimits limits;
  limits.max_bytes = kMaxSuiteFileBytes;
  limits.max_depth = kMaxSuiteFileDepth;
  limits.max_values = kMaxSuiteFileValues;
  SuiteFile out;
  out.file = file;
  const auto document = JsonDocument::Parse(out.file, bytes, limits, problems);
  const std::string_view schema = kind == SuiteFileKind::kSuites       ? "suites"
                                  : kind == SuiteFileKind::kSignatures ? "signatures"
                                                                       : "recipes";
  if (!document || !SchemaValidator::Get().Validate(schema, *document, problems)) return std::nullopt;
  if (kind == SuiteFileKind::kSuites) ReadSuites(*document, pack, out, problems);
  if (kind == SuiteFileKind::kSignatures) ReadSignatures(*document, out, problems);
  if (kind == SuiteFileKind::kRecipes) ReadRecipes(*document, out, problems);
  if (problems.size() != before) return std::nullopt;
  return out;
}

}  // namespace yardmaster::rules
