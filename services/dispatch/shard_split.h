// Shares pieces of work out, so that all who have some take equally long. Pure.
#ifndef YARDMASTER_SERVICES_DISPATCH_SHARD_SPLIT_H_
#define YARDMASTER_SERVICES_DISPATCH_SHARD_SPLIT_H_

#include <cstddef>
#include <optional>
#include <vector>

namespace yardmaster::dispatch {

// Indices of `seconds`, what each piece takes, by shard: each piece once, in its order, and no shard without any, so
// that there are fewer of them than `shards` where there are fewer pieces. The longest piece goes first, each to the
// shard that has least. What a piece takes that nobody knows is the median of the others; where nobody knows any, all
// are alike.
std::vector<std::vector<size_t>> SplitBySeconds(const std::vector<std::optional<double>>& seconds, size_t shards);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_SHARD_SPLIT_H_
