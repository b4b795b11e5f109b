// How `yard pipeline watch` goes on: when it looks again, what of it is shown, when it is over, and what is said then.
// Nothing here waits or prints.
#ifndef YARDMASTER_CLIENTS_CLI_GATE_WATCH_H_
#define YARDMASTER_CLIENTS_CLI_GATE_WATCH_H_

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "clients/cli/exit_code.h"

namespace yardmaster::cli {

// Whether the same call may succeed later: the server starts anew, or something behind it is away.
bool MayPass(const absl::Status& error);

class GateWatch {
 public:
  using Moment = std::chrono::system_clock::time_point;

  // `interval`: between two looks; 0: by how long the same was waited for.
  GateWatch(std::string subject, std::chrono::seconds interval, Moment start)
      : subject_(std::move(subject)), interval_(interval), start_(start) {}

  struct Step {
    bool shown = false;             // it is another state than before
    std::optional<ExitCode> ended;  // it is over
    std::chrono::seconds next{0};   // when to look again
    std::string note;               // for people; empty: nothing
  };
  // The server answered with a report.
  Step Seen(const nlohmann::json& report, Moment now);
  // It did not. The first look and what does not pass end the watch; the rest is tried again for a while.
  Step Failed(const absl::Status& error, Moment now);

  // The end of it, as the member "final" of the last report. `status`: why it ended.
  nlohmann::json Final(std::string_view status, Moment now) const;
  // The same for people.
  std::string FinalText(std::string_view status, Moment now) const;
  // The report that was last seen; null: none was.
  const nlohmann::json& last() const { return last_; }

 private:
  struct Change {
    Moment at;
    std::string phase;
    std::string build;  // "#501 FAILURE"; empty: none
  };

  const std::string subject_;
  const std::chrono::seconds interval_;
  const Moment start_;
  nlohmann::json last_;
  std::string state_;
  Moment since_{};  // the state is this one
  std::vector<Change> timeline_;
  int failures_ = 0;  // in a row
  Moment answered_{};
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_GATE_WATCH_H_
