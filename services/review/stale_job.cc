#include "services/review/stale_job.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/core/defang.h"
#include "services/core/repository_name.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/intake/event.h"
#include "services/intake/pipeline/request.h"
#include "services/review/kept_review.h"

namespace yardmaster {
namespace {

// So many pull requests of a repository are handed over by one run; the next one goes on.
constexpr size_t kMaxRenewed = 50;
// So often a review of one head is asked for, if it fails each time.
constexpr int kMaxStaleAttempts = 10;
constexpr int64_t kReviewNewsPage = 100;

// A pull request whose review is to be asked for.
struct StalePull {
  int attempt = 0;  // how often it was asked for at this head, and failed
  v1::Subject subject;
  std::string id;  // of the request
};

// The next request for a review of a head: the first one, or the one after those that failed. nullopt: one is under way
// or came to an end without an error, or it failed too often.
absl::StatusOr<std::optional<StalePull>> NextRequest(const JobEnvironment& env, const v1::Subject& subject,
                                                     const std::string& head) {
  for (int attempt = 0; attempt < kMaxStaleAttempts; ++attempt) {
    const std::string again = attempt == 0 ? "" : absl::StrCat("-", attempt);
    StalePull next{attempt, subject, absl::StrCat("stale-", ShortDigestOf({SubjectKey(subject), head}), again)};
    const absl::StatusOr<store::Delivery> known = env.intake.inbox.Find(subject.forge(), next.id);
    if (absl::IsNotFound(known.status())) return next;
    RETURN_IF_ERROR(known.status());
    if (known->state != store::DeliveryState::kFailed && known->state != store::DeliveryState::kDead) break;
  }
  return std::optional<StalePull>();
}

absl::StatusOr<std::string> RenewIn(const JobEnvironment& env, const JobTurn& turn, const RepositoryConfig& entry,
                                    const v1::Subject& repository) {
  if (!entry.review.events) return std::string("its pull requests are not reviewed");
  ForgePulls* const pulls = env.intake.forges.find(repository.forge())->second->pulls();
  if (pulls == nullptr) return absl::UnavailableError("its pull requests can't be listed");
  ASSIGN_OR_RETURN(const std::vector<ForgePull> open,
                   pulls->ListOpenPulls({.priority = ForgePriority::kSweep}, repository.repository()));
  size_t stale = 0;
  std::vector<StalePull> next;
  for (const ForgePull& pull : open) {
    if (turn.stopping()) return absl::CancelledError("cut short");
    if (pull.draft && !entry.review.drafts) continue;
    v1::Subject subject = repository;
    subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
    subject.set_number(pull.number);
    ASSIGN_OR_RETURN(const std::optional<store::Review> latest, env.store.reviews().Latest(subject, ""));
    if (latest.has_value() && latest->head == pull.head_sha) continue;
    ++stale;
    ASSIGN_OR_RETURN(std::optional<StalePull> request, NextRequest(env, subject, pull.head_sha));
    if (request.has_value()) next.push_back(*std::move(request));
  }
  // Those that failed most often come last: however many fail, the others have their turn.
  std::stable_sort(next.begin(), next.end(),
                   [](const StalePull& a, const StalePull& b) { return a.attempt < b.attempt; });
  if (next.size() > kMaxRenewed) next.resize(kMaxRenewed);
  for (const StalePull& one : next) {
    if (turn.stopping()) return absl::CancelledError("cut short");
    SubjectRequest request;
    request.subject = one.subject;
    request.actor = "schedule";
    RETURN_IF_ERROR(env.intake.inbox.AddAndWait(MakeRequest(request, one.id)).status());
  }
  return absl::StrCat(open.size(), " open, ", stale, " stale, ", next.size(), " handed over");
}

absl::StatusOr<std::vector<SaidText>> FindingNews(const JobEnvironment& env, const v1::Subject& repository,
                                                  store::TimePoint from, store::TimePoint until) {
  store::ReviewFilter filter;
  filter.repository = QualifiedName(repository.forge(), repository.repository());
  // The newest review of each pull request counts, and is first.
  std::map<int64_t, SaidText> lines;
  store::PageRequest page{0, kReviewNewsPage};
  for (bool older = true; older;) {
    ASSIGN_OR_RETURN(const store::Page<store::Review> reviews, env.store.reviews().List(filter, page));
    page.before = reviews.next;
    older = page.before != 0;
    for (const store::Review& one : reviews.items) {
      if (one.created_at <= from) {
        older = false;
        break;
      }
      if (one.created_at > until || one.subject.number() == 0 || lines.contains(one.subject.number())) continue;
      SaidText& line = lines[one.subject.number()];
      ASSIGN_OR_RETURN(const store::Review full, env.store.reviews().Get(one.id));
      ASSIGN_OR_RETURN(const v1::Review review, FromStored(full));
      std::map<std::string, int64_t> rules;
      int64_t count = 0;
      for (const v1::ReviewFinding& finding : review.findings()) {
        if (finding.severity() != v1::FINDING_SEVERITY_BLOCK || finding.change() != v1::FINDING_CHANGE_NEW) continue;
        ++count;
        ++rules[finding.rule_id()];
      }
      if (count == 0) continue;
      std::string which;
      for (const auto& [rule, times] : rules) {
        absl::StrAppend(&which, ", ", EchoCode(rule), times > 1 ? absl::StrCat(" ×", times) : "");
      }
      const std::string pull = EchoCode(absl::StrCat("#", one.subject.number()));
      line.en = absl::StrCat("pull request ", pull, ": ", count,
                             count == 1 ? " new blocking finding" : " new blocking findings", which);
      line.zh = absl::StrCat("PR ", pull, "：", count, " 个新的阻塞问题", which);
    }
  }
  std::vector<SaidText> told;
  for (auto& [number, line] : lines) {
    if (!line.en.empty()) told.push_back(std::move(line));
  }
  return told;
}

}  // namespace

absl::StatusOr<std::string> RenewReviews(const JobEnvironment& env, const JobTurn& turn) {
  return EachRepository(env.intake, turn, [&](const RepositoryConfig& entry, const v1::Subject& repository) {
    return RenewIn(env, turn, entry, repository);
  });
}

std::vector<NewsSource> ReviewNews() { return {{"findings", FindingNews}}; }

}  // namespace yardmaster
