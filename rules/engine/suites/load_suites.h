// Suites, failure signatures and recipes of a pack: suites/*.json, signatures.json, recipes.json.
#ifndef YARDMASTER_RULES_ENGINE_SUITES_LOAD_SUITES_H_
#define YARDMASTER_RULES_ENGINE_SUITES_LOAD_SUITES_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pack/pack_loader.h"
#include "rules/suites/suite_model.h"
#include "services/core/memo.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// Null if anything is wrong; `problems` then names file, pointer and line of everything. Pure.
std::shared_ptr<const SuiteSet> LoadSuites(const PackFiles& files, std::string_view pack, Problems& problems);

// LoadSuites for many packs of one folder: a file that several of them share, such as the signatures of `common`, is
// read once. Safe to use from many threads at once.
class SuiteLoader {
 public:
  // `files` must outlive the loader.
  explicit SuiteLoader(const PackFiles& files) : files_(files) {}
  std::shared_ptr<const SuiteSet> Load(std::string_view pack, Problems& problems);

 private:
  struct ReadFile;
  class Chain;

  const PackFiles& files_;
  Memo<std::string, ReadFile> read_;  // by path
};

// The suites of the pack itself, without what it inherits, signatures and recipes: to see what there is, at a small
// part of the cost. Nullopt if anything is wrong with them.
std::optional<std::vector<SuiteModel>> OwnSuites(const PackFiles& files, std::string_view pack, Problems& problems);

// One manifest by itself, as `yard suite validate FILE` reads it. `file` is used in problems; `pack` may be empty.
std::shared_ptr<const SuiteModel> LoadSuiteManifest(std::string_view file, std::string_view bytes,
                                                    std::string_view pack, Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_SUITES_LOAD_SUITES_H_
