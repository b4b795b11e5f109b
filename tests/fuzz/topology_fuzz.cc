// Any bytes as a matrix of who reaches whom: no crash, and groups that are numbered from 0 without gaps, each with the
// lowest index of a device first.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include "services/worker/devices/topology.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace yardmaster;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::map<int, int> groups = worker::GroupsOfTopology(text);
  int next = 0;
  for (const auto& [index, group] : groups) {
    Check(index >= 0 && group >= 0, "a negative number");
    Check(group <= next, "a group that nobody before it is next to");
    if (group == next) ++next;
  }
  Check(worker::GroupsOfTopology(text) == groups, "the same text, other groups");
  return 0;
}
