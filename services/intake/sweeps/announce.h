// How schedules say what they found: as a comment in an issue, and to channels of chat. It goes through the inbox and
// the ledger, so that it is said once, whatever is started again.
#ifndef YARDMASTER_SERVICES_INTAKE_SWEEPS_ANNOUNCE_H_
#define YARDMASTER_SERVICES_INTAKE_SWEEPS_ANNOUNCE_H_

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/said_text.h"
#include "services/intake/sweeps/scheduled.h"

namespace yardmaster {

// What channels may be told about a repository.
struct NewsTopic {
  std::string_view name;
  std::string_view en;
  std::string_view zh;
};
inline constexpr const char* kGateTopic = "gate";
inline constexpr std::array<NewsTopic, 6> kNewsTopics = {{
    {"findings", "new blocking findings in pull requests", "PR 中新的阻塞问题"},
    {kGateTopic, "gates of pull requests that changed", "PR 门禁状态变化"},
    {"sweeps", "results of sweeps", "巡检结果"},
    {"dead-letters", "deliveries that were given up", "处理失败的事件"},
    {"devices", "runners and devices that were quarantined", "被隔离的运行机和设备"},
    {"schedules", "runs of schedules that failed", "失败的定时任务"},
}};

// Whether something is about a repository, whatever its number.
bool IsOfRepository(const v1::Subject& subject, const v1::Subject& repository);

// A channel of chat.
struct ToldChannel {
  std::string platform;
  std::string channel;
  std::string language = {};  // in which it is told; the same channel in another one is the same

  friend bool operator==(const ToldChannel& a, const ToldChannel& b) {
    return std::tie(a.platform, a.channel) == std::tie(b.platform, b.channel);
  }
  friend bool operator<(const ToldChannel& a, const ToldChannel& b) {
    return std::tie(a.platform, a.channel) < std::tie(b.platform, b.channel);
  }
};

// The channels that are told of a topic of a repository.
absl::StatusOr<std::vector<ToldChannel>> ChannelsFor(store::Subscriptions& subscriptions, const v1::Subject& repository,
                                                     std::string_view topic);

// A comment that is written besides. No name: none is.
struct SaidComment {
  std::string name = {};
  std::string language = {};
};

// Hands over what is said, once for each `id`: to each channel in its language. `subject`: the repository, whose number
// is 0, or the issue or pull request of the comment.
absl::Status Announce(const IntakeEnvironment& env, const v1::Subject& subject, const std::string& id,
                      const std::vector<ToldChannel>& channels, const SaidComment& comment, const SaidText& text);

// The same for what a schedule says of a repository: in its issue and to its channel, in its language, and to those
// that are told of `topic` (empty: to none). `part` tells apart what one run says of one repository. Returns to how
// many places it goes.
absl::StatusOr<size_t> TellOf(const JobEnvironment& env, const JobTurn& turn, const v1::Subject& repository,
                              std::string_view topic, std::string_view part, const SaidText& text);

// A job whose only use is what it says has to have a place for it.
absl::Status CheckSays(const ScheduleConfig& schedule);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SWEEPS_ANNOUNCE_H_
