// Where the labels of a repository come from, as the check of a pack needs them. The pipe implements it.
#ifndef YARDMASTER_SERVICES_INTAKE_LABEL_SOURCE_H_
#define YARDMASTER_SERVICES_INTAKE_LABEL_SOURCE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace yardmaster {

struct RepositoryLabels {
  std::vector<std::string> names;
  // What the forge takes as a name, in code points.
  size_t min_characters = 0;
  size_t max_characters = 0;
};

// Thread-safe.
class LabelSource {
 public:
  virtual ~LabelSource() = default;

  // The pack that the configuration gives the repository; empty if it gives none. FAILED_PRECONDITION if the forge is
  // not configured, or, unless `any_repository`, the repository is not.
  virtual absl::StatusOr<std::string> DefaultPack(std::string_view forge, std::string_view repository,
                                                  bool any_repository) const = 0;
  // Asks the forge; blocks. NOT_FOUND if it does not know the repository, UNAVAILABLE if it can't be used.
  virtual absl::StatusOr<RepositoryLabels> Read(std::string_view forge, std::string_view repository) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_LABEL_SOURCE_H_
