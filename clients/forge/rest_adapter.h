// A Forge over REST: sending, reading answers, all pages, reading back. What a forge does in its own way is in its
// RestApi and in its class derived from this one.
#ifndef YARDMASTER_CLIENTS_FORGE_REST_ADAPTER_H_
#define YARDMASTER_CLIENTS_FORGE_REST_ADAPTER_H_

#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/answer_reader.h"
#include "clients/forge/credentials.h"
#include "clients/forge/dialect.h"
#include "clients/forge/make_forge.h"
#include "clients/forge/pages.h"
#include "clients/forge/rest_api.h"
#include "clients/forge/transport.h"
#include "services/core/absl_view.h"
#include "services/core/clock.h"

namespace yardmaster {

// What an adapter stands on. Later members lean on earlier ones.
struct ForgePipeline {
  std::unique_ptr<ForgeDialect> dialect;
  std::unique_ptr<ForgeCredentials> credentials;
  std::vector<std::unique_ptr<ForgeTransport>> transports;  // innermost first

  ForgePipeline() = default;
  ForgePipeline(ForgePipeline&&) = default;
  ForgePipeline& operator=(ForgePipeline&&) = delete;
  ~ForgePipeline() {
    while (!transports.empty()) transports.pop_back();
  }
  ForgeTransport& outermost() const { return *transports.back(); }
};

// "/repos/OWNER/REPO", below which a repository's things are.
ForgeAddress RepositoryAddress(std::string_view repository);

// The pull request's own address, which some forges have besides that of the issue of the same number.
ForgeAddress PullAddress(const ForgeSubject& subject);

// An answer of another shape than documented.
absl::Status BadForgeAnswer(std::string_view problem);

// Parses `body` and reads it with `read`; the first problem is the error.
absl::Status ReadForgeAnswer(std::string_view body, const std::function<void(const AnswerReader&)>& read);

// An array, read item by item: `read` makes one item of one element. Null and nothing are an empty array.
template <typename T>
absl::StatusOr<std::vector<T>> ReadForgeList(std::string_view body, T (*read)(const AnswerReader&)) {
  std::vector<T> items;
  absl::Status status = ReadForgeAnswer(body, [&items, read](const AnswerReader& list) {
    list.ExpectArray();
    items.reserve(list.size());
    for (size_t i = 0; i < list.size() && list.problem().ok(); ++i) items.push_back(read(list.Element(i)));
  });
  if (!status.ok()) return status;
  return items;
}

// For RestAdapter::ReadList: puts each page behind `items`.
template <typename T>
auto AppendTo(std::vector<T>& items) {
  return [&items](std::vector<T> page) {
    std::move(page.begin(), page.end(), std::back_inserter(items));
    return true;
  };
}

template <typename T>
absl::StatusOr<T> ReadForgeObject(std::string_view body, T (*read)(const AnswerReader&)) {
  T item{};
  absl::Status status = ReadForgeAnswer(body, [&item, read](const AnswerReader& object) {
    object.ExpectObject();
    item = read(object);
  });
  if (!status.ok()) return status;
  return item;
}

// What both forges write in the same way.
absl::StatusOr<int64_t> ParseMadePull(std::string_view body);
ForgeCommit ReadPullCommit(const AnswerReader& commit);
absl::StatusOr<std::vector<ForgeCommit>> ParsePullCommits(std::string_view body);
ForgeState ReadForgeState(const AnswerReader& state);
// A word for a permission, of any of the families that forges use; kNone for an unknown one.
ForgePermission ReadForgePermission(std::string_view word);
// A word for what happened to a file; kModified for an unknown one.
ForgeFileStatus ReadForgeFileStatus(std::string_view word);
// The answer of …/contents/PATH: an object, or an array for what is no file. A size or an encoding that says that the
// file is too large is told by kTooLarge.
absl::StatusOr<std::optional<ForgeFile>> ParseForgeFile(std::string_view body);
// The most that flags permit: {"pull": true, "push": true, …}. nullopt if there are none.
std::optional<ForgePermission> ReadPermissionFlags(const AnswerReader& flags);
// Labels as objects with a name or a title, as texts, or as one text with commas.
std::vector<std::string> ReadLabelNames(const AnswerReader& labels);
// Logins of a list of people, which may be absent.
std::vector<std::string> ReadLogins(const AnswerReader& people);

class RestAdapter : public StoppableForge {
 public:
  std::string_view name() const final { return pipeline_.dialect->name(); }
  void Stop() final { pipeline_.outermost().Stop(); }
  absl::Status ReplaceCredentials(const ForgeConfig& config) final { return pipeline_.credentials->Replace(config); }
  absl::StatusOr<Secret> Token(std::chrono::steady_clock::time_point deadline) final {
    return pipeline_.credentials->Token(deadline);
  }

  LabelRules label_rules() const final { return api_.labels; }
  absl::StatusOr<ForgeUser> CurrentUser(const ForgeCall& call) final;
  absl::StatusOr<ForgeRepository> GetRepository(const ForgeCall& call, std::string_view repository) final;
  absl::StatusOr<std::vector<ForgeLabel>> RepositoryLabels(const ForgeCall& call, std::string_view repository) final;
  absl::StatusOr<std::vector<std::string>> ListRepositories(const ForgeCall& call, std::string_view owner) final;
  absl::StatusOr<ForgeAccount> GetAccount(const ForgeCall& call) final;
  absl::StatusOr<std::vector<ForgeWebhook>> ListWebhooks(const ForgeCall& call, std::string_view repository) final;
  absl::StatusOr<ForgeIssuePage> ListIssues(const ForgeCall& call, std::string_view repository,
                                            const ForgeIssueQuery& query) final;
  absl::StatusOr<ForgeAccess> GetPermission(const ForgeCall& call, std::string_view repository,
                                            std::string_view login) final;
  absl::StatusOr<std::optional<ForgeFile>> GetFile(const ForgeCall& call, std::string_view repository,
                                                   std::string_view path, std::string_view ref) final;

  absl::StatusOr<ForgeIssue> GetIssue(const ForgeCall& call, const ForgeSubject& subject) final;
  absl::StatusOr<ForgeCommentList> ListComments(const ForgeCall& call, const ForgeSubject& subject) final;
  absl::StatusOr<ForgeComment> GetComment(const ForgeCall& call, const ForgeSubject& subject,
                                          std::string_view comment) final;
  absl::StatusOr<ForgeLabelsWritten> AddLabels(const ForgeCall& call, const ForgeSubject& subject,
                                               const std::vector<std::string>& labels) final;
  absl::StatusOr<ForgeLabelsWritten> RemoveLabel(const ForgeCall& call, const ForgeSubject& subject,
                                                 std::string_view label) final;
  absl::StatusOr<ForgeCommentWritten> AddComment(const ForgeCall& call, const ForgeSubject& subject,
                                                 std::string_view body) final;
  absl::StatusOr<ForgeCommentWritten> EditComment(const ForgeCall& call, const ForgeSubject& subject,
                                                  std::string_view comment, std::string_view body) final;

  absl::StatusOr<ForgePull> GetPull(const ForgeCall& call, const ForgeSubject& subject) final;
  absl::StatusOr<ForgePullFileList> ListPullFiles(const ForgeCall& call, const ForgeSubject& subject) final;
  absl::StatusOr<std::vector<ForgeCommit>> ListPullCommits(const ForgeCall& call, const ForgeSubject& subject) final;
  absl::StatusOr<std::vector<ForgeHistoryEntry>> ListPullHistory(const ForgeCall& call,
                                                                 const ForgeSubject& subject) final;

  absl::StatusOr<ForgePull> CreatePull(const ForgeCall& call, std::string_view repository,
                                       const ForgeNewPull& pull) final;
  absl::StatusOr<std::vector<ForgePull>> FindPulls(const ForgeCall& call, std::string_view repository,
                                                   const ForgePullHead& head) final;
  absl::StatusOr<std::vector<ForgePull>> ListOpenPulls(const ForgeCall& call, std::string_view repository) final;
  absl::StatusOr<ForgePull> EditPull(const ForgeCall& call, const ForgeSubject& subject, std::string_view title,
                                     std::string_view body) final;
  absl::Status AskForReview(const ForgeCall& call, const ForgeSubject& subject,
                            const std::vector<std::string>& logins) final;

  // A forge has no check runs and no commit statuses unless its class says so: UNIMPLEMENTED.
  bool has_check_runs() const override { return false; }
  absl::StatusOr<ForgeCheckRun> CreateCheckRun(const ForgeCall& call, std::string_view repository,
                                               const ForgeCheckRunWrite& write) override;
  absl::StatusOr<ForgeCheckRun> UpdateCheckRun(const ForgeCall& call, std::string_view repository,
                                               std::string_view check_run, const ForgeCheckRunWrite& write) override;
  absl::StatusOr<std::vector<ForgeCheckRun>> ListCheckRuns(const ForgeCall& call, std::string_view repository,
                                                           std::string_view head, std::string_view name) override;
  absl::StatusOr<std::vector<ForgePullRun>> ListPullRuns(const ForgeCall& call, const ForgeSubject& subject) override;
  absl::StatusOr<ForgePullRun> GetPullRun(const ForgeCall& call, std::string_view repository,
                                          std::string_view run) override;
  bool has_commit_statuses() const override { return false; }
  absl::Status SetCommitStatus(const ForgeCall& call, std::string_view repository, std::string_view head,
                               const ForgeCommitStatus& status) override;
  absl::StatusOr<std::vector<ForgeCommitStatus>> ListCommitStatuses(const ForgeCall& call, std::string_view repository,
                                                                    std::string_view head) override;

  absl::StatusOr<ForgeReviewCommentList> ListReviewComments(const ForgeCall& call, const ForgeSubject& subject) final;
  size_t max_review_comments() const final { return api_.max_review_comments; }
  absl::Status CreateReview(const ForgeCall& call, const ForgeSubject& subject, std::string_view commit,
                            const std::vector<ForgeInlineComment>& comments) final;
  absl::StatusOr<ForgeCommentWritten> ReplyToReviewComment(const ForgeCall& call, const ForgeSubject& subject,
                                                           const ForgeComment& comment, std::string_view body) final;

 protected:
  // One call under way.
  struct Run {
    ForgePriority priority;
    std::chrono::steady_clock::time_point deadline;
  };

  // `api` must outlive the adapter.
  RestAdapter(const RestApi& api, ForgePipeline pipeline, const Clock& clock)
      : api_(api), pipeline_(std::move(pipeline)), clock_(clock) {}

  Run Begin(const ForgeCall& call) const;
  ForgeAnswer Get(const Run& run, const ForgeAddress& address);
  ForgeAnswer Post(const Run& run, const ForgeAddress& address, std::string body);
  ForgeAnswer Patch(const Run& run, const ForgeAddress& address, std::string body);
  ForgeAnswer Delete(const Run& run, const ForgeAddress& address);

  // GET and parse. `answer`, if given, gets what else the answer says.
  template <typename T>
  absl::StatusOr<T> Read(const Run& run, const ForgeAddress& address, ForgeParser<T> parse,
                         ForgeAnswer* answer = nullptr) {
    ForgeAnswer got = Get(run, address);
    if (got.error.has_value()) return got.ToStatus();
    absl::StatusOr<T> parsed = parse(got.body);
    if (!parsed.ok()) return WithContext(got, address.target, parsed.status());
    if (answer != nullptr) *answer = std::move(got);
    return parsed;
  }
  // All pages of the list at `list`. `order` is a part of the query; `name` tells an item from others. `take` gets each
  // page once and says whether it had room for it. False: there are more than were taken.
  template <typename T, typename Name, typename Take>
  absl::StatusOr<bool> ReadList(const Run& run, const ForgeAddress& list, std::string_view order,
                                ForgeParser<std::vector<T>> parse, Name name, Take take) {
    bool fits = true;
    std::string first_before;
    absl::StatusOr<bool> complete =
        ReadForgePages([&](int page, const std::string& next) -> absl::StatusOr<ForgePageInfo> {
          const std::string query = next.empty() ? absl::StrCat(api_.page_query(page), Abs(order)) : next;
          ForgeAnswer answer;
          absl::StatusOr<std::vector<T>> items =
              Read<std::vector<T>>(run, list.Below(absl::StrCat("?", query), ""), parse, &answer);
          if (!items.ok()) return items.status();
          ForgePageInfo info = api_.page_info(answer, items->size(), page);
          if (!items->empty()) info.first = std::invoke(name, items->front());
          // The page before once more: nothing new.
          if (!first_before.empty() && info.first == first_before) return info;
          first_before = info.first;
          fits = take(*std::move(items));
          if (!fits) info.more = false;
          return info;
        });
    if (!complete.ok()) return complete;
    return *complete && fits;
  }

  const RestApi& api() const { return api_; }
  // Whether requests carry an App's credentials.
  bool OfApp() const { return pipeline_.credentials->OfApp(); }

 private:
  // Sends checked comments at lines of `commit`, at most max_review_comments().
  virtual absl::Status SendReview(const Run& run, const ForgeSubject& subject, std::string_view commit,
                                  const std::vector<ForgeInlineComment>& comments) = 0;
  // Adds what the forge's list of comments at lines leaves out.
  virtual absl::Status CompleteReviewComments(const Run&, const ForgeSubject&, std::vector<ForgeReviewComment>&) {
    return absl::OkStatus();
  }
  absl::StatusOr<ForgeReviewCommentList> ReadReviewComments(const Run& run, const ForgeSubject& subject);
  absl::StatusOr<ForgeIssue> ReadIssue(const Run& run, const ForgeSubject& subject);
  absl::StatusOr<ForgeCommentList> ReadComments(const Run& run, const ForgeSubject& subject);
  // An issue that a redirect may have led to: its number must be the one asked for.
  static absl::Status CheckNumber(const ForgeIssue& issue, const ForgeSubject& subject);

  // Cursors of ListIssues: the page, the first number of the page before, and the query where the forge gave one.
  struct IssueCursor {
    int page = 1;
    std::string first_before;
    std::string query;
  };
  static absl::StatusOr<IssueCursor> ParseIssueCursor(std::string_view cursor);
  static std::string NextIssueCursor(const IssueCursor& cursor, const ForgePageInfo& page);

  static absl::Status WithContext(const ForgeAnswer& answer, std::string_view target, const absl::Status& problem);
  ForgeAnswer Send(const Run& run, std::string method, const ForgeAddress& address, std::string body);

  const RestApi& api_;
  const ForgePipeline pipeline_;
  const Clock& clock_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_REST_ADAPTER_H_
