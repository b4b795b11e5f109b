#include "services/schedule/news.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "services/core/defang.h"
#include "services/core/reasons.h"
#include "services/core/repository_name.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/event.h"
#include "services/intake/sweeps/announce.h"

namespace yardmaster {
namespace {

using store::TimePoint;

// Under it stands in the store until when channels were told.
constexpr std::string_view kToldUntil = "news: told until";
// Lines of one topic in one message; the rest is counted.
constexpr size_t kMaxLinesOfTopic = 8;
constexpr int64_t kNewsPage = 100;

int64_t Micros(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}
TimePoint FromNewsMicros(int64_t micros) {
  return TimePoint(std::chrono::duration_cast<TimePoint::duration>(std::chrono::microseconds(micros)));
}

// From when to when is told. Noted before anything is said: a run that is begun again tells of the same.
struct Window {
  TimePoint from;
  TimePoint until;
};
absl::StatusOr<Window> OpenWindow(store::Schedules& schedules, TimePoint now) {
  ASSIGN_OR_RETURN(const std::optional<store::Schedule> kept, schedules.Get(kToldUntil));
  std::vector<std::string> parts;
  if (kept.has_value()) parts = absl::StrSplit(kept->cursor, ' ', absl::SkipEmpty());
  int64_t from = 0;
  int64_t until = 0;
  if (parts.size() == 2 && absl::SimpleAtoi(parts[0], &from) && absl::SimpleAtoi(parts[1], &until)) {
    return Window{FromNewsMicros(from), FromNewsMicros(until)};
  }
  // Never before: nothing of the past is news.
  if (parts.size() != 1 || !absl::SimpleAtoi(parts[0], &from)) from = Micros(now);
  const Window window{FromNewsMicros(from), std::max(FromNewsMicros(from), now)};
  RETURN_IF_ERROR(schedules.SetCursor(kToldUntil, absl::StrCat(Micros(window.from), " ", Micros(window.until))));
  return window;
}

absl::StatusOr<std::vector<std::string>> DeadLetterNews(const JobEnvironment& env, const v1::Subject& repository,
                                                        TimePoint from, TimePoint until) {
  std::vector<std::string> lines;
  for (const store::DeliveryState state : {store::DeliveryState::kFailed, store::DeliveryState::kDead}) {
    store::DeliveryFilter filter;
    filter.state = state;
    ASSIGN_OR_RETURN(const store::Page<store::Delivery> page, env.store.inbox().List(filter, {0, kNewsPage}));
    for (const store::Delivery& one : page.items) {
      if (!IsOfRepository(one.subject, repository) || !one.settled_at.has_value() || *one.settled_at <= from ||
          *one.settled_at > until)
        continue;
      lines.push_back(absl::StrCat("dead letter ", one.id, ", about ", EchoCode(SubjectKey(one.subject)), ": ",
                                   EchoCode(reasons::CodeOf(one.reason))));
    }
  }
  return lines;
}

absl::StatusOr<std::vector<std::string>> FailedRunNews(const JobEnvironment& env, const v1::Subject& repository,
                                                       TimePoint from, TimePoint until) {
  std::vector<std::string> lines;
  store::ScheduleRunFilter filter;
  filter.failed = true;
  ASSIGN_OR_RETURN(const store::Page<store::ScheduleRun> page, env.store.schedule_runs().List(filter, {0, kNewsPage}));
  for (const store::ScheduleRun& run : page.items) {
    if (!run.finished_at.has_value() || *run.finished_at <= from || *run.finished_at > until) continue;
    // Those of other repositories are told elsewhere; those of all, and our own, everywhere.
    const auto& schedules = env.intake.config.schedules;
    const auto own = absl::c_find_if(schedules, [&](const ScheduleConfig& one) { return one.name == run.schedule; });
    if (own != schedules.end() && !own->forge.empty() &&
        (own->forge != repository.forge() || !RepositoryMatches(own->repository, repository.repository()))) {
      continue;
    }
    lines.push_back(absl::StrCat("run ", run.id, " of the schedule ", EchoCode(run.schedule), " ",
                                 std::string(store::ScheduleRunStateName(run.state)), ": ", EchoText(run.outcome)));
  }
  return lines;
}

// The topics that one channel is told of one repository.
struct Audience {
  v1::Subject repository;
  std::set<std::string> topics;
};

}  // namespace

absl::StatusOr<std::string> TellNews(const JobEnvironment& env, const JobTurn& turn) {
  ASSIGN_OR_RETURN(const Window window, OpenWindow(env.store.schedules(), env.intake.clock.Now()));
  ASSIGN_OR_RETURN(const std::vector<store::Subscription> all, env.store.subscriptions().List());
  std::map<std::pair<ToldChannel, std::string>, Audience> audiences;
  for (const store::Subscription& one : all) {
    Audience& audience = audiences[{{one.platform, one.channel}, absl::StrCat(one.forge, ":", one.repository)}];
    audience.repository.set_forge(one.forge);
    audience.repository.set_repository(one.repository);
    audience.repository.set_kind(v1::SUBJECT_KIND_ISSUE);
    audience.topics.insert(one.topic);
  }
  size_t messages = 0;
  for (const auto& [who, audience] : audiences) {
    if (turn.stopping()) return absl::CancelledError("cut short");
    // The operator may have taken the repository out, or the forge.
    if (env.intake.config.FindRepository(audience.repository.forge(), audience.repository.repository()) == nullptr ||
        !env.intake.forges.contains(audience.repository.forge())) {
      continue;
    }
    std::string text;
    for (const NewsSource& source : *env.news) {
      if (!audience.topics.contains(source.topic)) continue;
      ASSIGN_OR_RETURN(const std::vector<std::string> lines,
                       source.read(env, audience.repository, window.from, window.until));
      for (size_t i = 0; i < std::min(lines.size(), kMaxLinesOfTopic); ++i)
        absl::StrAppend(&text, "- ", lines[i], "\n");
      if (lines.size() > kMaxLinesOfTopic) {
        absl::StrAppend(&text, "- and ", lines.size() - kMaxLinesOfTopic, " more of `", source.topic, "`\n");
      }
    }
    if (text.empty()) continue;
    const auto& [channel, repository] = who;
    const std::string id = absl::StrCat(
        "news-", ShortDigestOf({channel.platform, channel.channel, repository, absl::StrCat(Micros(window.from))}));
    RETURN_IF_ERROR(Announce(env.intake, audience.repository, id, {channel}, "",
                             absl::StrCat("**", EchoCode(repository), "**\n\n", text)));
    ++messages;
  }
  RETURN_IF_ERROR(env.store.schedules().SetCursor(kToldUntil, absl::StrCat(Micros(window.until))));
  return absl::StrCat(audiences.size(), " subscribed, ", messages, " told something new");
}

std::vector<NewsSource> ScheduleNews() { return {{"dead-letters", DeadLetterNews}, {"schedules", FailedRunNews}}; }

}  // namespace yardmaster
