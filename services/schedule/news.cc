#include "services/schedule/news.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "services/core/defang.h"
#include "services/core/limits.h"
#include "services/core/reasons.h"
#include "services/core/repository_name.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/event.h"
#include "services/intake/sweeps/announce.h"
#include "services/intake/sweeps/sweep.h"

namespace yardmaster {
namespace {

using store::TimePoint;

// Under it stands in the store until when channels were told.
constexpr std::string_view kToldUntil = "news: told until";
// Lines of one topic in one message; the rest is counted.
constexpr size_t kMaxLinesOfTopic = 8;
// Rows that a source looks at: one that has more is told of the newest.
constexpr int kMostNewsPages = 20;
// How old the news of a source that could not be read for a while may be.
constexpr std::chrono::hours kLongestBehind{7 * 24};

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

// Visits what `list` answers, the newest first, page after page.
template <typename Item>
absl::Status EachOfNews(const std::function<absl::StatusOr<store::Page<Item>>(const store::PageRequest&)>& list,
                        const std::function<void(const Item&)>& visit) {
  store::PageRequest request{0, kMaxStorePage};
  for (int i = 0; i < kMostNewsPages; ++i) {
    ASSIGN_OR_RETURN(const store::Page<Item> page, list(request));
    for (const Item& one : page.items) visit(one);
    request.before = page.next;
    if (request.before == 0) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SaidText>> DeadLetterNews(const JobEnvironment& env, const v1::Subject& repository,
                                                     TimePoint from, TimePoint until) {
  std::vector<SaidText> lines;
  for (const store::DeliveryState state : {store::DeliveryState::kFailed, store::DeliveryState::kDead}) {
    store::DeliveryFilter filter;
    filter.forge = repository.forge();
    filter.state = state;
    RETURN_IF_ERROR(EachOfNews<store::Delivery>(
        [&](const store::PageRequest& page) { return env.store.inbox().List(filter, page); },
        [&](const store::Delivery& one) {
          if (!IsOfRepository(one.subject, repository) || !one.settled_at.has_value() || *one.settled_at <= from ||
              *one.settled_at > until) {
            return;
          }
          const std::string about = EchoCode(SubjectKey(one.subject));
          const std::string why = EchoCode(reasons::CodeOf(one.reason));
          lines.push_back({absl::StrCat("dead letter ", one.id, ", about ", about, ": ", why),
                           absl::StrCat("事件 ", one.id, "（", about, "）处理失败：", why)});
        }));
  }
  return lines;
}

absl::StatusOr<std::vector<SaidText>> FailedRunNews(const JobEnvironment& env, const v1::Subject& repository,
                                                    TimePoint from, TimePoint until) {
  std::vector<SaidText> lines;
  store::ScheduleRunFilter filter;
  filter.failed = true;
  const auto& schedules = env.intake.config.schedules;
  RETURN_IF_ERROR(EachOfNews<store::ScheduleRun>(
      [&](const store::PageRequest& page) { return env.store.schedule_runs().List(filter, page); },
      [&](const store::ScheduleRun& run) {
        if (!run.finished_at.has_value() || *run.finished_at <= from || *run.finished_at > until) return;
        // Those of other repositories are told elsewhere; those of all, and our own, everywhere.
        const auto own =
            absl::c_find_if(schedules, [&](const ScheduleConfig& one) { return one.name == run.schedule; });
        if (own != schedules.end() && !IsAbout(*own, repository)) return;
        const std::string name = EchoCode(run.schedule);
        const std::string outcome = EchoText(run.outcome);
        const bool late = run.state == store::ScheduleRunState::kTimedOut;
        lines.push_back(
            {absl::StrCat("run ", run.id, " of the schedule ", name, " ",
                          std::string(store::ScheduleRunStateName(run.state)), ": ", outcome),
             absl::StrCat("定时任务 ", name, " 的第 ", run.id, " 次运行", late ? "超时：" : "失败：", outcome)});
      }));
  return lines;
}

// Sweeps that ended, whoever asked for them. Of one that failed, who asked is told, or a schedule's run fails.
absl::StatusOr<std::vector<SaidText>> SweepNews(const JobEnvironment& env, const v1::Subject& repository,
                                                TimePoint from, TimePoint until) {
  ASSIGN_OR_RETURN(const std::vector<store::Schedule> all, env.store.schedules().List());
  const std::string of_repository = SweepName({repository.forge(), repository.repository(), "", false});
  std::vector<SaidText> lines;
  for (const store::Schedule& one : all) {
    if (!one.name.starts_with(of_repository) || !one.finished_at.has_value() || *one.finished_at <= from ||
        *one.finished_at > until) {
      continue;
    }
    const std::string pack = EchoCode(one.name.substr(of_repository.size()));
    lines.push_back({absl::StrCat("sweep with the pack ", pack, ": ", EchoText(one.outcome)),
                     absl::StrCat("巡检（规则包 ", pack, "）：", ReadSummary(one.outcome).ChineseSummary())});
  }
  return lines;
}

// The topics that one channel is told of one repository.
struct Audience {
  v1::Subject repository;
  std::set<std::string> topics;
  std::string language;  // of the last topic: people ask in one
};

// What sources say in one window. A source that can't be read holds nobody up: where it stopped is noted, and what is
// new since then is said in a window after this one.
class NewsReader {
 public:
  NewsReader(const JobEnvironment& env, Window window) : env_(env), window_(window) {}

  // Nothing where the source can't be read. Errors are those of noting it.
  absl::StatusOr<std::vector<SaidText>> Read(const NewsSource& source, const v1::Subject& repository) {
    const std::string what =
        source.everywhere
            ? source.topic
            : absl::StrCat(source.topic, " of ", QualifiedName(repository.forge(), repository.repository()));
    const auto [known, first] = lines_.try_emplace(what);
    if (!first) return known->second;
    const std::string mark = absl::StrCat("news: behind ", ShortDigestOf({what}));
    ASSIGN_OR_RETURN(const std::optional<store::Schedule> kept, env_.store.schedules().Get(mark));
    int64_t from = Micros(window_.from);
    if (kept.has_value() && !kept->cursor.empty()) {
      const std::vector<std::string> parts = absl::StrSplit(kept->cursor, ' ');
      int64_t failed_in = 0;
      int64_t behind = 0;
      if (parts.size() == 2 && absl::SimpleAtoi(parts[0], &behind) && absl::SimpleAtoi(parts[1], &failed_in)) {
        // This window was told without it.
        if (failed_in == Micros(window_.from)) {
          failed_.push_back(what);
          return known->second;
        }
        from = std::max(behind, Micros(window_.until - kLongestBehind));
      }
      caught_up_.push_back(mark);
    }
    absl::StatusOr<std::vector<SaidText>> lines = source.read(env_, repository, FromNewsMicros(from), window_.until);
    if (lines.ok()) return known->second = *std::move(lines);
    env_.intake.logger.Warning("news can't be read: they are told when they can",
                               {{"news", what}, {"why", std::string(lines.status().message())}});
    failed_.push_back(what);
    if (kept.has_value() && !kept->cursor.empty()) caught_up_.pop_back();
    RETURN_IF_ERROR(env_.store.schedules().SetCursor(mark, absl::StrCat(from, " ", Micros(window_.from))));
    return known->second;
  }
  // All was said.
  absl::Status End() const {
    for (const std::string& mark : caught_up_) RETURN_IF_ERROR(env_.store.schedules().Finish(mark, "caught up"));
    return absl::OkStatus();
  }
  const std::vector<std::string>& failed() const { return failed_; }

 private:
  const JobEnvironment& env_;
  const Window window_;
  std::map<std::string, std::vector<SaidText>> lines_;  // by what they are about
  std::vector<std::string> failed_;
  std::vector<std::string> caught_up_;  // marks of sources that were behind
};

}  // namespace

absl::StatusOr<std::string> TellNews(const JobEnvironment& env, const JobTurn& turn) {
  ASSIGN_OR_RETURN(const Window window, OpenWindow(env.store.schedules(), env.intake.clock.Now()));
  // The next window begins where this one does: what is said would be known by the same id.
  if (window.from == window.until) {
    RETURN_IF_ERROR(env.store.schedules().SetCursor(kToldUntil, absl::StrCat(Micros(window.until))));
    return std::string("what happens from now on is news");
  }
  ASSIGN_OR_RETURN(const std::vector<store::Subscription> all, env.store.subscriptions().List());
  std::map<std::pair<ToldChannel, std::string>, Audience> audiences;
  for (const store::Subscription& one : all) {
    Audience& audience = audiences[{{one.platform, one.channel}, QualifiedName(one.forge, one.repository)}];
    audience.repository = RepositorySubject(one.forge, one.repository);
    audience.topics.insert(one.topic);
    audience.language = one.language;
  }
  NewsReader reader(env, window);
  std::set<std::pair<ToldChannel, std::string>> told_once;
  size_t messages = 0;
  for (const auto& [who, audience] : audiences) {
    if (turn.stopping()) return absl::CancelledError("cut short");
    // The operator may have taken the repository out, or the forge.
    if (env.intake.config.FindRepository(audience.repository.forge(), audience.repository.repository()) == nullptr ||
        !env.intake.forges.contains(audience.repository.forge())) {
      continue;
    }
    SaidText text;
    for (const NewsSource& source : *env.news) {
      if (!audience.topics.contains(source.topic)) continue;
      if (source.everywhere && !told_once.emplace(who.first, source.topic).second) continue;
      ASSIGN_OR_RETURN(const std::vector<SaidText> lines, reader.Read(source, audience.repository));
      for (size_t i = 0; i < std::min(lines.size(), kMaxLinesOfTopic); ++i) {
        text.Append(absl::StrCat("- ", lines[i].en, "\n"), absl::StrCat("- ", lines[i].zh, "\n"));
      }
      if (lines.size() > kMaxLinesOfTopic) {
        const size_t more = lines.size() - kMaxLinesOfTopic;
        text.Append(absl::StrCat("- and ", more, " more of `", source.topic, "`\n"),
                    absl::StrCat("- `", source.topic, "` 还有 ", more, " 条\n"));
      }
    }
    if (text.en.empty()) continue;
    const auto& [channel, repository] = who;
    const std::string id = absl::StrCat(
        "news-", ShortDigestOf({channel.platform, channel.channel, repository, absl::StrCat(Micros(window.from))}));
    for (std::string* one : {&text.en, &text.zh}) *one = absl::StrCat("**", EchoCode(repository), "**\n\n", *one);
    const ToldChannel told{channel.platform, channel.channel, audience.language};
    RETURN_IF_ERROR(Announce(env.intake, audience.repository, id, {told}, {}, text));
    ++messages;
  }
  RETURN_IF_ERROR(reader.End());
  RETURN_IF_ERROR(env.store.schedules().SetCursor(kToldUntil, absl::StrCat(Micros(window.until))));
  std::string summary = absl::StrCat(audiences.size(), " subscribed, ", messages, " told something new");
  if (!reader.failed().empty()) absl::StrAppend(&summary, "; not read: ", absl::StrJoin(reader.failed(), ", "));
  return summary;
}

std::vector<NewsSource> ScheduleNews() {
  return {{"dead-letters", DeadLetterNews}, {"schedules", FailedRunNews}, {"sweeps", SweepNews}};
}

}  // namespace yardmaster
