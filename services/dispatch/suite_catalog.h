// The suites of the packs in service: what a job may name, what it needs, and what a runner must have to run it.
#ifndef YARDMASTER_SERVICES_DISPATCH_SUITE_CATALOG_H_
#define YARDMASTER_SERVICES_DISPATCH_SUITE_CATALOG_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/suites/load_suites.h"
#include "rules/suites/suite_model.h"
#include "services/dispatch/queue/model.h"
#include "services/packs/registry/pack_registry.h"

namespace yardmaster::dispatch {

struct ShelvedSuite {
  std::string name;  // "pack/id"
  std::shared_ptr<const rules::SuiteSet> set;
  const rules::SuiteModel* suite = nullptr;  // in `set`
};

// Devices that the whole suite asks for; where a cell of its matrix decides how many: the most.
Demand DemandOfSuite(const rules::SuiteModel& suite);

// Thread-safe.
class SuiteCatalog {
 public:
  // `packs` must outlive this object.
  explicit SuiteCatalog(const PackRegistry& packs) : packs_(packs) {}

  // "pack/id", or "id" where one pack only has it. NOT_FOUND, INVALID_ARGUMENT if several have it, FAILED_PRECONDITION
  // if the suites of a pack are not valid.
  absl::StatusOr<ShelvedSuite> Find(std::string_view name);
  // All suites of a pack, those that it has from others included.
  absl::StatusOr<std::vector<ShelvedSuite>> OfPack(std::string_view pack);
  // The files that say the suites of all packs: what a runner loads them from.
  std::shared_ptr<const rules::PackFiles> Files();

 private:
  // Read again after each reload of the packs. nullptr: `problem` says why.
  std::shared_ptr<const rules::SuiteSet> SetOfLocked(const std::string& pack, std::string& problem);
  const rules::PackFiles& FilesLocked();

  const PackRegistry& packs_;
  std::mutex mutex_;  // guards what follows
  // Read once for each load of the packs.
  std::shared_ptr<const PackSet> read_for_;
  std::shared_ptr<const rules::PackFiles> files_;
  std::unique_ptr<rules::SuiteLoader> loader_;                          // of files_
  std::map<std::string, std::shared_ptr<const rules::SuiteSet>> sets_;  // by pack, of files_
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_SUITE_CATALOG_H_
