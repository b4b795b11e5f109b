#include "services/core/pack_origin.h"

#include <utility>

namespace yardmaster {

Problem ProblemAt(const Origin& origin, std::string message, std::string_view below) {
  return {origin.file, origin.pointer + std::string(below), origin.line, 0, std::move(message)};
}

}  // namespace yardmaster
