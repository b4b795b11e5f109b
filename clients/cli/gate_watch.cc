#include "clients/cli/gate_watch.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "clients/cli/terminal.h"
#include "services/core/absl_view.h"

namespace yardmaster::cli {
namespace {

using nlohmann::json;
using std::chrono::minutes;
using std::chrono::seconds;

// When it looks again, by how long it has waited for the same.
struct WatchStep {
  seconds waited;
  seconds next;
};
constexpr WatchStep kWatchSteps[] = {
    {minutes(25), minutes(30)}, {minutes(5), minutes(20)}, {minutes(1), seconds(270)}, {seconds(0), seconds(60)}};
// After a gate was asked for: whether something came of it is seen soon.
constexpr seconds kAfterStart{30};
// Builds that are known to take longer are looked at when they should be over.
constexpr minutes kLongBuild{30};
constexpr seconds kShortestLook{60};
constexpr seconds kLongestLook{3600};
// A server that does not answer is asked again after 5 s, 10 s, … and at last every minute, for so long.
constexpr seconds kFirstRetry{5};
constexpr seconds kLastRetry{60};
constexpr minutes kPatience{15};

// A gate that was asked for, and nothing has come of it yet.
bool IsAskedFor(const json& report) { return report["phase"] == "P2_QUEUED" || report["phase"] == "P1_WAIT"; }

seconds NextLook(const json& report, seconds waited) {
  if (waited < kAfterStart && IsAskedFor(report)) return kAfterStart;
  const seconds usual = seconds(report.value("usual_duration_ms", int64_t{0}) / 1000);
  if (report["phase"] == "P2_RUNNING" && usual > kLongBuild && waited >= kWatchSteps[0].waited) {
    return std::clamp(usual - waited, kShortestLook, kLongestLook);
  }
  for (const WatchStep& step : kWatchSteps) {
    if (waited >= step.waited) return step.next;
  }
  return kWatchSteps[0].next;
}

// What has changed if this has.
std::string StateOf(const json& report) {
  return absl::StrCat(report["phase"].dump(), report["next"]["action"].dump(), report["pipeline_number"].dump(),
                      report["pipeline_result"].dump());
}

std::string BuildOf(const json& report) {
  if (!report["pipeline_number"].is_number()) return "";
  const json& result = report["pipeline_result"];
  return absl::StrCat("#", report["pipeline_number"].dump(), " ",
                      result.is_string() ? result.get<std::string>() : std::string());
}

seconds Between(GateWatch::Moment from, GateWatch::Moment to) {
  return std::chrono::duration_cast<seconds>(std::max(to, from) - from);
}

std::string TimeText(GateWatch::Moment at, const char* format) {
  return absl::FormatTime(format, absl::FromChrono(at), absl::UTCTimeZone());
}

std::string TextOr(const json& value, std::string_view otherwise) {
  return value.is_string() ? Printable(value.get<std::string>()) : std::string(otherwise);
}

}  // namespace

bool MayPass(const absl::Status& error) {
  switch (error.code()) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnimplemented:
      return false;
    default:
      return !error.ok();
  }
}

GateWatch::Step GateWatch::Seen(const json& report, Moment now) {
  Step step;
  if (failures_ > 0) step.note = "the server answers again";
  failures_ = 0;
  answered_ = now;
  last_ = report;
  if (std::string state = StateOf(report); state != state_) {
    state_ = std::move(state);
    since_ = now;
    step.shown = true;
    timeline_.push_back({now, report["phase"].get<std::string>(), BuildOf(report)});
  }
  // The end of the way, or a person has to change something. A gate that is only to be started may be by anybody.
  if (report["next"]["action"] == "stop" || report["next"]["action"] == "fix") {
    step.ended = report["gate_ok"] == true ? ExitCode::kDone : ExitCode::kNegative;
  }
  step.next = interval_.count() > 0 ? interval_ : NextLook(report, Between(since_, now));
  return step;
}

GateWatch::Step GateWatch::Failed(const absl::Status& error, Moment now) {
  Step step;
  if (last_.is_null() || !MayPass(error) || Between(answered_, now) >= kPatience) {
    step.ended = ExitCodeOf(error);
    return step;
  }
  if (failures_ == 0) {
    step.note = absl::StrCat("no answer, it is tried again for ", kPatience.count(), " minutes: ", error.message());
  }
  step.next = std::min<seconds>(kLastRetry, kFirstRetry * (int64_t{1} << std::min(failures_, 8)));
  ++failures_;
  return step;
}

json GateWatch::Final(std::string_view status, Moment now) const {
  json timeline = json::array();
  for (const Change& change : timeline_) {
    timeline.push_back({{"at", TimeText(change.at, "%Y-%m-%dT%H:%M:%SZ")},
                        {"phase", change.phase},
                        {"build", change.build.empty() ? json() : json(change.build)}});
  }
  json unresolved = json::array();
  json counters = json::object();
  json next;
  if (!last_.is_null()) {
    for (const char* list : {"failures", "test_failures"}) {
      for (const json& one : last_[list]) {
        json told = {{"stage", one["stage"]}, {"verdict", one["verdict"]}, {"why", one["why"]}};
        for (const char* key : {"test", "rule", "file"}) {
          if (one.contains(key) && !one[key].is_null()) told[key] = one[key];
        }
        unresolved.push_back(std::move(told));
      }
    }
    counters = {{"retests", last_["retests"]},
                {"max_retests", last_["max_retests"]},
                {"description_checks", last_.value("description_checks", 0)},
                {"builds", last_.value("builds", 0)}};
    next = last_["next"]["why"];
  }
  return {{"status", status},
          {"watched_seconds", Between(start_, now).count()},
          {"timeline", std::move(timeline)},
          {"unresolved", std::move(unresolved)},
          {"counters", std::move(counters)},
          {"next_step", std::move(next)}};
}

std::string GateWatch::FinalText(std::string_view status, Moment now) const {
  const json final = Final(status, now);
  std::string text = absl::StrCat("\n", subject_, "  ", Abs(status), "\n");
  const auto line = [&text](std::string_view name, std::string_view value) {
    absl::StrAppend(&text, "  ", PadRight(name, 12), Abs(value), "\n");
  };
  if (!last_.is_null()) {
    const std::string build = BuildOf(last_);
    const std::string url = TextOr(last_["pipeline_url"], "");
    line("last build", build.empty() ? "none" : absl::StrCat(Printable(build), url.empty() ? "" : "  ", url));
  }
  line("watched", absl::FormatDuration(absl::Seconds(final["watched_seconds"].get<int64_t>())));
  std::string way;
  for (const Change& change : timeline_) {
    absl::StrAppend(&way, way.empty() ? "" : " → ", TimeText(change.at, "%H:%M"), " ", change.phase,
                    change.build.empty() ? "" : " ", Printable(change.build));
  }
  line("timeline", way.empty() ? "nothing was seen" : way);
  for (const json& one : final["unresolved"]) {
    line("unresolved", absl::StrCat(TextOr(one["stage"], "?"), "  ",
                                    TextOr(one.value("test", one.value("rule", one.value("file", json()))), ""), "  ",
                                    TextOr(one["verdict"], ""), ": ", TextOr(one["why"], "")));
  }
  if (!last_.is_null()) {
    const json& counters = final["counters"];
    line("counters", absl::StrCat("retests ", counters["retests"].dump(), " of ", counters["max_retests"].dump(),
                                  ", description checks ", counters["description_checks"].dump(), ", builds ",
                                  counters["builds"].dump()));
    line("next", TextOr(final["next_step"], ""));
  }
  return text;
}

}  // namespace yardmaster::cli
