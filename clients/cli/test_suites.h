// Suites of the packs at hand, by name.
#ifndef YARDMASTER_CLIENTS_CLI_TEST_SUITES_H_
#define YARDMASTER_CLIENTS_CLI_TEST_SUITES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/session.h"
#include "rules/engine/suites/load_suites.h"

namespace yardmaster::cli {

// A suite as people name it: "pack/id", or "id" where it is clear which pack is meant.
struct SuiteName {
  std::string pack;  // empty: any
  std::string id;
};
SuiteName ParseSuiteName(const std::string& name);

// What was probably meant by a name that is not known: one of `known` ("pack/id"), or of their ids; empty if none is
// like it.
std::string NearestSuite(const std::string& name, const std::vector<std::string>& known);

struct ChosenSuite {
  std::shared_ptr<const rules::SuiteSet> set;  // of the suite's pack
  const rules::SuiteModel* suite = nullptr;    // in `set`
};

// `name` is "id" or "pack/id". That there is no such suite is a negative answer; that the name fits several or that a
// pack is bad is an error of usage.
absl::StatusOr<ChosenSuite> ChooseSuite(const Session& session, const std::string& name);

// Names of the packs of `folder` that have suites of a repository ("owner/name", on whatever forge).
absl::StatusOr<std::vector<std::string>> PacksOfRepository(const PacksFolder& folder, const std::string& repository);

// Those that the gates of a repository ("owner/name", on whatever forge) run: of `kind` "ut" or "st", in the order of
// their packs' names. A pack that is bad is an error of usage.
absl::StatusOr<std::vector<ChosenSuite>> GateSuites(const Session& session, const std::string& repository,
                                                    const std::string& kind);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_TEST_SUITES_H_
