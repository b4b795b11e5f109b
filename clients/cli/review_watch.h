// Waits for files to change by polling, which works on every file system without set-up.
#ifndef YARDMASTER_CLIENTS_CLI_REVIEW_WATCH_H_
#define YARDMASTER_CLIENTS_CLI_REVIEW_WATCH_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace yardmaster::cli {

// Changes whenever one of the files is written, replaced, added or removed, also by a file of the same size and time.
size_t StampOf(const std::vector<std::string>& files);

struct WatchTimes {
  std::chrono::milliseconds interval{300};    // between polls
  std::chrono::milliseconds settle{100};      // nothing may change for so long: what comes together is one change
  std::chrono::milliseconds patience{3'000};  // changes that never pause are reported after this
};

class Watch {
 public:
  // `look` gives the stamp of what there is now. It is called at once.
  explicit Watch(std::function<size_t()> look, WatchTimes times = {})
      : look_(std::move(look)), times_(times), stamp_(look_()) {}

  // Waits until the stamp differs from the last one and stays the same.
  void WaitForChange();

 private:
  const std::function<size_t()> look_;
  const WatchTimes times_;
  size_t stamp_;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_REVIEW_WATCH_H_
