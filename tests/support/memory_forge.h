// A forge in memory: issues, labels, comments and reviews, with faults by seed, on the test's clock. It counts what was
// really done, so that a test can tell "once" from "twice".
#ifndef YARDMASTER_TESTS_SUPPORT_MEMORY_FORGE_H_
#define YARDMASTER_TESTS_SUPPORT_MEMORY_FORGE_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "clients/forge/forge.h"
#include "services/core/clock.h"
#include "tests/support/memory_pulls.h"

namespace yardmaster::testing {

class MemoryForge final : public MemoryPulls {
 public:
  struct Issue {
    ForgeIssue issue;
    std::vector<ForgeComment> comments;
    std::map<std::string, int> added;    // label → how often it was put on
    std::map<std::string, int> removed;  // label → how often it was taken off by RemoveLabel
    // "" (the opening post) or a comment's id → reactions of ours
    std::map<std::string, std::set<std::string>> reactions;
  };
  // What may go wrong with one call, in percent.
  struct Faults {
    int not_sent = 0;     // no connection
    int limited = 0;      // "not now", sometimes with a time
    int lost_before = 0;  // the request was lost, the caller can't know
    int lost_after = 0;   // done, but the answer was lost
    int late = 0;         // the answer was lost, and the effect appears up to five seconds later
    int invisible = 0;    // done and answered, but what is read right after does not show it
  };

  explicit MemoryForge(const Clock& clock, std::string name = "github") : clock_(clock), name_(std::move(name)) {}

  // --- The test's side ---

  Issue& Open(const std::string& repository, int64_t number, const std::string& title, const std::string& body,
              std::vector<std::string> labels) {
    Issue& issue = issues_[{repository, number}];
    issue.issue.number = number;
    issue.issue.title = title;
    issue.issue.body = body;
    issue.issue.labels = std::move(labels);
    issue.issue.author.login = "alice";
    return issue;
  }
  Issue& At(const std::string& repository, int64_t number) {
    Land();
    return issues_.at({repository, number});
  }
  void Comment(Issue& issue, const std::string& author, const std::string& body, bool bot = false) {
    ForgeComment comment;
    comment.id = std::to_string(++ids_);
    comment.author.login = author;
    comment.author.bot = bot;
    comment.body = body;
    comment.created_at = absl::FormatTime(absl::RFC3339_full, absl::FromChrono(clock_.Now()), absl::UTCTimeZone());
    issue.comments.push_back(std::move(comment));
  }
  void Seed(uint64_t seed, Faults faults) {
    random_.seed(seed);
    faults_ = faults;
  }
  // Called before and after each call does its work; a test may throw there.
  std::function<void()> point;
  // Called right before a write is carried out.
  std::function<void()> before_write;
  // Answers every write, every new comment, every read of a file, or every read of the issue of a number with this
  // refusal.
  absl::Status refuse_writes;
  absl::Status refuse_comments;
  absl::Status refuse_files;
  std::map<int64_t, absl::Status> refuse_issues;
  // False: new comments can be read by their ids only (see `unlisted`).
  bool list_new_comments = true;
  // Lists issues the newest first, whatever was asked for.
  bool newest_first = false;
  // Loses every write on the way.
  bool lose_writes = false;
  int reads = 0;
  int file_reads = 0;  // of them: files
  int writes = 0;
  LabelRules rules;
  // False: like a forge that has no reactions.
  bool reactions = true;
  // False: comments can't be edited (405).
  bool editable = true;
  // How often each comment was edited.
  std::map<std::string, int> edits;
  // "owner/name login" → access; others have kRead.
  std::map<std::string, ForgeAccess> access;
  // "organisation/team login".
  std::set<std::string> members;
  // "owner/name ref path" → content.
  std::map<std::string, std::string> files;
  std::map<std::pair<std::string, int64_t>, ForgePullFileList> pull_files;
  std::map<std::pair<std::string, int64_t>, std::vector<ForgeCommit>> pull_commits;
  std::map<std::pair<std::string, int64_t>, std::vector<ForgeHistoryEntry>> pull_history;
  // What RepositoryLabels knows; no other repository exists for it.
  std::map<std::string, std::vector<std::string>> repository_labels;

  // Repositories that our account may not see, and those that have another name now.
  std::set<std::string> unreadable;
  std::map<std::string, std::string> renamed;

  // Our own account: how often it was asked for, and what is answered instead.
  int asked_for_user = 0;
  std::optional<absl::Status> refuse_user;

  // Comments that no list shows, though they can be read by their id.
  std::map<int64_t, std::vector<ForgeComment>> unlisted;

  // --- Forge ---

  std::string_view name() const override { return name_; }
  LabelRules label_rules() const override { return rules; }
  absl::StatusOr<ForgeUser> CurrentUser(const ForgeCall&) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    ++asked_for_user;
    if (refuse_user.has_value()) return *refuse_user;
    ForgeUser user;
    user.login = login;
    return user;
  }
  absl::StatusOr<ForgeRepository> GetRepository(const ForgeCall&, std::string_view repository) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    if (unreadable.contains(std::string(repository))) {
      return NotFound("no such repository");
    }
    const auto moved = renamed.find(std::string(repository));
    ForgeRepository out;
    out.full_name = moved == renamed.end() ? std::string(repository) : moved->second;
    return out;
  }
  absl::StatusOr<std::vector<ForgeLabel>> RepositoryLabels(const ForgeCall&, std::string_view repository) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    const auto declared = repository_labels.find(std::string(repository));
    if (declared == repository_labels.end()) {
      return NotFound("no such repository");
    }
    std::vector<ForgeLabel> out;
    for (const std::string& name : declared->second) out.push_back({name, "", ""});
    return out;
  }
  absl::StatusOr<ForgeIssue> GetIssue(const ForgeCall&, const ForgeSubject& subject) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    if (const auto refusal = refuse_issues.find(subject.number); refusal != refuse_issues.end()) return refusal->second;
    const auto it = issues_.find({subject.repository, subject.number});
    if (it == issues_.end() || unreadable.contains(subject.repository)) {
      return NotFound("no such issue");
    }
    return it->second.issue;
  }
  absl::StatusOr<ForgeCommentList> ListComments(const ForgeCall&, const ForgeSubject& subject) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    const auto it = issues_.find({subject.repository, subject.number});
    if (it == issues_.end()) return NotFound("no such issue");
    ForgeCommentList list;
    list.comments = it->second.comments;
    return list;
  }
  absl::StatusOr<ForgeComment> GetComment(const ForgeCall&, const ForgeSubject& subject,
                                          std::string_view comment) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    const auto it = issues_.find({subject.repository, subject.number});
    if (it != issues_.end()) {
      for (const ForgeComment& one : it->second.comments) {
        if (one.id == comment) return one;
      }
      for (const ForgeComment& one : unlisted[subject.number]) {
        if (one.id == comment) return one;
      }
    }
    return NotFound("no such comment");
  }
  absl::StatusOr<std::vector<std::string>> ListRepositories(const ForgeCall&, std::string_view owner) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    std::set<std::string> names;
    for (const auto& entry : issues_) {
      if (entry.first.first.starts_with(std::string(owner) + "/")) names.insert(entry.first.first);
    }
    return std::vector<std::string>(names.begin(), names.end());
  }
  absl::StatusOr<ForgeIssuePage> ListIssues(const ForgeCall&, std::string_view repository,
                                            const ForgeIssueQuery& query) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    // Two on a page, so that few issues make several.
    constexpr size_t kPage = 2;
    std::vector<ForgeIssue> fitting;
    for (const auto& entry : issues_) {
      const ForgeIssue& issue = entry.second.issue;
      const bool all = std::all_of(query.labels.begin(), query.labels.end(),
                                   [&](const std::string& label) { return Has(issue.labels, label); });
      if (entry.first.first != repository || !all) continue;
      if (query.state.has_value() && issue.state != *query.state) continue;
      fitting.push_back(issue);
    }
    if (newest_first) std::reverse(fitting.begin(), fitting.end());
    const size_t first = query.cursor.empty() ? 0 : static_cast<size_t>(std::stoi(query.cursor));
    ForgeIssuePage page;
    for (size_t i = first; i < fitting.size() && i < first + kPage; ++i) page.issues.push_back(fitting[i]);
    if (first + kPage < fitting.size()) page.next = std::to_string(first + kPage);
    return page;
  }
  absl::StatusOr<ForgeLabelsWritten> AddLabels(const ForgeCall&, const ForgeSubject& subject,
                                               const std::vector<std::string>& labels) override {
    const std::pair<std::string, int64_t> key{subject.repository, subject.number};
    const auto effect = [this, key, labels] {
      Issue& issue = issues_.at(key);
      for (const std::string& label : labels) {
        if (Has(issue.issue.labels, label)) continue;
        issue.issue.labels.push_back(label);
        ++issue.added[label];
      }
    };
    bool visible = true;
    if (absl::Status status = Write(effect, visible); !status.ok()) return status;
    ForgeLabelsWritten written;
    if (visible) written.shown = issues_.at(key).issue.labels;
    return written;
  }
  absl::StatusOr<ForgeCommentWritten> AddComment(const ForgeCall&, const ForgeSubject& subject,
                                                 std::string_view body) override {
    const std::pair<std::string, int64_t> key{subject.repository, subject.number};
    if (!refuse_comments.ok()) {
      ++writes;
      return refuse_comments;
    }
    // An effect may land when this call is long over.
    const auto made = std::make_shared<ForgeComment>();
    const auto effect = [this, key, made, text = std::string(body)] {
      Issue& issue = issues_.at(key);
      Comment(issue, login, text);
      *made = issue.comments.back();
      if (list_new_comments) return;
      unlisted[key.second].push_back(*made);
      issue.comments.pop_back();
    };
    bool visible = true;
    if (absl::Status status = Write(effect, visible); !status.ok()) return status;
    ForgeCommentWritten written;
    if (visible) written.shown = *made;
    return written;
  }
  absl::StatusOr<ForgeAccess> GetPermission(const ForgeCall&, std::string_view repository,
                                            std::string_view who) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    const auto it = access.find(std::string(repository) + " " + std::string(who));
    return it == access.end() ? ForgeAccess{ForgePermission::kRead, "read"} : it->second;
  }
  absl::StatusOr<bool> IsTeamMember(const ForgeCall&, std::string_view organisation, std::string_view team,
                                    std::string_view who) override {
    if (name_ == "gitcode") return Unsupported("no teams");
    if (absl::Status status = Read(); !status.ok()) return status;
    return members.contains(std::string(organisation) + "/" + std::string(team) + " " + std::string(who));
  }
  absl::StatusOr<std::optional<ForgeFile>> GetFile(const ForgeCall&, std::string_view repository, std::string_view path,
                                                   std::string_view ref) override {
    ++file_reads;
    if (absl::Status status = Read(); !status.ok()) return status;
    if (!refuse_files.ok()) return refuse_files;
    const auto it = files.find(std::string(repository) + " " + std::string(ref) + " " + std::string(path));
    if (it == files.end()) return std::optional<ForgeFile>();
    return ForgeFile{std::string(path), "", it->second};
  }
  absl::StatusOr<ForgePull> GetPull(const ForgeCall&, const ForgeSubject& subject) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    const auto it = pulls.find({subject.repository, subject.number});
    if (it == pulls.end()) return NotFound("no such pull request");
    return it->second;
  }
  absl::StatusOr<ForgePullFileList> ListPullFiles(const ForgeCall&, const ForgeSubject& subject) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    const auto it = pull_files.find({subject.repository, subject.number});
    if (it == pull_files.end()) return NotFound("no such pull request");
    return it->second;
  }
  absl::StatusOr<std::vector<ForgeCommit>> ListPullCommits(const ForgeCall&, const ForgeSubject& subject) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    return pull_commits[{subject.repository, subject.number}];
  }
  absl::StatusOr<std::vector<ForgeHistoryEntry>> ListPullHistory(const ForgeCall&,
                                                                 const ForgeSubject& subject) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    return pull_history[{subject.repository, subject.number}];
  }
  std::vector<ForgeCheckSuite> check_suites;
  absl::StatusOr<std::vector<ForgeCheckSuite>> ListCheckSuites(const ForgeCall&, std::string_view,
                                                               std::string_view) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    return check_suites;
  }
  std::vector<std::string> required_checks;
  absl::StatusOr<std::vector<std::string>> ListRequiredChecks(const ForgeCall&, std::string_view,
                                                              std::string_view) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    return required_checks;
  }
  absl::StatusOr<std::vector<ForgePullRun>> ListPullRuns(const ForgeCall&, const ForgeSubject&) override {
    return absl::UnimplementedError("no runs");
  }
  absl::StatusOr<ForgePullRun> GetPullRun(const ForgeCall&, std::string_view, std::string_view) override {
    return absl::UnimplementedError("no runs");
  }
  absl::StatusOr<ForgeCommentWritten> EditComment(const ForgeCall&, const ForgeSubject& subject,
                                                  std::string_view comment, std::string_view body) override {
    const std::pair<std::string, int64_t> key{subject.repository, subject.number};
    const std::string id(comment);
    const ForgeComment* const known = FindComment(key, id);
    if (known == nullptr) return NotFound("no such comment");
    if (!editable) return Refused(ForgeReason::kConflict, 405, "comments can't be edited");
    const auto effect = [this, key, id, text = std::string(body)] {
      if (ForgeComment* const edited = FindComment(key, id); edited != nullptr) {
        edited->body = text;
        ++edits[id];
      }
    };
    bool visible = true;
    if (absl::Status status = Write(effect, visible); !status.ok()) return status;
    ForgeCommentWritten written;
    if (const ForgeComment* const edited = FindComment(key, id); visible && edited != nullptr) written.shown = *edited;
    return written;
  }
  bool has_reactions() const override { return reactions && name_ != "gitcode"; }
  absl::StatusOr<std::string> AddReaction(const ForgeCall&, const ForgeSubject& subject, std::string_view comment,
                                          ForgeReaction reaction) override {
    if (!has_reactions()) return Unsupported("no reactions");
    const std::pair<std::string, int64_t> key{subject.repository, subject.number};
    const std::string id(comment);
    if (!issues_.contains(key) || (!id.empty() && FindComment(key, id) == nullptr)) {
      return NotFound("no such comment");
    }
    const std::string word(ForgeReactionName(reaction));
    const auto effect = [this, key, id, word] { issues_.at(key).reactions[id].insert(word); };
    bool visible = true;
    if (absl::Status status = Write(effect, visible); !status.ok()) return status;
    return "r-" + id + "-" + word;
  }
  absl::StatusOr<ForgeLabelsWritten> RemoveLabel(const ForgeCall&, const ForgeSubject& subject,
                                                 std::string_view label) override {
    const std::pair<std::string, int64_t> key{subject.repository, subject.number};
    if (!issues_.contains(key)) return NotFound("no such issue");
    const auto effect = [this, key, name = std::string(label)] {
      Issue& issue = issues_.at(key);
      const auto it = std::find(issue.issue.labels.begin(), issue.issue.labels.end(), name);
      if (it == issue.issue.labels.end()) return;
      issue.issue.labels.erase(it);
      ++issue.removed[name];
    };
    bool visible = true;
    if (absl::Status status = Write(effect, visible); !status.ok()) return status;
    ForgeLabelsWritten written;
    if (visible) written.shown = issues_.at(key).issue.labels;
    return written;
  }
  absl::StatusOr<ForgeHookDeliveryPage> ListHookDeliveries(const ForgeCall&, std::string_view, std::string_view,
                                                           std::string_view cursor) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    const size_t page = cursor.empty() ? 0 : static_cast<size_t>(std::stoi(std::string(cursor)));
    if (page >= hook_pages.size()) return ForgeHookDeliveryPage();
    ForgeHookDeliveryPage out;
    out.deliveries = hook_pages[page];
    if (page + 1 < hook_pages.size()) out.next = std::to_string(page + 1);
    return out;
  }
  absl::Status Redeliver(const ForgeCall&, std::string_view, std::string_view, std::string_view delivery) override {
    redelivered.emplace_back(delivery);
    return absl::OkStatus();
  }
  std::vector<std::vector<ForgeHookDelivery>> hook_pages;
  std::vector<std::string> redelivered;

 private:
  struct Late {
    std::chrono::system_clock::time_point at;
    std::function<void()> effect;
  };

  ForgeComment* FindComment(const std::pair<std::string, int64_t>& key, const std::string& id) {
    const auto issue = issues_.find(key);
    if (issue == issues_.end()) return nullptr;
    for (ForgeComment& comment : issue->second.comments) {
      if (comment.id == id) return &comment;
    }
    return nullptr;
  }
  static bool Has(const std::vector<std::string>& labels, const std::string& label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  }
  bool Happens(int percent) { return percent > 0 && static_cast<int>(random_() % 100) < percent; }
  void Point() {
    if (point != nullptr) point();
  }
  void Land() {
    for (size_t i = 0; i < late_.size();) {
      if (late_[i].at > clock_.Now()) {
        ++i;
        continue;
      }
      late_[i].effect();
      late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  absl::Status NotDone() {
    if (Happens(faults_.not_sent)) {
      return Failure(ForgeReason::kNetwork, ForgeOutcome::kNotSent, "connection refused");
    }
    if (!Happens(faults_.limited)) return absl::OkStatus();
    std::optional<std::chrono::milliseconds> after;
    if (random_() % 2 == 0) after = std::chrono::milliseconds(1'000 + random_() % 20'000);
    return Failure(ForgeReason::kRateLimited, ForgeOutcome::kRefused, "too many requests", after);
  }
  absl::Status Read() override {
    ++reads;
    Point();
    Land();
    absl::Status status = NotDone();
    if (status.ok() && Happens(faults_.lost_before)) {
      status = Failure(ForgeReason::kServer, ForgeOutcome::kUnknown, "502");
    }
    Point();
    return status;
  }
  absl::Status Write(const std::function<void()>& effect, bool& visible) override {
    if (before_write != nullptr) before_write();
    ++writes;
    Point();
    Land();
    if (!refuse_writes.ok()) return refuse_writes;
    if (absl::Status status = NotDone(); !status.ok()) return status;
    if (lose_writes || Happens(faults_.lost_before)) {
      return Failure(ForgeReason::kServer, ForgeOutcome::kUnknown, "502");
    }
    if (Happens(faults_.late)) {
      late_.push_back({clock_.Now() + std::chrono::milliseconds(random_() % 5'000), effect});
      Point();
      return Failure(ForgeReason::kNetwork, ForgeOutcome::kUnknown, "timed out");
    }
    effect();
    Point();
    if (Happens(faults_.lost_after)) return Failure(ForgeReason::kNetwork, ForgeOutcome::kUnknown, "reset");
    visible = !Happens(faults_.invisible);
    return absl::OkStatus();
  }

  const Clock& clock_;
  const std::string name_;
  std::map<std::pair<std::string, int64_t>, Issue> issues_;
  std::vector<Late> late_;
  std::mt19937_64 random_;
  Faults faults_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_MEMORY_FORGE_H_
