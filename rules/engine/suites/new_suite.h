// A manifest to begin with.
#ifndef YARDMASTER_RULES_ENGINE_SUITES_NEW_SUITE_H_
#define YARDMASTER_RULES_ENGINE_SUITES_NEW_SUITE_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/suite_model.h"

namespace yardmaster::rules {

// The launchers that the schema of suites allows: "none", "plain" and those of services/worker/launch.
std::vector<std::string> LauncherNames();

// What is known of the project that the suite is for.
struct NewSuiteProject {
  std::string title = "What this suite tests, in one line";
  std::string repository = "github:owner/name";  // "github:" or "gitcode:" with owner and name
  std::string ref = "main";
  std::string path;  // the folder on this machine that is tested; then the repository, if any, is only told of
  std::string tests = "tests";                     // folder of its tests; empty: there are none yet
  std::string ranked_tests = "tests/distributed";  // of those that are for several ranks
  std::string interpreter;                         // path of its own Python; empty: python3
};

// The file suites/<id>.json of a small suite: it is built if there is something to build, imported and tested (by an
// example that passes, where there are no tests), with ranks if `launcher` (one of LauncherNames) starts some. Valid as
// it is; its descriptions say what to change. `id` must be one that the schema takes.
nlohmann::ordered_json NewSuite(std::string_view id, std::string_view launcher, const NewSuiteProject& project = {});

// The same as text, laid out for people.
std::string NewSuiteText(std::string_view id, std::string_view launcher, const NewSuiteProject& project = {});

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_SUITES_NEW_SUITE_H_
