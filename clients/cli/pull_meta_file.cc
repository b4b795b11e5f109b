#include "clients/cli/pull_meta_file.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/files.h"
#include "services/core/status_macros.h"

namespace yardmaster::cli {
namespace {

constexpr size_t kMaxMetaBytes = 8 * 1024 * 1024;

absl::StatusOr<std::string> MetaText(const nlohmann::json& meta, const char* key, const std::string& file) {
  const auto found = meta.find(key);
  if (found == meta.end() || found->is_null()) return std::string();
  if (!found->is_string()) return UsageError(absl::StrCat(file, ": /", key, ": expected a text"));
  return found->get<std::string>();
}

// What has no key is not known; null is a text that nobody wrote.
absl::StatusOr<std::optional<std::string>> MetaTextIfAny(const nlohmann::json& meta, const char* key,
                                                         const std::string& file) {
  if (!meta.contains(key)) return std::optional<std::string>();
  ASSIGN_OR_RETURN(std::string text, MetaText(meta, key, file));
  return std::optional<std::string>(std::move(text));
}

}  // namespace

absl::StatusOr<PullMeta> ReadPullMeta(const std::string& file, const Environment& env) {
  ASSIGN_OR_RETURN(const std::string text, ReadInputFile(file, env, kMaxMetaBytes));
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return UsageError(file + ": expected a JSON object {title, body, labels, author, commits?}");
  PullMeta meta;
  ASSIGN_OR_RETURN(meta.title, MetaTextIfAny(json, "title", file));
  ASSIGN_OR_RETURN(meta.body, MetaTextIfAny(json, "body", file));
  ASSIGN_OR_RETURN(meta.author, MetaTextIfAny(json, "author", file));
  const auto list = [&](const char* key) {
    const auto found = json.find(key);
    return found == json.end() || found->is_null() ? nlohmann::json::array() : *found;
  };
  const nlohmann::json labels = list("labels");
  const nlohmann::json commits = list("commits");
  if (!labels.is_array() || !absl::c_all_of(labels, [](const auto& one) { return one.is_string(); })) {
    return UsageError(file + ": /labels: expected a list of texts");
  }
  if (!commits.is_array() || !absl::c_all_of(commits, [](const auto& one) { return one.is_object(); })) {
    return UsageError(file + ": /commits: expected a list of objects {sha, message, author}");
  }
  if (json.contains("labels")) meta.labels = labels.get<std::vector<std::string>>();
  if (json.contains("commits")) meta.commits.emplace();
  for (const nlohmann::json& one : commits) {
    PullMeta::Commit& commit = meta.commits->emplace_back();
    ASSIGN_OR_RETURN(commit.id, MetaText(one, "sha", file));
    ASSIGN_OR_RETURN(commit.message, MetaText(one, "message", file));
    ASSIGN_OR_RETURN(commit.author, MetaText(one, "author", file));
  }
  return meta;
}

}  // namespace yardmaster::cli
