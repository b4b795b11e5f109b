// The calls that open pull requests and describe them anew.
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/names.h"
#include "clients/forge/rest_adapter.h"
#include "services/core/absl_view.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

constexpr size_t kMaxTitleCharacters = 255;

absl::Status CheckPullText(std::string_view title, std::string_view body, size_t max_characters) {
  RETURN_IF_ERROR(CheckComment(title, kMaxTitleCharacters));
  if (title.find('\n') != std::string_view::npos) return InvalidForgeInput("the title has more than one line");
  return body.empty() ? absl::OkStatus() : CheckComment(body, max_characters);
}

absl::Status CheckBranch(std::string_view branch) {
  if (branch.empty()) return InvalidForgeInput("a branch without a name");
  return CheckRef(branch);
}

// The forge took the words for another branch, or for none.
bool IsAboutTheHead(const ForgeError& error) {
  return error.outcome == ForgeOutcome::kRefused &&
         (error.http_status == 400 || error.http_status == 403 || error.http_status == 404);
}

bool ComesFrom(const ForgePull& pull, const ForgePullHead& head) {
  // Some lists leave the fork out: the branch has to do.
  return pull.head_ref == head.branch && (pull.head_repository.empty() || pull.head_repository == head.repository);
}

}  // namespace

absl::StatusOr<ForgePull> RestAdapter::CreatePull(const ForgeCall& call, std::string_view repository,
                                                  const ForgeNewPull& pull) {
  RETURN_IF_ERROR(CheckRepository(repository));
  RETURN_IF_ERROR(CheckRepository(pull.head.repository));
  RETURN_IF_ERROR(CheckBranch(pull.head.branch));
  RETURN_IF_ERROR(CheckBranch(pull.base));
  RETURN_IF_ERROR(CheckPullText(pull.title, pull.body, api_.max_comment_characters));
  const Run run = Begin(call);
  nlohmann::json body = {{"title", pull.title}, {"body", pull.body}, {"base", pull.base}};
  if (pull.draft) body["draft"] = true;
  ForgeAnswer answer;
  for (const nlohmann::json& head : api_.pull_heads(repository, pull.head)) {
    nlohmann::json attempt = body;
    attempt.update(head);
    answer = Post(run, RepositoryAddress(repository).Below("/pulls"), attempt.dump());
    if (!answer.error.has_value() || !IsAboutTheHead(*answer.error)) break;
  }
  if (answer.error.has_value()) return answer.ToStatus();
  ASSIGN_OR_RETURN(const int64_t number, api_.made_pull(answer.body));
  return GetPull(call, {std::string(repository), number, /*pull_request=*/true});
}

absl::StatusOr<std::vector<ForgePull>> RestAdapter::FindPulls(const ForgeCall& call, std::string_view repository,
                                                              const ForgePullHead& head) {
  RETURN_IF_ERROR(CheckRepository(repository));
  RETURN_IF_ERROR(CheckRepository(head.repository));
  RETURN_IF_ERROR(CheckBranch(head.branch));
  std::vector<ForgePull> all;
  const ForgeAddress list = RepositoryAddress(repository).Below("/pulls");
  RETURN_IF_ERROR(
      ReadList(Begin(call), list, api_.pulls_query(head), api_.pulls, &ForgePull::number, AppendTo(all)).status());
  std::vector<ForgePull> found;
  absl::c_copy_if(all, std::back_inserter(found),
                  [&head](const ForgePull& one) { return one.state == ForgeState::kOpen && ComesFrom(one, head); });
  absl::c_sort(found, [](const ForgePull& a, const ForgePull& b) { return a.number < b.number; });
  return found;
}

absl::StatusOr<std::vector<ForgePull>> RestAdapter::ListOpenPulls(const ForgeCall& call, std::string_view repository) {
  RETURN_IF_ERROR(CheckRepository(repository));
  std::vector<ForgePull> open;
  const ForgeAddress list = RepositoryAddress(repository).Below("/pulls");
  RETURN_IF_ERROR(
      ReadList(Begin(call), list, api_.pulls_query({}), api_.pulls, &ForgePull::number, AppendTo(open)).status());
  std::erase_if(open, [](const ForgePull& one) { return one.state != ForgeState::kOpen; });
  absl::c_sort(open, [](const ForgePull& a, const ForgePull& b) { return a.number < b.number; });
  return open;
}

absl::StatusOr<ForgePull> RestAdapter::EditPull(const ForgeCall& call, const ForgeSubject& subject,
                                                std::string_view title, std::string_view body) {
  RETURN_IF_ERROR(CheckSubject(subject));
  RETURN_IF_ERROR(CheckPullText(title, body, api_.max_comment_characters));
  const nlohmann::json json = {{"title", title}, {"body", body}};
  const ForgeAnswer answer = Patch(Begin(call), PullAddress(subject), json.dump());
  if (answer.error.has_value()) return answer.ToStatus();
  // Answers to a change are sparse on one of the forges.
  return GetPull(call, subject);
}

absl::Status RestAdapter::AskForReview(const ForgeCall& call, const ForgeSubject& subject,
                                       const std::vector<std::string>& logins) {
  RETURN_IF_ERROR(CheckSubject(subject));
  if (logins.empty()) return InvalidForgeInput("nobody is named");
  for (const std::string& login : logins) RETURN_IF_ERROR(CheckLogin(login));
  return Post(Begin(call), PullAddress(subject).Below(api_.reviewers_path), api_.reviewers_body(logins).dump())
      .ToStatus();
}

absl::StatusOr<int64_t> ParseMadePull(std::string_view body) {
  return ReadForgeObject<int64_t>(body, [](const AnswerReader& pull) {
    return pull.FirstOf({"number", "iid"}).Number();
  });
}

}  // namespace yardmaster
