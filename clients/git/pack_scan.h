// A look at a pack before libgit2 unpacks it: how many objects, and how large they will be. A pack of some kilobytes
// can ask for gigabytes. Pure.
#ifndef YARDMASTER_CLIENTS_GIT_PACK_SCAN_H_
#define YARDMASTER_CLIENTS_GIT_PACK_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace yardmaster {

struct PackLimits {
  size_t objects = 0;
  size_t object_bytes = 0;  // of one object, unpacked
  size_t total_bytes = 0;   // of all of them
};

enum class PackVerdict : uint8_t { kGood, kTooLarge, kBroken };

// Reads every object's head and inflates it without keeping it. Base objects of differences are not looked for.
PackVerdict ScanPack(std::string_view pack, const PackLimits& limits);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_PACK_SCAN_H_
