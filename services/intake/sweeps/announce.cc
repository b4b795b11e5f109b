#include "services/intake/sweeps/announce.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/pipeline/request.h"

namespace yardmaster {

bool IsOfRepository(const v1::Subject& subject, const v1::Subject& repository) {
  return subject.forge() == repository.forge() && absl::EqualsIgnoreCase(subject.repository(), repository.repository());
}

absl::StatusOr<std::vector<ToldChannel>> ChannelsFor(store::Subscriptions& subscriptions, const v1::Subject& repository,
                                                     std::string_view topic) {
  std::vector<ToldChannel> told;
  if (topic.empty()) return told;
  ASSIGN_OR_RETURN(const std::vector<store::Subscription> all, subscriptions.List());
  for (const store::Subscription& one : all) {
    if (one.topic != topic || one.forge != repository.forge() ||
        !absl::EqualsIgnoreCase(one.repository, repository.repository())) {
      continue;
    }
    told.push_back({one.platform, one.channel, one.language});
  }
  return told;
}

absl::Status Announce(const IntakeEnvironment& env, const v1::Subject& subject, const std::string& id,
                      const std::vector<ToldChannel>& channels, const SaidComment& comment, const SaidText& text) {
  SubjectRequest request;
  request.subject = subject;
  v1::Announcement& said = request.announcement.emplace();
  for (const ToldChannel& one : channels) {
    v1::ChatMessage& message = *said.add_messages();
    message.set_platform(one.platform);
    message.set_channel(one.channel);
    message.set_body(text.In(one.language));
    message.set_cause(id);
  }
  if (!comment.name.empty()) {
    said.set_comment_name(comment.name);
    said.set_comment(text.In(comment.language));
  }
  return env.inbox.AddAndWait(MakeRequest(request, id)).status();
}

absl::StatusOr<size_t> TellOf(const JobEnvironment& env, const JobTurn& turn, const v1::Subject& repository,
                              std::string_view topic, std::string_view part, const SaidText& text) {
  const ScheduleConfig& schedule = turn.schedule;
  ASSIGN_OR_RETURN(std::vector<ToldChannel> channels, ChannelsFor(env.store.subscriptions(), repository, topic));
  const ToldChannel own{schedule.chat_platform, schedule.chat_channel, schedule.language};
  if (!own.channel.empty() && std::find(channels.begin(), channels.end(), own) == channels.end()) {
    channels.push_back(own);
  }
  const std::string due =
      absl::StrCat(std::chrono::duration_cast<std::chrono::seconds>(turn.due.time_since_epoch()).count());
  const std::string id =
      absl::StrCat("said-", ShortDigestOf({schedule.name, due, repository.forge(), repository.repository(), part}));
  size_t places = channels.size();
  v1::Subject subject = repository;
  SaidComment comment{{}, schedule.language};
  if (schedule.issue > 0) {
    subject.set_number(schedule.issue);
    comment.name = absl::StrCat("schedule-", id);
    ++places;
  }
  if (places > 0) RETURN_IF_ERROR(Announce(env.intake, subject, id, channels, comment, text));
  return places;
}

absl::Status CheckSays(const ScheduleConfig& schedule) {
  if (schedule.issue > 0 || !schedule.chat_channel.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the schedule \"", schedule.name,
                                                    "\" has no place for what it says: give it \"issue\" or \"chat\""));
}

}  // namespace yardmaster
