#include "clients/jenkins/jenkins.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "clients/forge/names.h"
#include "clients/forge/rest_adapter.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

constexpr std::chrono::milliseconds kJenkinsTimeout{60'000};
// In milliseconds: the year 2100, and a year. What is beyond is a mistake.
constexpr int64_t kMaxJenkinsTime = 4'102'444'800'000;
constexpr int64_t kMaxJenkinsDuration = 31'536'000'000;
constexpr RetryPolicy kJenkinsRetry{
    .attempts = 5, .base = std::chrono::milliseconds(1'000), .cap = std::chrono::milliseconds(30'000)};

JenkinsBuild ReadJenkinsBuild(const AnswerReader& build) {
  JenkinsBuild out;
  build.ExpectObject();
  out.number = build.At("number").Number();
  out.result = build.At("result").Hint();
  out.building = build.At("building").Flag();
  out.description = build.At("description").Hint();
  out.url = build.At("url").Hint();
  if (const int64_t at = build.At("timestamp").NumberHint(0); at > 0 && at < kMaxJenkinsTime) {
    out.started = std::chrono::system_clock::time_point(std::chrono::milliseconds(at));
  }
  out.duration =
      std::chrono::milliseconds(std::clamp<int64_t>(build.At("duration").NumberHint(0), 0, kMaxJenkinsDuration));
  return out;
}

// "folder/name" → "/job/folder/job/name"; empty for what is no name.
std::string JobPath(std::string_view job) {
  std::string path;
  for (const absl::string_view part : absl::StrSplit(Abs(job), '/')) {
    if (part.empty() || part == "." || part == "..") return {};
    absl::StrAppend(&path, "/job/", UrlEncode({part.data(), part.size()}));
  }
  return path;
}

absl::Status NoJob(std::string_view job) {
  return InvalidForgeInput(absl::StrCat("'", Abs(job), "' is no name of a job"));
}

}  // namespace

std::optional<ForgeVerdict> JenkinsDialect::Judge(const OutgoingResponse& response,
                                                  std::chrono::system_clock::time_point now) const {
  if (response.status >= 200 && response.status < 300) return std::nullopt;
  // Pages for people, which say no more than the status.
  return ForgeVerdict{response.status, ReasonOfStatus(response.status), std::string(HttpStatusName(response.status)),
                      ReadRetryAfter(response.Header("Retry-After"), now)};
}

absl::StatusOr<std::vector<JenkinsBuild>> ParseJenkinsBuilds(std::string_view body) {
  std::vector<JenkinsBuild> builds;
  absl::Status status = ReadForgeAnswer(body, [&builds](const AnswerReader& answer) {
    const AnswerReader list = answer.At("builds");
    list.ExpectArray();
    for (size_t i = 0; i < std::min(list.size(), kMaxJenkinsBuilds); ++i)
      builds.push_back(ReadJenkinsBuild(list.Element(i)));
  });
  if (!status.ok()) return status;
  absl::c_sort(builds, [](const JenkinsBuild& a, const JenkinsBuild& b) { return a.number > b.number; });
  return builds;
}

JenkinsClient::JenkinsClient(std::string url, const JenkinsEnvironment& environment)
    : http_(std::move(url), kJenkinsTimeout, dialect_, environment.http, environment.clock),
      retry_(http_, kJenkinsRetry, environment.seed, std::string(dialect_.name()), environment.clock,
             environment.waiter, environment.metrics) {}

absl::StatusOr<std::string> JenkinsClient::Get(std::string target, std::string route,
                                               std::chrono::steady_clock::time_point deadline) {
  ForgeRequest request;
  request.target = std::move(target);
  request.route = std::move(route);
  request.deadline = deadline;
  ForgeAnswer answer = retry_.Send(request);
  if (answer.error.has_value()) return answer.ToStatus();
  return std::move(answer.body);
}

absl::StatusOr<std::vector<JenkinsBuild>> JenkinsClient::Builds(std::string_view job, size_t count,
                                                                std::chrono::steady_clock::time_point deadline) {
  const std::string path = JobPath(job);
  if (path.empty()) return NoJob(job);
  const std::string tree = absl::StrCat("builds[number,result,building,description,timestamp,duration,url]{0,",
                                        std::clamp<size_t>(count, 1, kMaxJenkinsBuilds), "}");
  ASSIGN_OR_RETURN(const std::string body,
                   Get(absl::StrCat(path, "/api/json?tree=", UrlEncode(tree)), "/job/{job}/api/json", deadline));
  return ParseJenkinsBuilds(body);
}

absl::StatusOr<std::string> JenkinsClient::Console(std::string_view job, int64_t build,
                                                   std::chrono::steady_clock::time_point deadline) {
  const std::string path = JobPath(job);
  if (path.empty() || build < 1) return NoJob(job);
  return Get(absl::StrCat(path, "/", build, "/consoleText"), "/job/{job}/{n}/consoleText", deadline);
}

}  // namespace yardmaster
