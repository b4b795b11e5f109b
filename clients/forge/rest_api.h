// What the forges' REST APIs differ in, as data that the adapter works by: addresses, limits, queries, words.
#ifndef YARDMASTER_CLIENTS_FORGE_REST_API_H_
#define YARDMASTER_CLIENTS_FORGE_REST_API_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "clients/forge/forge_pulls.h"
#include "clients/forge/forge_setup.h"
#include "clients/forge/pages.h"
#include "clients/forge/transport.h"

namespace yardmaster {

// An answer's body → a value, or kBadAnswer.
template <typename T>
using ForgeParser = absl::StatusOr<T> (*)(std::string_view body);

// Where something is: its address below the API's, and the same with "{…}" for what varies, for metrics.
struct ForgeAddress {
  std::string target;
  std::string route;
  // As ForgeRequest::api_version.
  std::string api_version = {};

  // What lies below it.
  ForgeAddress Below(std::string_view path) const { return Below(path, path); }
  ForgeAddress Below(std::string_view target_path, std::string_view route_path) const {
    return {target + std::string(target_path), route + std::string(route_path), api_version};
  }
};

struct RestApi {
  LabelRules labels;
  // Longer comments are cut or refused.
  size_t max_comment_characters = 0;

  ForgeAddress (*subject)(const ForgeSubject& subject) = nullptr;
  // One comment. Those of issues and of pull requests may have addresses of their own.
  ForgeAddress (*comment)(const ForgeSubject& subject, std::string_view id) = nullptr;
  // The body that adds labels. Nothing is ever sent that would replace them.
  nlohmann::json (*added_labels)(const std::vector<std::string>& labels) = nullptr;

  // The part of a query that asks for one page, from 1.
  std::string (*page_query)(int page) = nullptr;
  // Another part, which asks for comments oldest first; empty where they come like that.
  std::string_view (*comment_order)(const ForgeSubject& subject) = nullptr;
  // What an answer with so many items says about further pages: `more` and `next`.
  ForgePageInfo (*page_info)(const ForgeAnswer& answer, size_t items, int page) = nullptr;

  // Another part, which asks for comments at lines alone, oldest first.
  std::string_view review_comment_order;
  // Where an answer to a comment at a line goes.
  ForgeAddress (*review_replies)(const ForgeSubject& subject, const ForgeComment& comment) = nullptr;
  // That one review takes.
  size_t max_review_comments = 1;

  // Members of a body that name where a new pull request of `repository` comes from, in the order in which to try them.
  std::vector<nlohmann::json> (*pull_heads)(std::string_view repository, const ForgePullHead& head) = nullptr;
  // Another part of a query, which asks for open pull requests from there, as far as the forge can tell.
  // Open pull requests; without a branch: all of them.
  std::string (*pulls_query)(const ForgePullHead& head) = nullptr;
  // Below a pull request: where and how people are asked for a review.
  std::string_view reviewers_path;
  nlohmann::json (*reviewers_body)(const std::vector<std::string>& logins) = nullptr;

  // An issue's answer says whether it is a pull request; else the address does.
  bool issue_tells_kind = false;

  ForgeParser<ForgeUser> user = nullptr;  // of GET /user
  ForgeParser<ForgeRepository> repository = nullptr;
  ForgeParser<std::vector<ForgeRepository>> repositories = nullptr;
  ForgeParser<std::vector<ForgeLabel>> repository_labels = nullptr;
  ForgeParser<ForgeIssue> issue = nullptr;
  ForgeParser<std::vector<ForgeIssue>> issues = nullptr;
  ForgeParser<ForgeComment> written_comment = nullptr;
  ForgeParser<std::vector<ForgeComment>> comments = nullptr;
  ForgeParser<ForgeAccess> access = nullptr;
  ForgeParser<ForgePull> pull = nullptr;
  ForgeParser<std::vector<ForgePull>> pulls = nullptr;
  ForgeParser<int64_t> made_pull = nullptr;  // the number in the answer to a new one
  ForgeParser<std::vector<ForgePullFile>> pull_files = nullptr;
  ForgeParser<std::vector<ForgeCommit>> pull_commits = nullptr;
  // Null: the forge has no history that we read.
  ForgeParser<std::vector<ForgeHistoryEntry>> pull_history = nullptr;
  // Where it is. Null where there is none.
  ForgeAddress (*pull_history_address)(const ForgeSubject& subject) = nullptr;
  ForgeParser<std::vector<ForgeReviewComment>> review_comments = nullptr;
  ForgeParser<std::vector<ForgeWebhook>> webhooks = nullptr;

  // Header of an answer that lists the token's scopes, with commas between; empty: there is none.
  std::string_view scopes_header;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_REST_API_H_
