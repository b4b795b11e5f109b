#include "services/dispatch/quarantine_news.h"

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"
#include "services/core/limits.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/dispatch/records.h"

namespace yardmaster::dispatch {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

constexpr std::string_view kTold = "news: quarantined";
// Of the digest of a name.
constexpr size_t kDigits = 8;
// How a worker begins what is wrong with a device that it took out of use after failures in a row.
constexpr std::string_view kQuarantined = "quarantined: ";

// Something that is quarantined now.
struct Quarantined {
  std::string key;
  SaidText line;
};

std::vector<Quarantined> AllQuarantined(const std::vector<Runner>& runners) {
  std::vector<Quarantined> all;
  for (const Runner& runner : runners) {
    const std::string on = EchoCode(runner.name);
    if (runner.quarantined) {
      const std::string why = EchoText(runner.quarantine_why);
      all.push_back(
          {ShortDigestOf({runner.name}).substr(0, kDigits),
           {absl::StrCat("runner ", on, " is quarantined: ", why), absl::StrCat("运行机 ", on, " 已被隔离：", why)}});
    }
    for (const Device& device : runner.devices) {
      const std::string fault = device.Fault();
      if (!absl::StartsWith(fault, Abs(kQuarantined))) continue;
      const std::string which = absl::StrCat(
          EchoCode(device.id), device.model.empty() ? "" : absl::StrCat(" (", EchoText(device.model), ")"));
      const std::string why = EchoText(fault.substr(kQuarantined.size()));
      all.push_back({ShortDigestOf({runner.name, device.id}).substr(0, kDigits),
                     {absl::StrCat("device ", which, " of runner ", on, " is quarantined: ", why),
                      absl::StrCat("运行机 ", on, " 的设备 ", which, " 已被隔离：", why)}});
    }
  }
  return all;
}

absl::StatusOr<std::vector<SaidText>> QuarantineNews(const JobEnvironment& env, const v1::Subject&, TimePoint from,
                                                     TimePoint) {
  ASSIGN_OR_RETURN(const store::JobRows rows, env.store.jobs().LoadLive());
  ASSIGN_OR_RETURN(const Changes live, ChangesOf(rows));
  const std::vector<Quarantined> all = AllQuarantined(live.runners);
  const std::string stamp = absl::StrCat("=", from.time_since_epoch().count());
  // "=WINDOW", then "+KEY" of those that are news in that window and "-KEY" of those that were before: a window that is
  // told again is told alike.
  ASSIGN_OR_RETURN(const std::optional<store::Schedule> kept, env.store.schedules().Get(kTold));
  std::vector<std::string> parts;
  if (kept.has_value()) parts = absl::StrSplit(kept->cursor, ' ', absl::SkipEmpty());
  const bool same_window = !parts.empty() && parts.front() == stamp;
  std::set<std::string> before;
  for (const std::string& part : parts) {
    if (part.front() == '-' || (part.front() == '+' && !same_window)) before.insert(part.substr(1));
  }
  // Those that were told before have their places first: nothing is told twice because others took them.
  std::vector<SaidText> lines;
  std::string old;
  std::string fresh;
  for (const bool told : {true, false}) {
    for (const Quarantined& one : all) {
      if (before.contains(one.key) != told) continue;
      // Where there are more than can be remembered, the rest is not told.
      if (stamp.size() + old.size() + fresh.size() + one.key.size() + 2 > kMaxCursorBytes) continue;
      absl::StrAppend(told ? &old : &fresh, told ? " -" : " +", one.key);
      if (!told) lines.push_back(one.line);
    }
  }
  const std::string cursor = absl::StrCat(stamp, old, fresh);
  if (!kept.has_value() || kept->cursor != cursor) RETURN_IF_ERROR(env.store.schedules().SetCursor(kTold, cursor));
  return lines;
}

}  // namespace

std::vector<NewsSource> RunnerNews() { return {{"devices", QuarantineNews, /*everywhere=*/true}}; }

}  // namespace yardmaster::dispatch
