// A forge as somebody would add one: all that is particular to it stands in this file. In clients/forge it would be the
// folder "example", with a line in clients/forges/shipped_forges.cc and its host in
// rules/engine/commands/pull_reference.cc. Its API answers in GitHub's words, as those of several forges do.
#ifndef YARDMASTER_TESTS_SUPPORT_EXAMPLE_FORGE_H_
#define YARDMASTER_TESTS_SUPPORT_EXAMPLE_FORGE_H_

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/forge/dialect.h"
#include "clients/forge/github/github_answers.h"
#include "clients/forge/github/github_checks.h"
#include "clients/forge/limits.h"
#include "clients/forge/payload.h"
#include "clients/forge/profile.h"
#include "clients/forge/rest_adapter.h"
#include "services/core/reasons.h"

namespace yardmaster::testing {

class ExampleDialect final : public ForgeDialect {
 public:
  std::string_view name() const override { return "example"; }
  std::vector<HttpHeader> Headers() const override { return {{"Accept", "application/json"}}; }
  HttpHeader TokenHeader() const override { return {"Authorization", "token "}; }
  std::optional<ForgeVerdict> Judge(const OutgoingResponse& response,
                                    std::chrono::system_clock::time_point now) const override {
    if (response.status < 300 || response.status == 304) return std::nullopt;
    return ForgeVerdict{response.status, ReasonOfStatus(response.status), response.body,
                        ReadRetryAfter(response.Header("Retry-After"), now)};
  }
};

inline const RestApi& ExampleApi() {
  static const RestApi api = {
      .labels = {1, 50},
      .max_comment_characters = 65'536,
      .subject =
          [](const ForgeSubject& subject) {
            return RepositoryAddress(subject.repository).Below(absl::StrCat("/issues/", subject.number), "/issues/{n}");
          },
      .comment =
          [](const ForgeSubject& subject, std::string_view id) {
            return RepositoryAddress(subject.repository)
                .Below("/issues/comments/" + std::string(id), "/issues/comments/{id}");
          },
      .added_labels =
          [](const std::vector<std::string>& labels) {
            return nlohmann::json{{"labels", labels}};
          },
      .page_query = [](int page) { return absl::StrCat("limit=", kForgePageSize, "&page=", page); },
      .comment_order = [](const ForgeSubject&) { return std::string_view(); },
      .page_info =
          [](const ForgeAnswer&, size_t items, int) {
            ForgePageInfo info;
            info.items = items;
            info.more = items == static_cast<size_t>(kForgePageSize);
            return info;
          },
      .review_comment_order = {},
      .review_replies =
          [](const ForgeSubject& subject, const ForgeComment& comment) {
            return PullAddress(subject).Below(absl::StrCat("/comments/", comment.id, "/replies"),
                                              "/comments/{id}/replies");
          },
      .max_review_comments = 1,
      .issue_tells_kind = true,
      .user = github::ParseUser,
      .repository = github::ParseRepository,
      .repositories = github::ParseRepositories,
      .repository_labels = github::ParseLabels,
      .issue = github::ParseIssue,
      .issues = github::ParseIssues,
      .written_comment = github::ParseComment,
      .comments = github::ParseComments,
      .access = github::ParseAccess,
      .pull = github::ParsePull,
      .pull_files = github::ParsePullFiles,
      .pull_commits = ParsePullCommits,
      .review_comments = github::ParseReviewComments,
  };
  return api;
}

class ExampleForge final : public RestAdapter {
 public:
  ExampleForge(ForgePipeline pipeline, const Clock& clock) : RestAdapter(ExampleApi(), std::move(pipeline), clock) {}

  bool has_reactions() const override { return false; }
  absl::StatusOr<bool> IsTeamMember(const ForgeCall&, std::string_view, std::string_view, std::string_view) override {
    return Unsupported();
  }
  absl::StatusOr<std::string> AddReaction(const ForgeCall&, const ForgeSubject&, std::string_view,
                                          ForgeReaction) override {
    return Unsupported();
  }
  absl::StatusOr<ForgeHookDeliveryPage> ListHookDeliveries(const ForgeCall&, std::string_view, std::string_view,
                                                           std::string_view) override {
    return Unsupported();
  }
  absl::Status Redeliver(const ForgeCall&, std::string_view, std::string_view, std::string_view) override {
    return Unsupported();
  }

 private:
  absl::Status SendReview(const Run& run, const ForgeSubject& subject, std::string_view commit,
                          const std::vector<ForgeInlineComment>& comments) override {
    return Post(run, PullAddress(subject).Below("/reviews"), github::ReviewBody(commit, comments).dump()).ToStatus();
  }
  static absl::Status Unsupported() {
    return MakeForgeStatus({ForgeReason::kUnsupported, ForgeOutcome::kNotSent, 0, std::nullopt}, "not on this forge");
  }
};

// Issues that were opened; everything else is ignored.
inline WebhookReading ReadExampleWebhook(const WebhookDelivery& delivery, std::string_view body) {
  WebhookReading reading;
  const std::optional<nlohmann::json> parsed = payload::Parse(body, reading.reason);
  if (!parsed.has_value()) return reading;
  reading.action = payload::Name(payload::Member(*parsed, "action"));
  reading.subject.repository = payload::Name(payload::Member(*parsed, {"repository", "full_name"}));
  reading.subject.number = payload::PositiveInteger(payload::Member(*parsed, {"issue", "number"})).value_or(0);
  ForgeEvent event;
  event.subject = reading.subject;
  event.actor = payload::Name(payload::Member(*parsed, {"sender", "login"}));
  if (reading.action != "opened" || reading.subject.number == 0) {
    reading.reason = reasons::WithDetail(reasons::kUnusedAction, reading.action);
  } else if (SameLogin(event.actor, delivery.bot_login)) {
    reading.reason = std::string(reasons::kOwnAction);
  } else {
    reading.event = std::move(event);
  }
  return reading;
}

inline const ForgeProfile& ExampleProfile() {
  static const ForgeProfile profile = {
      .name = "example",
      .api_url = "https://example.test/api/v1",
      .git_url = "https://example.test",
      .git_user = "git",
      .pull_ref = "refs/changes/{}/head",
      .pull_templates = {"docs/change.md"},
      .budget = {},
      .webhooks = {.event_headers = {"X-Example-Event"},
                   .delivery_headers = {"X-Example-Delivery"},
                   .delivery_member = {},
                   .signature_header = "X-Example-Signature",
                   .token_header = {},
                   .repository = {"repository", "full_name"},
                   .events = {"issues"},
                   .ping_event = {},
                   .read = ReadExampleWebhook},
      .app_credentials = nullptr,
      .dialect = []() -> std::unique_ptr<ForgeDialect> { return std::make_unique<ExampleDialect>(); },
      .client = [](ForgePipeline pipeline, const Clock& clock) -> std::unique_ptr<StoppableForge> {
        return std::make_unique<ExampleForge>(std::move(pipeline), clock);
      },
  };
  return profile;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_EXAMPLE_FORGE_H_
