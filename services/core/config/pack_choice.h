// Which packs a repository may use: the configuration alone says so.
#ifndef YARDMASTER_SERVICES_CORE_CONFIG_PACK_CHOICE_H_
#define YARDMASTER_SERVICES_CORE_CONFIG_PACK_CHOICE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/core/config/config.h"

namespace yardmaster {

// The pack that a caller may use for a repository: `pack`, or the first one of the configuration where it is empty.
// FAILED_PRECONDITION if the repository has no packs, or not this one.
absl::StatusOr<std::string> ChoosePack(const Config& config, std::string_view forge, std::string_view repository,
                                       std::string_view pack);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CONFIG_PACK_CHOICE_H_
