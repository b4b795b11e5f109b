// The linters that a project's own checks run: linters.json of a pack.
#ifndef YARDMASTER_RULES_ENGINE_LINTERS_LINTER_SETTINGS_H_
#define YARDMASTER_RULES_ENGINE_LINTERS_LINTER_SETTINGS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pack/pack_loader.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

struct LinterSettings {
  std::string name;  // "pylint"
  std::vector<std::string> arguments;
  std::vector<std::string> files;   // globs; empty: what the linter reads as a rule
  std::vector<std::string> except;  // globs
  // A file of settings, where the project has none at that path; empty: there
  // is none.
  std::string settings_path;
  std::string settings;
  // Paths of files of the project, see the schema.
  std::vector<std::string> filters;
  std::vector<std::string> allowed;
};

struct LinterProfile {
  std::string pack;  // that has it
  std::vector<LinterSettings> linters;

  // nullptr: the project does not run it.
  const LinterSettings* Find(std::string_view name) const;
};

// Null if neither the pack nor one that it extends has linters.json, or if
// anything is wrong with it; `problems` then names file, pointer and line.
// Pure.
std::shared_ptr<const LinterProfile> LoadLinters(const PackFiles& files, std::string_view pack, Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_LINTERS_LINTER_SETTINGS_H_
