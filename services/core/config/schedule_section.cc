// The section "schedules".
#include <limits>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "services/core/config/config_parser.h"
#include "services/core/cron.h"
#include "services/core/repository_name.h"

namespace yardmaster {

std::string ConfigParser::ReadJob(ObjectReader& reader, const std::string& word) {
  if (options_.jobs.empty() && IsConfigName(word)) return word;
  const auto job = options_.jobs.find(word);
  if (job != options_.jobs.end()) return job->second;
  std::set<std::string> names;
  for (const auto& [unused, name] : options_.jobs) names.insert(absl::StrCat("\"", name, "\""));
  reader.Problem("run", names.empty() ? "expected what to run, for example \"sweep\""
                                      : absl::StrCat("expected ", absl::StrJoin(names, " or ")));
  return {};
}

void ConfigParser::ParseScheduleExtras(ObjectReader& reader, ScheduleConfig& schedule) {
  if (auto zone = reader.String("time_zone")) {
    absl::TimeZone known;
    if (!absl::LoadTimeZone(*zone, &known)) {
      reader.Problem("time_zone", absl::StrCat("the system knows no time zone \"", *zone,
                                               "\": expected a name like \"Europe/Berlin\" (package tzdata)"));
    }
    schedule.time_zone = *std::move(zone);
  }
  schedule.jitter = std::chrono::seconds(reader.Integer("jitter_seconds", 0, 24 * 3600).value_or(0));
  schedule.limit =
      std::chrono::minutes(reader.Integer("limit_minutes", 1, 7 * 24 * 60).value_or(kScheduleLimit.count()));
  schedule.issue = reader.Integer("issue", 1, std::numeric_limits<int64_t>::max()).value_or(0);
  if (schedule.issue > 0 && (schedule.repository.empty() || schedule.repository.ends_with("/*"))) {
    reader.Problem("issue", "an issue belongs to one repository: name it in \"repository\"");
  }
  schedule.language = reader.String("language").value_or("");
  if (!schedule.language.empty() && schedule.language != "en" && schedule.language != "zh") {
    reader.Problem("language", "expected \"en\" or \"zh\"");
  }
  schedule.days = reader.Integer("days", 1, 365).value_or(0);
  schedule.issues = reader.Integer("issues", 1, 2'000).value_or(0);
  if (auto pack = reader.String("pack")) {
    const size_t at = pack->find('@');
    schedule.pack = pack->substr(0, at);
    if (at != std::string::npos) schedule.pack_folder = Resolve(pack->substr(at + 1));
    if (!IsConfigName(schedule.pack) || (at != std::string::npos && at + 1 == pack->size())) {
      reader.Problem("pack", "expected PACK, or PACK@FOLDER for the packs of another folder");
    }
  }
  if (auto chat = reader.String("chat")) {
    const size_t colon = chat->find(':');
    schedule.chat_platform = chat->substr(0, colon);
    schedule.chat_channel = colon == std::string::npos ? "" : chat->substr(colon + 1);
    if (schedule.chat_channel.empty()) {
      reader.Problem("chat", "expected PLATFORM:CHANNEL, for example \"slack:C0123456\"");
    }
  }
}

void ConfigParser::ParseSchedule(JsonPlace place) {
  ScheduleConfig schedule;
  ObjectReader reader(context_, std::move(place), "a schedule");
  if (auto name = reader.RequiredString("name")) {
    const bool taken =
        absl::c_any_of(config_.schedules, [&](const ScheduleConfig& other) { return other.name == *name; });
    if (!IsConfigName(*name)) {
      reader.Problem("name", "expected a name of letters, digits, \".\", \"_\" and \"-\"");
    } else if (taken) {
      reader.Problem("name", absl::StrCat("the name \"", *name, "\" is taken by another schedule"));
    }
    schedule.name = *std::move(name);
  }
  if (auto cron = reader.RequiredString("cron")) {
    std::string error;
    if (!CronExpression::Parse(*cron, error).has_value()) reader.Problem("cron", std::move(error));
    schedule.cron = *std::move(cron);
  }
  if (auto run = reader.RequiredString("run")) {
    schedule.run = ReadJob(reader, *run);
  }
  if (auto repository = reader.String("repository")) {
    const size_t colon = repository->find(':');
    const std::string forge = repository->substr(0, colon == std::string::npos ? 0 : colon);
    const std::string name = colon == std::string::npos ? "" : repository->substr(colon + 1);
    if (!IsRepositoryPattern(name)) {
      reader.Problem("repository", "expected FORGE:OWNER/NAME, for example \"github:pytorch/pytorch\"");
    } else if (config_.forges.find(forge) == config_.forges.end()) {
      reader.Problem("repository", absl::StrCat("the forge \"", forge,
                                                "\" is not configured: expected one of the keys of \"forges\""));
    }
    schedule.forge = forge;
    schedule.repository = name;
  }
  ParseScheduleExtras(reader, schedule);
  reader.Finish();
  config_.schedules.push_back(std::move(schedule));
}

}  // namespace yardmaster
