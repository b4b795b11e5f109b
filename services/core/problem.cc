#include "services/core/problem.h"

#include <algorithm>
#include <tuple>

#include "absl/algorithm/container.h"

namespace yardmaster {

std::string Problem::ToString() const {
  std::string out = file;
  if (line > 0) {
    if (!out.empty()) out += ':';
    out += std::to_string(line);
    if (column > 0) out += ":" + std::to_string(column);
  }
  if (!out.empty()) out += ": ";
  if (!pointer.empty()) out += pointer + ": ";
  return out + message;
}

void SortProblems(Problems& problems) {
  const auto key = [](const Problem& p) { return std::tie(p.file, p.line, p.column, p.pointer, p.message); };
  absl::c_sort(problems, [&](const Problem& a, const Problem& b) { return key(a) < key(b); });
  problems.erase(std::unique(problems.begin(), problems.end()), problems.end());
}

}  // namespace yardmaster
