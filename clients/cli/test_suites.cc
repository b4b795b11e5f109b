#include "clients/cli/test_suites.h"

#include <string_view>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/cli/exit_code.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

namespace yardmaster::cli {
namespace {

bool HasSuites(const PacksFolder& folder, const std::string& pack) {
  const std::string prefix = pack + "/suites/";
  const auto it = folder.files.lower_bound(prefix);
  return it != folder.files.end() && it->first.starts_with(prefix);
}

absl::Status SuitesNotValid(const std::string& pack, const Problems& problems) {
  return ProblemsError(absl::StrCat("the suites of the pack '", pack, "' are not valid:"), problems);
}

// The suites of one pack, or of all packs if `only` is empty, each under its own pack.
absl::StatusOr<std::vector<ChosenSuite>> SuitesOf(const Session& session, const std::string& only) {
  ASSIGN_OR_RETURN(const PacksFolder folder, SuitePacksFolder(session));
  std::vector<ChosenSuite> suites;
  rules::SuiteLoader loader(folder.files);
  for (const std::string& pack : rules::PackNames(folder.files)) {
    if (!only.empty() ? pack != only : !HasSuites(folder, pack)) continue;
    Problems problems;
    const std::shared_ptr<const rules::SuiteSet> set = loader.Load(pack, problems);
    if (set == nullptr) return SuitesNotValid(pack, problems);
    for (const rules::SuiteModel& suite : set->suites) {
      if (suite.pack == set->pack) suites.push_back({set, &suite});
    }
  }
  return suites;
}

// "gitcode:owner/name": a mirror on another forge has the same tests, and a server may have its repositories below a
// path.
bool IsOfRepository(const rules::SuiteModel& suite, const std::string& repository) {
  const std::string& source = suite.source.repository;
  const std::string of = source.substr(source.find(':') + 1);
  return !of.empty() && (absl::EqualsIgnoreCase(of, repository) || absl::EndsWithIgnoreCase(repository, "/" + of));
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

absl::StatusOr<std::vector<std::string>> PacksOfRepository(const PacksFolder& folder, const std::string& repository) {
  std::vector<std::string> packs;
  for (const std::string& pack : rules::PackNames(folder.files)) {
    Problems problems;
    const auto suites = rules::OwnSuites(folder.files, pack, problems);
    if (!suites) return SuitesNotValid(pack, problems);
    const auto is_of_it = [&](const rules::SuiteModel& suite) { return IsOfRepository(suite, repository); };
    if (absl::c_any_of(*suites, is_of_it)) packs.push_back(pack);
  }
  return packs;
}

absl::StatusOr<std::vector<ChosenSuite>> GateSuites(const Session& session, const std::string& repository,
                                                    const std::string& kind) {
  ASSIGN_OR_RETURN(std::vector<ChosenSuite> suites, SuitesOf(session, ""));
  std::erase_if(suites, [&](const ChosenSuite& one) {
    return one.suite->gate.kind != kind || !IsOfRepository(*one.suite, repository);
  });
  return suites;
}

absl::StatusOr<ChosenSuite> ChooseSuite(const Session& session, const std::string& name) {
  const SuiteName wanted = ParseSuiteName(name);
  ASSIGN_OR_RETURN(const std::vector<ChosenSuite> suites, SuitesOf(session, wanted.pack));
  std::vector<ChosenSuite> found;
  std::vector<std::string> known;
  for (const ChosenSuite& one : suites) {
    known.push_back(absl::StrCat(one.suite->pack, "/", one.suite->id));
    if (one.suite->id == wanted.id) found.push_back(one);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    const std::string names = absl::StrJoin(found, ", ", [](std::string* out, const ChosenSuite& one) {
      absl::StrAppend(out, one.suite->pack, "/", one.suite->id);
    });
    return UsageError(absl::StrCat("several packs have a suite ", Quoted(wanted.id), ": say which of ", names));
  }
  std::vector<std::string> hints = {"'yard suite list' shows those that are there"};
  const std::string nearest = NearestSuite(name, known);
  if (!nearest.empty()) hints.insert(hints.begin(), absl::StrCat("did you mean '", nearest, "'?"));
  return NegativeError(absl::StrCat("there is no suite ", Quoted(name)), hints);
}

}  // namespace yardmaster::cli
