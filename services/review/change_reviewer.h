// Makes the review of a change that is kept and published: findings of the packs, what an earlier review of the pull
// request found and holds no more, and what is wrong with the repository's own file.
#ifndef YARDMASTER_SERVICES_REVIEW_CHANGE_REVIEWER_H_
#define YARDMASTER_SERVICES_REVIEW_CHANGE_REVIEWER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/core/problem.h"
#include "services/packs/registry/pack_registry.h"
#include "services/review/change.h"
#include "services/review/diff_review.h"
#include "services/review/ignored_rules.h"
#include "services/review/imported_findings.h"
#include "services/review/kept_review.h"
#include "yardmaster/v1/review.pb.h"

namespace yardmaster {

// The file with which a repository says how the bot works there, as the service that reads it understands it.
struct RepositoryFileRules {
  std::function<std::string(std::string_view forge)> path;
  std::function<Problems(const v1::Subject& subject, std::string_view text)> problems;
  std::function<rules::ReviewSettings(const v1::Subject& subject, std::string_view text)> settings;
};

// What the repository's file at the base says about its reviews.
absl::StatusOr<rules::ReviewSettings> SettingsAtBase(Change& change, const v1::Subject& subject,
                                                     const RepositoryFileRules& file);

// What changes are reviewed under.
struct ReviewScope {
  std::vector<std::shared_ptr<const rules::CheckSet>> packs;  // those without any check are left out
  DiffReviewOptions options;
  std::vector<ImportedText> imports;  // what other tools wrote about the head
  IgnoredRules ignored;
  std::string revision;  // digest of all of it
};

// `packs` by name; "today" is for exemptions that end.
ReviewScope ScopeOf(const PackSet& loaded, const std::vector<std::string>& packs, const rules::ReviewSettings& settings,
                    std::string_view profile, std::string_view today);

// Adds what belongs to one pull request.
void AddImports(std::vector<ImportedText> imports, ReviewScope& scope);
void AddIgnored(IgnoredRules ignored, ReviewScope& scope);

// Whether a pack has checks about what only the forge knows of a pull request: title, description, labels, commits.
bool LooksAtPull(const rules::CheckSet& pack);

struct MadeReview {
  v1::Review review;
  // By path: lines at the head that forges show of the diff.
  std::map<std::string, std::set<uint32_t>, std::less<>> diff_lines;
  // Silenced rules that hold no more: the head has no file that they are about.
  IgnoredRules gone;
};

// `earlier`: the latest review of the same pull request; null: there was none. `file` may have null functions. Errors
// are those of ReviewChange.
absl::StatusOr<MadeReview> ReviewOf(Change& change, const ReviewScope& scope, const ReviewedChange& about,
                                    const v1::Review* earlier, const RepositoryFileRules& file);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_CHANGE_REVIEWER_H_
