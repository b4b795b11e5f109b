#include "clients/cli/test_suites.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "clients/cli/local_packs.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/readable.h"

namespace yardmaster::cli {
namespace {

// A pack with the suites that are its own: those that it only extends are found under their own pack.
std::vector<const rules::SuiteModel*> OwnSuites(const rules::SuiteSet& set) {
  std::vector<const rules::SuiteModel*> own;
  for (const rules::SuiteModel& suite : set.suites) {
    if (suite.pack == set.pack) own.push_back(&suite);
  }
  return own;
}

bool HasSuites(const PacksFolder& folder, const std::string& pack) {
  const std::string prefix = pack + "/suites/";
  const auto it = folder.files.lower_bound(prefix);
  return it != folder.files.end() && it->first.starts_with(prefix);
}

}  // namespace

SuiteName ParseSuiteName(const std::string& name) {
  const size_t slash = name.find('/');
  if (slash == std::string::npos) return {.pack = "", .id = name};
  return {.pack = name.substr(0, slash), .id = name.substr(slash + 1)};
}

std::string NearestSuite(const std::string& name, const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string_view nearest = NearestName(name, names);
  if (!nearest.empty()) return std::string(nearest);
  std::vector<std::string_view> ids;
  ids.reserve(known.size());
  for (const std::string_view full : names) ids.push_back(full.substr(full.find('/') + 1));
  return std::string(NearestName(ParseSuiteName(name).id, ids));
}

bool ChooseSuite(Session& session, const std::string& name, ChosenSuite& chosen, ExitCode& code) {
  code = ExitCode::kUsage;
  const std::optional<PacksFolder> folder = LocalPacksFolder(session);
  if (!folder.has_value()) return false;

  const SuiteName wanted = ParseSuiteName(name);
  std::vector<ChosenSuite> found;
  std::vector<std::string> known;
  for (const std::string& pack : rules::PackNames(folder->files)) {
    if (!wanted.pack.empty() ? pack != wanted.pack : !HasSuites(*folder, pack)) continue;
    Problems problems;
    const std::shared_ptr<const rules::SuiteSet> set = rules::LoadSuites(folder->files, pack, problems);
    if (set == nullptr) {
      session.output.Error("the suites of the pack '" + pack + "' are not valid:");
      ReportProblems(session, problems);
      return false;
    }
    for (const rules::SuiteModel* suite : OwnSuites(*set)) {
      known.push_back(pack + "/" + suite->id);
      if (suite->id == wanted.id) found.push_back({set, suite});
    }
  }
  if (found.size() == 1) {
    chosen = found.front();
    code = ExitCode::kDone;
    return true;
  }
  if (found.size() > 1) {
    std::string names;
    for (const ChosenSuite& one : found) names += (names.empty() ? "" : ", ") + one.suite->pack + "/" + one.suite->id;
    session.output.Error("several packs have a suite " + Quoted(wanted.id) + ": say which of " + names);
    return false;
  }
  code = ExitCode::kNegative;
  session.output.Error("there is no suite " + Quoted(name));
  const std::string nearest = NearestSuite(name, known);
  if (!nearest.empty()) session.output.Hint("did you mean '" + nearest + "'?");
  session.output.Hint("'yard suite list' shows those that are there");
  return false;
}

}  // namespace yardmaster::cli
