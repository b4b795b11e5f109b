// Suites, failure signatures and recipes of a pack: suites/*.json, signatures.json, recipes.json.
#ifndef YARDMASTER_RULES_ENGINE_SUITES_LOAD_SUITES_H_
#define YARDMASTER_RULES_ENGINE_SUITES_LOAD_SUITES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pack/pack_loader.h"
#include "rules/suites/suite_model.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// Null if anything is wrong; `problems` then names file, pointer and line of everything. Pure.
std::shared_ptr<const SuiteSet> LoadSuites(const PackFiles& files, std::string_view pack, Problems& problems);

// One manifest by itself, as `yard suite validate FILE` reads it. `file` is used in problems; `pack` may be empty.
std::shared_ptr<const SuiteModel> LoadSuiteManifest(std::string_view file, std::string_view bytes,
                                                    std::string_view pack, Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_SUITES_LOAD_SUITES_H_
