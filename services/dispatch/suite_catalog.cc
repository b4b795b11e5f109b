#include "services/dispatch/suite_catalog.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/suites/suite_names.h"
#include "services/dispatch/errors.h"

namespace yardmaster::dispatch {
namespace {

bool SaysSuites(const std::string& path) {
  return absl::StrContains(path, "/suites/") || absl::EndsWith(path, "/signatures.json") ||
         absl::EndsWith(path, "/recipes.json") || absl::EndsWith(path, "/pack.json");
}

// "4", or "${matrix.world_size}" with the axis it names. What is neither counts as one.
uint32_t CountOf(const rules::SuiteModel& suite, const std::string& text) {
  uint32_t count = 0;
  if (absl::SimpleAtoi(text, &count)) return std::max(count, 1U);
  uint32_t most = 1;
  for (const auto& [axis, values] : suite.matrix.axes) {
    if (text != absl::StrCat("${matrix.", axis, "}")) continue;
    for (const std::string& value : values) {
      if (absl::SimpleAtoi(value, &count)) most = std::max(most, count);
    }
  }
  return most;
}

}  // namespace

Demand DemandOfSuite(const rules::SuiteModel& suite) {
  Demand demand;
  demand.kind = std::string(rules::DeviceKindKey(suite.devices.kind));
  demand.models = suite.devices.models;
  demand.capability = suite.devices.capability;
  demand.same_group = suite.devices.same_group;
  demand.count = CountOf(suite, suite.devices.count);
  demand.memory_mib = suite.devices.memory_mb;
  return demand;
}

const rules::PackFiles& SuiteCatalog::FilesLocked() {
  const std::shared_ptr<const PackSet> current = packs_.Current();
  if (files_ != nullptr && read_for_ == current) return *files_;
  Problems problems;  // the registry has told them
  auto files = std::make_shared<rules::PackFiles>(rules::ReadPackFiles(packs_.packs_dir(), problems));
  std::erase_if(*files, [](const auto& file) { return !SaysSuites(file.first); });
  read_for_ = current;
  loader_ = std::make_unique<rules::SuiteLoader>(*files);
  files_ = std::move(files);
  sets_.clear();
  return *files_;
}

std::shared_ptr<const rules::PackFiles> SuiteCatalog::Files() {
  const std::lock_guard<std::mutex> lock(mutex_);
  FilesLocked();
  return files_;
}

std::shared_ptr<const rules::SuiteSet> SuiteCatalog::SetOfLocked(const std::string& pack, std::string& problem) {
  FilesLocked();
  std::shared_ptr<const rules::SuiteSet>& set = sets_[pack];
  if (set != nullptr) return set;
  Problems problems;
  set = loader_->Load(pack, problems);
  if (set == nullptr) problem = problems.empty() ? "" : problems.front().ToString();
  return set;
}

absl::StatusOr<std::vector<ShelvedSuite>> SuiteCatalog::OfPack(std::string_view pack) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string problem;
  const std::shared_ptr<const rules::SuiteSet> set = SetOfLocked(std::string(pack), problem);
  if (set == nullptr) return SuitesUnreadable(pack, problem);
  std::vector<ShelvedSuite> suites;
  suites.reserve(set->suites.size());
  for (const rules::SuiteModel& suite : set->suites) {
    suites.push_back({absl::StrCat(suite.pack, "/", suite.id), set, &suite});
  }
  return suites;
}

absl::StatusOr<ShelvedSuite> SuiteCatalog::Find(std::string_view name) {
  const size_t slash = name.find('/');
  const std::string_view wanted_pack = slash == std::string_view::npos ? "" : name.substr(0, slash);
  const std::string_view wanted_id = slash == std::string_view::npos ? name : name.substr(slash + 1);
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<ShelvedSuite> found;
  for (const std::string& pack : rules::PackNames(FilesLocked())) {
    if (!wanted_pack.empty() && pack != wanted_pack) continue;
    std::string problem;
    const std::shared_ptr<const rules::SuiteSet> set = SetOfLocked(pack, problem);
    if (set == nullptr) return SuitesUnreadable(pack, problem);
    for (const rules::SuiteModel& suite : set->suites) {
      // One that the pack only inherits is found under its own pack.
      if (suite.pack == pack && suite.id == wanted_id)
        found.push_back({absl::StrCat(pack, "/", suite.id), set, &suite});
    }
  }
  if (found.empty()) return SuiteNotThere(name);
  if (found.size() > 1) {
    const std::string names =
        absl::StrJoin(found, ", ", [](std::string* out, const ShelvedSuite& one) { absl::StrAppend(out, one.name); });
    return SuiteOfSeveralPacks(name, names);
  }
  return found.front();
}

}  // namespace yardmaster::dispatch
