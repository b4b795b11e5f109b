// The calls for reviews of MemoryForge (memory_forge.h): check runs, commit statuses, comments at lines of pull
// requests.
#ifndef YARDMASTER_TESTS_SUPPORT_MEMORY_REVIEWS_H_
#define YARDMASTER_TESTS_SUPPORT_MEMORY_REVIEWS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/forge.h"

namespace yardmaster::testing {

class MemoryReviews : public Forge {
 public:
  struct CheckRun {
    ForgeCheckRun run;
    std::string title;
    std::string summary;
    std::vector<ForgeAnnotation> annotations;
    int updates = 0;  // by UpdateCheckRun
  };
  struct CommitStatus {
    std::string head;
    ForgeCommitStatus status;
  };

  // --- The test's side ---

  std::string login = "yardbot";
  // False: our credentials have none. Neither has a forge of the name "gitcode".
  bool check_runs = true;
  bool commit_statuses = true;
  // By repository, oldest first.
  std::map<std::string, std::vector<CheckRun>> checks;
  std::map<std::string, std::vector<CommitStatus>> statuses;
  // By repository and number, oldest first; replies too.
  std::map<std::pair<std::string, int64_t>, std::vector<ForgeReviewComment>> review_comments;
  // False: ListReviewComments says that there are more.
  bool review_comments_complete = true;
  // "path:line" of what the diff shows: a review with a comment elsewhere is refused (422). nullopt: anything goes.
  std::optional<std::set<std::string>> lines;
  // How often CreateReview did something.
  int created_reviews = 0;
  // Answers every write to a check run or status, or every new comment at a line, with this refusal.
  absl::Status refuse_checks;
  absl::Status refuse_reviews;

  // --- Forge ---

  bool has_check_runs() const override { return check_runs && name() != "gitcode"; }
  absl::StatusOr<ForgeCheckRun> CreateCheckRun(const ForgeCall&, std::string_view repository,
                                               const ForgeCheckRunWrite& write) override {
    if (absl::Status status = CheckRunWrite(write); !status.ok()) return status;
    const auto made = std::make_shared<ForgeCheckRun>();
    const auto effect = [this, made, write, key = std::string(repository)] {
      CheckRun check;
      check.run.id = absl::StrCat(++ids_);
      check.run.app = login;
      Apply(write, check);
      *made = check.run;
      checks[key].push_back(std::move(check));
    };
    bool visible = true;
    if (absl::Status status = Write(effect, visible); !status.ok()) return status;
    return *made;
  }
  absl::StatusOr<ForgeCheckRun> UpdateCheckRun(const ForgeCall&, std::string_view repository, std::string_view id,
                                               const ForgeCheckRunWrite& write) override {
    if (absl::Status status = CheckRunWrite(write); !status.ok()) return status;
    const std::string key(repository);
    const std::string number(id);
    if (FindCheck(key, number) == nullptr) return NotFound("no such check run");
    const auto effect = [this, key, number, write] {
      CheckRun* const check = FindCheck(key, number);
      Apply(write, *check);
      ++check->updates;
    };
    bool visible = true;
    if (absl::Status status = Write(effect, visible); !status.ok()) return status;
    return FindCheck(key, number)->run;
  }
  absl::StatusOr<std::vector<ForgeCheckRun>> ListCheckRuns(const ForgeCall&, std::string_view repository,
                                                           std::string_view head, std::string_view name) override {
    if (!has_check_runs()) return Unsupported("no check runs");
    if (absl::Status status = Read(); !status.ok()) return status;
    std::vector<ForgeCheckRun> runs;
    for (const CheckRun& check : checks[std::string(repository)]) {
      if (check.run.head == head && check.run.name == name) runs.push_back(check.run);
    }
    absl::c_reverse(runs);
    return runs;
  }

  bool has_commit_statuses() const override { return commit_statuses && name() != "gitcode"; }
  absl::Status SetCommitStatus(const ForgeCall&, std::string_view repository, std::string_view head,
                               const ForgeCommitStatus& status) override {
    if (!has_commit_statuses()) return Unsupported("no commit statuses");
    if (!refuse_checks.ok()) return refuse_checks;
    const auto effect = [this, key = std::string(repository), commit = std::string(head), status] {
      CommitStatus set{commit, status};
      set.status.author.login = login;
      // It has no words for more.
      if (set.status.state == ForgeCheckState::kNeutral) set.status.state = ForgeCheckState::kSuccess;
      statuses[key].push_back(std::move(set));
    };
    bool visible = true;
    return Write(effect, visible);
  }
  absl::StatusOr<std::vector<ForgeCommitStatus>> ListCommitStatuses(const ForgeCall&, std::string_view repository,
                                                                    std::string_view head) override {
    if (!has_commit_statuses()) return Unsupported("no commit statuses");
    if (absl::Status status = Read(); !status.ok()) return status;
    std::vector<ForgeCommitStatus> out;
    for (const CommitStatus& set : statuses[std::string(repository)]) {
      if (set.head == head) out.push_back(set.status);
    }
    absl::c_reverse(out);
    return out;
  }

  absl::StatusOr<ForgeReviewCommentList> ListReviewComments(const ForgeCall&, const ForgeSubject& subject) override {
    if (absl::Status status = Read(); !status.ok()) return status;
    return ForgeReviewCommentList{review_comments[KeyOf(subject)], review_comments_complete};
  }
  size_t max_review_comments() const override { return name() == "gitcode" ? 1 : 30; }
  absl::Status CreateReview(const ForgeCall&, const ForgeSubject& subject, std::string_view commit,
                            const std::vector<ForgeInlineComment>& comments) override {
    if (!refuse_reviews.ok()) return refuse_reviews;
    if (comments.empty() || comments.size() > max_review_comments()) {
      return InvalidForgeInput("no comments, or too many at once");
    }
    const bool shown = !lines.has_value() || absl::c_all_of(comments, [this](const ForgeInlineComment& comment) {
      return comment.line == 0 || lines->contains(absl::StrCat(comment.path, ":", comment.line));
    });
    if (!shown) return Refused(ForgeReason::kInvalid, 422, "a line must be part of the diff");
    const auto effect = [this, key = KeyOf(subject), comments, head = std::string(commit)] {
      for (const ForgeInlineComment& comment : comments) {
        ForgeReviewComment made = NewComment(comment.body);
        made.path = comment.path;
        made.line = comment.line;
        made.commit = head;
        review_comments[key].push_back(std::move(made));
      }
      ++created_reviews;
    };
    bool visible = true;
    return Write(effect, visible);
  }
  absl::StatusOr<ForgeCommentWritten> ReplyToReviewComment(const ForgeCall&, const ForgeSubject& subject,
                                                           const ForgeComment& comment,
                                                           std::string_view body) override {
    if (!refuse_reviews.ok()) return refuse_reviews;
    const std::pair<std::string, int64_t> key = KeyOf(subject);
    const auto asked = absl::c_find_if(review_comments[key],
                                       [&](const ForgeReviewComment& other) { return other.comment.id == comment.id; });
    if (asked == review_comments[key].end()) return NotFound("no such comment");
    const auto made = std::make_shared<ForgeComment>();
    const auto effect = [this, key, made, parent = *asked, text = std::string(body)] {
      ForgeReviewComment reply = NewComment(text);
      reply.path = parent.path;
      reply.line = parent.line;
      reply.commit = parent.commit;
      reply.in_reply_to = parent.comment.id;
      reply.comment.discussion = parent.comment.discussion;
      *made = reply.comment;
      review_comments[key].push_back(std::move(reply));
    };
    bool visible = true;
    if (absl::Status status = Write(effect, visible); !status.ok()) return status;
    ForgeCommentWritten written;
    if (visible) written.shown = *made;
    return written;
  }

 protected:
  // Counts a call that reads, and lets go wrong what is to go wrong.
  virtual absl::Status Read() = 0;
  // The same for a call that writes; `effect` may be carried out when the call is long over.
  virtual absl::Status Write(const std::function<void()>& effect, bool& visible) = 0;

  static absl::Status Failure(ForgeReason reason, ForgeOutcome outcome, std::string_view text,
                              std::optional<std::chrono::milliseconds> retry_after = std::nullopt) {
    return MakeForgeStatus({reason, outcome, 0, retry_after}, text);
  }
  static absl::Status Refused(ForgeReason reason, int http_status, std::string_view text) {
    return MakeForgeStatus({reason, ForgeOutcome::kRefused, http_status, std::nullopt}, text);
  }
  static absl::Status NotFound(std::string_view text) { return Refused(ForgeReason::kNotFound, 404, text); }
  static absl::Status Unsupported(std::string_view text) {
    return Failure(ForgeReason::kUnsupported, ForgeOutcome::kNotSent, text);
  }

  int64_t ids_ = 0;

 private:
  static std::pair<std::string, int64_t> KeyOf(const ForgeSubject& subject) {
    return {subject.repository, subject.number};
  }
  absl::Status CheckRunWrite(const ForgeCheckRunWrite& write) const {
    if (!has_check_runs()) return Unsupported("no check runs");
    if (!refuse_checks.ok()) return refuse_checks;
    if (write.annotations.size() <= kMaxForgeAnnotations) return absl::OkStatus();
    return Refused(ForgeReason::kInvalid, 422, "too many annotations");
  }
  static void Apply(const ForgeCheckRunWrite& write, CheckRun& check) {
    check.run.name = write.name;
    check.run.head = write.head;
    check.run.external_id = write.external_id;
    check.run.state = write.state;
    check.title = write.title;
    check.summary = write.summary;
    absl::c_copy(write.annotations, std::back_inserter(check.annotations));
    check.run.annotations = static_cast<int64_t>(check.annotations.size());
  }
  CheckRun* FindCheck(const std::string& repository, const std::string& id) {
    const auto found = absl::c_find_if(checks[repository], [&](const CheckRun& check) { return check.run.id == id; });
    return found == checks[repository].end() ? nullptr : &*found;
  }
  ForgeReviewComment NewComment(const std::string& body) {
    ForgeReviewComment made;
    made.comment.id = absl::StrCat(++ids_);
    if (name() == "gitcode") made.comment.discussion = absl::StrCat("d", made.comment.id);
    made.comment.author.login = login;
    made.comment.body = body;
    return made;
  }
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_MEMORY_REVIEWS_H_
