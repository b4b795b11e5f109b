#include "clients/git/git_session.h"

#include <string_view>

#include "absl/algorithm/container.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

// An answer without a pack.
constexpr size_t kShortAnswer = 1024 * 1024;
constexpr std::string_view kNotOurRef = "not our ref ";
constexpr std::string_view kAdvertisement = "application/x-git-upload-pack-advertisement";
constexpr std::string_view kRequest = "application/x-git-upload-pack-request";
constexpr std::string_view kResult = "application/x-git-upload-pack-result";
constexpr std::string_view kVersion2 = "version=2";

}  // namespace

absl::StatusOr<GitSession> GitSession::Begin(const GitEnvironment& environment, std::string repository,
                                             std::function<absl::Status()> alive) {
  ASSIGN_OR_RETURN(GitHttp http, GitHttp::Begin(environment, std::move(repository), std::move(alive)));
  GitSession session(std::move(http));
  const std::string& name = session.http_.repository();
  const absl::StatusOr<std::string> greeting = session.http_.Send(
      {"GET", "/info/refs?service=git-upload-pack", /*content_type=*/"", kAdvertisement, kVersion2, kShortAnswer}, "");
  if (absl::IsResourceExhausted(greeting.status())) {
    return errors::GitServerUnusable(name, "it does not speak version 2 of git's protocol");
  }
  if (!greeting.ok()) return greeting.status();
  std::string error;
  const std::optional<UploadPackAbilities> abilities = ParseAbilities(*greeting, error);
  if (!abilities.has_value()) return errors::GitServerUnusable(name, error);
  session.abilities_ = *abilities;
  return session;
}

absl::StatusOr<std::string> GitSession::Ask(std::string body, size_t max_bytes) const {
  return http_.Send({"POST", "/git-upload-pack", kRequest, kResult, kVersion2, max_bytes}, std::move(body));
}

absl::StatusOr<std::vector<GitRef>> GitSession::Refs(const std::string& prefix) const {
  const absl::StatusOr<std::string> body = Ask(RefsRequest(prefix, GitHttp::Agent()), kShortAnswer);
  if (absl::IsResourceExhausted(body.status()))
    return errors::GitServerUnusable(http_.repository(), "its list of refs is too long");
  if (!body.ok()) return body.status();
  std::string error;
  std::optional<std::vector<GitRef>> refs = ParseRefs(*body, error);
  if (!refs.has_value()) return errors::GitServerUnusable(http_.repository(), error);
  return *std::move(refs);
}

absl::StatusOr<std::optional<std::string>> GitSession::RefTarget(const std::string& ref) const {
  ASSIGN_OR_RETURN(const std::vector<GitRef> refs, Refs(ref));
  const auto found = absl::c_find_if(refs, [&ref](const GitRef& one) { return one.name == ref; });
  if (found == refs.end()) return std::nullopt;
  return found->object;
}

absl::StatusOr<FetchAnswer> GitSession::Fetch(const FetchAsk& ask, const Limits& limits) const {
  absl::StatusOr<std::string> body = Ask(FetchRequest(ask, GitHttp::Agent()), limits.answer_bytes);
  if (!body.ok()) return absl::IsResourceExhausted(body.status()) ? limits.too_large : body.status();
  std::string error;
  std::optional<FetchAnswer> answer = ParseFetchAnswer(*std::move(body), error);
  if (!answer.has_value()) return errors::GitServerUnusable(http_.repository(), error);
  if (!answer->refusal.empty()) {
    // There is no code for it; git's own server and the forges' all say "not our ref" and mostly which.
    const size_t at = answer->refusal.find(kNotOurRef);
    if (at == std::string::npos) return errors::GitServerUnusable(http_.repository(), answer->refusal);
    const std::string named = answer->refusal.substr(at + kNotOurRef.size());
    return errors::CommitUnknown(absl::c_linear_search(ask.objects, named) ? named : ask.objects.front(),
                                 http_.repository());
  }
  switch (ScanPack(answer->pack, limits.pack)) {
    case PackVerdict::kGood:
      return *std::move(answer);
    case PackVerdict::kTooLarge:
      return limits.too_large;
    case PackVerdict::kBroken:
      return errors::GitServerUnusable(http_.repository(), "its pack is damaged");
  }
  return errors::Internal("a verdict without a name");
}

}  // namespace yardmaster
