// Finds texts that must not be seen, as fast as logs come.
#ifndef YARDMASTER_SERVICES_WORKER_LOGS_SECRET_FINDER_H_
#define YARDMASTER_SERVICES_WORKER_LOGS_SECRET_FINDER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::worker {

// Immutable, safe to use from many threads.
class SecretFinder {
 public:
  // Lines of a secret with several are secrets by themselves: a log has only lines. Those that are too short to be
  // worth hiding (a brace, a dash) are not.
  explicit SecretFinder(std::vector<std::string> secrets);

  struct Match {
    size_t begin = 0;
    size_t end = 0;
  };
  // The leftmost from `from` on, the longest of those; what overlaps it is included.
  std::optional<Match> Find(std::string_view text, size_t from = 0) const;

  bool empty() const { return secrets_.empty(); }
  // Bytes of the longest secret.
  size_t longest() const { return secrets_.empty() ? 0 : secrets_.front().size(); }

 private:
  std::optional<Match> FindOne(std::string_view text, size_t from) const;

  std::vector<std::string> secrets_;  // the longest first
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_LOGS_SECRET_FINDER_H_
