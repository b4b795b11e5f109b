#include "rules/engine/checks/tree_query.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace yardmaster::rules {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '?' || c == '!';
}

}  // namespace

std::vector<std::string> CaptureNames(std::string_view query) {
  std::vector<std::string> names;
  for (size_t at = 0; at < query.size(); ++at) {
    if (query[at] == ';') {
      at = std::min(query.find('\n', at), query.size());
    } else if (query[at] == '"') {
      for (++at; at < query.size() && query[at] != '"'; ++at) {
        if (query[at] == '\\') ++at;
      }
    } else if (query[at] == '@') {
      const size_t begin = at + 1;
      while (at + 1 < query.size() && IsNameCharacter(query[at + 1])) ++at;
      const std::string_view name = query.substr(begin, at + 1 - begin);
      if (!name.empty() && !absl::c_linear_search(names, name)) names.emplace_back(name);
    }
  }
  return names;
}

}  // namespace yardmaster::rules
