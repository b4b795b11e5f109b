#include "services/worker/logs/secret_finder.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"

namespace yardmaster::worker {
namespace {

// A line of a secret that has several.
constexpr size_t kShortestLine = 6;
constexpr size_t kBlocks = 65'536;
constexpr size_t kFurthestShift = 255;

}  // namespace

// Wu and Manber's search: a window as long as the shortest secret moves over the text. The two bytes at its end tell
// how far it can move without missing anything; only where they end the beginning of a secret all are compared.
SecretFinder::SecretFinder(std::vector<std::string> secrets) {
  for (std::string& secret : secrets) {
    if (secret.find_first_of("\r\n") == std::string::npos) {
      if (!secret.empty()) secrets_.push_back(std::move(secret));
      continue;
    }
    for (size_t begin = 0; begin < secret.size();) {
      const size_t end = std::min(secret.find_first_of("\r\n", begin), secret.size());
      if (end - begin >= kShortestLine) secrets_.push_back(secret.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  if (secrets_.empty()) return;
  shortest_ = secrets_[0].size();
  for (const std::string& secret : secrets_) {
    shortest_ = std::min(shortest_, secret.size());
    longest_ = std::max(longest_, secret.size());
  }
  const size_t block = shortest_ == 1 ? 1 : 2;
  shift_.assign(kBlocks, static_cast<uint8_t>(std::min(shortest_ - block + 1, kFurthestShift)));
  for (const std::string& secret : secrets_) {
    for (size_t end = block; end <= shortest_; ++end) {
      uint8_t& shift = shift_[Block(secret.data() + end)];
      shift = std::min(shift, static_cast<uint8_t>(std::min(shortest_ - end, kFurthestShift)));
    }
  }
  absl::c_sort(secrets_, [&](const std::string& a, const std::string& b) {
    const uint16_t block_a = Block(a.data() + shortest_);
    const uint16_t block_b = Block(b.data() + shortest_);
    return block_a != block_b ? block_a < block_b : a < b;
  });
  secrets_.erase(std::unique(secrets_.begin(), secrets_.end()), secrets_.end());
}

uint16_t SecretFinder::Block(const char* end) const {
  const auto last = static_cast<unsigned char>(end[-1]);
  if (shortest_ == 1) return last;
  return static_cast<uint16_t>(static_cast<unsigned char>(end[-2]) << 8 | last);
}

std::optional<SecretFinder::Match> SecretFinder::FindOne(std::string_view text, size_t from) const {
  if (secrets_.empty()) return std::nullopt;
  for (size_t end = from + shortest_; end <= text.size();) {
    const uint16_t block = Block(text.data() + end);
    if (shift_[block] != 0) {
      end += shift_[block];
      continue;
    }
    const size_t begin = end - shortest_;
    size_t longest = 0;
    const auto first = std::lower_bound(
        secrets_.begin(), secrets_.end(), block,
        [&](const std::string& secret, uint16_t wanted) { return Block(secret.data() + shortest_) < wanted; });
    for (auto secret = first; secret != secrets_.end() && Block(secret->data() + shortest_) == block; ++secret) {
      if (secret->size() > longest && text.compare(begin, secret->size(), *secret) == 0) longest = secret->size();
    }
    if (longest > 0) return Match{begin, begin + longest};
    ++end;
  }
  return std::nullopt;
}

std::optional<SecretFinder::Match> SecretFinder::Find(std::string_view text, size_t from) const {
  std::optional<Match> match = FindOne(text, from);
  if (!match.has_value()) return match;
  for (size_t next = match->begin + 1; next < match->end;) {
    const std::optional<Match> further = FindOne(text.substr(0, std::min(text.size(), match->end + longest_)), next);
    if (!further.has_value() || further->begin >= match->end) break;
    match->end = std::max(match->end, further->end);
    next = further->begin + 1;
  }
  return match;
}

}  // namespace yardmaster::worker
