#include "services/dispatch/shard_split.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace yardmaster::dispatch {
namespace {

double MedianOfKnown(const std::vector<std::optional<double>>& seconds) {
  std::vector<double> known;
  for (const std::optional<double>& one : seconds) {
    if (one.has_value()) known.push_back(*one);
  }
  if (known.empty()) return 1;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::nth_element(known.begin(), middle, known.end());
  return *middle;
}

struct Load {
  double seconds = 0;
  std::vector<size_t> pieces;
};

// Of those that have equally much, the one with fewer pieces: so none stays empty, even if nothing takes any time.
bool HasLess(const Load& a, const Load& b) {
  return std::tuple(a.seconds, a.pieces.size()) < std::tuple(b.seconds, b.pieces.size());
}

}  // namespace

std::vector<std::vector<size_t>> SplitBySeconds(const std::vector<std::optional<double>>& seconds, size_t shards) {
  const double usual = MedianOfKnown(seconds);
  const auto takes = [&](size_t piece) { return seconds[piece].value_or(usual); };
  std::vector<size_t> order(seconds.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return takes(a) > takes(b); });
  std::vector<Load> loads(std::min(shards, seconds.size()));
  for (const size_t piece : order) {
    if (loads.empty()) break;
    Load& least = *std::min_element(loads.begin(), loads.end(), HasLess);
    least.seconds += takes(piece);
    least.pieces.push_back(piece);
  }
  std::vector<std::vector<size_t>> split;
  split.reserve(loads.size());
  for (Load& load : loads) {
    std::sort(load.pieces.begin(), load.pieces.end());
    split.push_back(std::move(load.pieces));
  }
  return split;
}

}  // namespace yardmaster::dispatch
