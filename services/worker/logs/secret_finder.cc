#include "services/worker/logs/secret_finder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"

namespace yardmaster::worker {
namespace {

// A line of a secret that has several.
constexpr size_t kShortestLine = 6;

}  // namespace

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
  // The longest first: of several that begin at one place it counts.
  absl::c_sort(secrets_, [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

std::optional<SecretFinder::Match> SecretFinder::FindOne(std::string_view text, size_t from) const {
  std::optional<Match> first;
  for (const std::string& secret : secrets_) {
    // What is behind the first one that was found is of no interest.
    if (from > text.size()) break;
    const void* found = ::memmem(text.data() + from, text.size() - from, secret.data(), secret.size());
    if (found == nullptr) continue;
    const auto begin = static_cast<size_t>(static_cast<const char*>(found) - text.data());
    if (first.has_value() && first->begin <= begin) continue;
    first = Match{begin, begin + secret.size()};
    text = text.substr(0, std::min(text.size(), begin + longest()));
  }
  return first;
}

std::optional<SecretFinder::Match> SecretFinder::Find(std::string_view text, size_t from) const {
  std::optional<Match> match = FindOne(text, from);
  if (!match.has_value()) return match;
  for (size_t next = match->begin + 1; next < match->end;) {
    const std::optional<Match> further = FindOne(text.substr(0, std::min(text.size(), match->end + longest())), next);
    if (!further.has_value() || further->begin >= match->end) break;
    match->end = std::max(match->end, further->end);
    next = further->begin + 1;
  }
  return match;
}

}  // namespace yardmaster::worker
