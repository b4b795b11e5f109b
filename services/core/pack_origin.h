// Where a piece of a pack was written.
#ifndef YARDMASTER_SERVICES_CORE_PACK_ORIGIN_H_
#define YARDMASTER_SERVICES_CORE_PACK_ORIGIN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "services/core/problem.h"

namespace yardmaster {

struct Origin {
  std::string pack;     // the pack whose folder holds the file
  std::string file;     // relative to the packs folder: "pytorch-distributed/rubric.json"
  std::string pointer;  // JSON pointer inside the file
  uint32_t line = 0;    // from 1

  friend bool operator==(const Origin&, const Origin&) = default;
};

// A problem there, or below it: `below` continues its pointer ("/patterns/0").
Problem ProblemAt(const Origin& origin, std::string message, std::string_view below = {});

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_PACK_ORIGIN_H_
