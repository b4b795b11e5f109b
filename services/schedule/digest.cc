#include "services/schedule/digest.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/core/defang.h"
#include "services/core/repository_name.h"
#include "services/core/status_macros.h"
#include "services/intake/effect.h"
#include "services/intake/sweeps/announce.h"
#include "yardmaster/v1/review.pb.h"

namespace yardmaster {
namespace {

constexpr int64_t kDigestDays = 7;
constexpr int64_t kDigestPage = 200;
constexpr size_t kMaxLabelsTold = 10;

// Visits what is newer than `from`, page by page; `list(page)` gives one, `time(item)` its time.
template <typename List, typename Time, typename Visit>
absl::Status VisitSince(store::TimePoint from, store::TimePoint until, List list, Time time, Visit visit) {
  store::PageRequest page{0, kDigestPage};
  do {
    ASSIGN_OR_RETURN(const auto rows, list(page));
    for (const auto& item : rows.items) {
      if (time(item) <= from) return absl::OkStatus();
      if (time(item) <= until) visit(item);
    }
    page.before = rows.next;
  } while (page.before != 0);
  return absl::OkStatus();
}

bool HasNewBlocking(const std::string& bytes) {
  v1::Review review;
  if (!review.ParseFromString(bytes)) return false;
  return std::any_of(review.findings().begin(), review.findings().end(), [](const v1::ReviewFinding& finding) {
    return finding.severity() == v1::FINDING_SEVERITY_BLOCK && finding.change() == v1::FINDING_CHANGE_NEW;
  });
}

std::string Counted(int64_t count, std::string_view one, std::string_view many) {
  return absl::StrCat(count, " ", std::string(count == 1 ? one : many));
}

}  // namespace

absl::StatusOr<DigestCounts> CountForDigest(store::Store& store, const v1::Subject& repository, store::TimePoint from,
                                            store::TimePoint until) {
  DigestCounts counts;
  std::set<int64_t> issues;
  const store::DecisionFilter decisions;
  RETURN_IF_ERROR(VisitSince(
      from, until, [&](const store::PageRequest& page) { return store.decisions().List(decisions, page); },
      [](const store::Decision& one) { return one.created_at; },
      [&](const store::Decision& one) {
        if (!IsOfRepository(one.subject, repository)) return;
        if (one.subject.kind() == v1::SUBJECT_KIND_ISSUE && one.subject.number() > 0)
          issues.insert(one.subject.number());
      }));
  counts.issues = static_cast<int64_t>(issues.size());

  std::map<int64_t, std::string> reviews;  // the newest of each pull request
  store::ReviewFilter reviewed;
  reviewed.repository = QualifiedName(repository.forge(), repository.repository());
  RETURN_IF_ERROR(VisitSince(
      from, until, [&](const store::PageRequest& page) { return store.reviews().List(reviewed, page); },
      [](const store::Review& one) { return one.created_at; },
      [&](const store::Review& one) {
        if (one.subject.number() > 0) reviews.emplace(one.subject.number(), one.id);
      }));
  counts.pulls = static_cast<int64_t>(reviews.size());
  for (const auto& [number, id] : reviews) {
    const absl::StatusOr<store::Review> review = store.reviews().Get(id);
    if (review.ok() && HasNewBlocking(review->review)) ++counts.blocked_pulls;
  }

  const store::EffectFilter effects;
  RETURN_IF_ERROR(VisitSince(
      from, until, [&](const store::PageRequest& page) { return store.ledger().List(effects, page); },
      [](const store::Effect& one) { return one.created_at; },
      [&](const store::Effect& one) {
        if (!IsOfRepository(one.subject, repository)) return;
        if (one.state == store::EffectState::kFailed) ++counts.failed_writes;
        if (one.state != store::EffectState::kConfirmed) return;
        ++counts.writes[one.kind];
        for (const std::string& label : one.action.add_labels().labels()) ++counts.labels[label];
      }));

  for (const store::DeliveryState state : {store::DeliveryState::kFailed, store::DeliveryState::kDead}) {
    store::DeliveryFilter dead;
    dead.state = state;
    RETURN_IF_ERROR(VisitSince(
        from, until, [&](const store::PageRequest& page) { return store.inbox().List(dead, page); },
        [](const store::Delivery& one) { return one.received_at; },
        [&](const store::Delivery& one) {
          if (IsOfRepository(one.subject, repository)) ++counts.dead_letters;
        }));
  }
  return counts;
}

SaidText DigestText(const v1::Subject& repository, int64_t days, const DigestCounts& counts) {
  const std::string name = EchoCode(QualifiedName(repository.forge(), repository.repository()));
  SaidText text{absl::StrCat("**", name, ", the last ", Counted(days, "day", "days"), "**\n\n- ",
                             Counted(counts.issues, "issue", "issues"), " decided about\n- ",
                             Counted(counts.pulls, "pull request", "pull requests"), " reviewed, ",
                             counts.blocked_pulls, " with new blocking findings\n"),
                absl::StrCat("**", name, "，最近 ", days, " 天**\n\n- 分诊 issue ", counts.issues, " 个\n- 检视 PR ",
                             counts.pulls, " 个，其中 ", counts.blocked_pulls, " 个有新的阻塞问题\n")};
  std::vector<std::pair<int64_t, std::string>> labels;
  labels.reserve(counts.labels.size());
  for (const auto& [label, count] : counts.labels) labels.emplace_back(-count, label);
  std::sort(labels.begin(), labels.end());
  for (size_t i = 0; i < std::min(labels.size(), kMaxLabelsTold); ++i) {
    i == 0 ? text.Append("- labels added: ", "- 添加的标签：") : text.Append(", ", "，");
    const std::string one = absl::StrCat(EchoCode(labels[i].second), " ", -labels[i].first);
    text.Append(one);
  }
  if (labels.size() > kMaxLabelsTold) {
    const size_t more = labels.size() - kMaxLabelsTold;
    text.Append(absl::StrCat(", and ", more, " more"), absl::StrCat("，还有 ", more, " 个"));
  }
  if (!labels.empty()) text.Append("\n");
  bool first = true;
  for (const auto& [kind, count] : counts.writes) {
    first ? text.Append("- written: ", "- 写入：") : text.Append(", ", "，");
    first = false;
    const std::string one = absl::StrCat(EchoCode(kind), " ", count);
    text.Append(one);
  }
  if (!first) text.Append("\n");
  if (counts.failed_writes > 0) {
    text.Append(absl::StrCat("- ", Counted(counts.failed_writes, "write", "writes"), " failed\n"),
                absl::StrCat("- 写入失败 ", counts.failed_writes, " 次\n"));
  }
  if (counts.dead_letters > 0) {
    text.Append(absl::StrCat("- ", Counted(counts.dead_letters, "delivery was", "deliveries were"),
                             " given up: `yard deadletters list`\n"),
                absl::StrCat("- 处理失败的事件 ", counts.dead_letters, " 个：`yard deadletters list`\n"));
  }
  return text;
}

absl::StatusOr<std::string> TellDigest(const JobEnvironment& env, const JobTurn& turn) {
  RETURN_IF_ERROR(CheckSays(turn.schedule));
  const int64_t days = turn.schedule.days > 0 ? turn.schedule.days : kDigestDays;
  return EachRepository(
      env.intake, turn, [&](const RepositoryConfig&, const v1::Subject& repository) -> absl::StatusOr<std::string> {
        ASSIGN_OR_RETURN(const DigestCounts counts,
                         CountForDigest(env.store, repository, turn.due - std::chrono::hours(24 * days), turn.due));
        ASSIGN_OR_RETURN(const size_t places,
                         TellOf(env, turn, repository, "", "digest", DigestText(repository, days, counts)));
        return absl::StrCat(Counted(counts.issues, "issue", "issues"), ", ",
                            Counted(counts.pulls, "pull request", "pull requests"), ", told in ",
                            Counted(static_cast<int64_t>(places), "place", "places"));
      });
}

}  // namespace yardmaster
