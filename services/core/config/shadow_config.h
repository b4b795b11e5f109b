// "shadow" of a repository: a revision of a pack that runs beside the one in service and does not act.
#ifndef YARDMASTER_SERVICES_CORE_CONFIG_SHADOW_CONFIG_H_
#define YARDMASTER_SERVICES_CORE_CONFIG_SHADOW_CONFIG_H_

#include <cstdint>
#include <filesystem>
#include <string>

namespace yardmaster {

struct ShadowConfig {
  std::string pack;              // the pack whose place it takes
  std::filesystem::path folder;  // with its pack.json
  std::string pointer;           // where it is named, for messages
  uint32_t line = 0;

  // Equal for the same pack and folder.
  std::string Key() const { return pack + "@" + folder.native(); }
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CONFIG_SHADOW_CONFIG_H_
