// What the adapters share: sending, reading answers, all pages, reading back.
#ifndef YARDMASTER_CLIENTS_FORGE_REST_ADAPTER_H_
#define YARDMASTER_CLIENTS_FORGE_REST_ADAPTER_H_

#include <chrono>
#include <functional>
#include <memory>
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
#include "clients/forge/transport.h"
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

// "/repos/OWNER/REPO", with which the addresses of a repository's things begin.
std::string RepositoryTarget(std::string_view repository);

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
ForgeState ReadForgeState(const AnswerReader& state);
// A word for a permission, of any of the families that forges use; kNone for an unknown one.
ForgePermission ReadForgePermission(std::string_view word);
// A word for what happened to a file; kModified for an unknown one.
ForgeFileStatus ReadForgeFileStatus(std::string_view word);
// The answer of …/contents/PATH: an object, or an array for what is no file. A size or an encoding that says that the
// file is too large is told by kTooLarge.
absl::StatusOr<std::optional<ForgeFile>> ParseForgeFile(std::string_view body);
// Labels as objects with a name or a title, as texts, or as one text with commas.
std::vector<std::string> ReadLabelNames(const AnswerReader& labels);

class RestAdapter : public StoppableForge {
 public:
  std::string_view name() const final { return pipeline_.dialect->name(); }
  void Stop() final { pipeline_.outermost().Stop(); }
  absl::Status ReplaceCredentials(const ForgeConfig& config) final { return pipeline_.credentials->Replace(config); }
  absl::StatusOr<Secret> Token(std::chrono::steady_clock::time_point deadline) final {
    return pipeline_.credentials->Token(deadline);
  }

 protected:
  // One call under way.
  struct Run {
    ForgePriority priority;
    std::chrono::steady_clock::time_point deadline;
  };
  template <typename T>
  using Parser = absl::StatusOr<T> (*)(std::string_view body);

  RestAdapter(ForgePipeline pipeline, const Clock& clock) : pipeline_(std::move(pipeline)), clock_(clock) {}

  Run Begin(const ForgeCall& call) const;
  ForgeAnswer Get(const Run& run, std::string_view route, std::string target);
  ForgeAnswer Post(const Run& run, std::string_view route, std::string target, std::string body);
  ForgeAnswer Patch(const Run& run, std::string_view route, std::string target, std::string body);
  ForgeAnswer Delete(const Run& run, std::string_view route, std::string target);

  // GET and parse. `answer`, if given, gets what else the answer says.
  template <typename T>
  absl::StatusOr<T> Read(const Run& run, std::string_view route, const std::string& target, Parser<T> parse,
                         ForgeAnswer* answer = nullptr) {
    ForgeAnswer got = Get(run, route, target);
    if (got.error.has_value()) return got.ToStatus();
    absl::StatusOr<T> parsed = parse(got.body);
    if (!parsed.ok()) return WithContext(got, target, parsed.status());
    if (answer != nullptr) *answer = std::move(got);
    return parsed;
  }

  // The part of a query that asks for one page, from 1.
  using PageQueryFn = std::string (*)(int page);
  // What an answer with so many items says about further pages, if anything.
  using MorePagesFn = std::optional<bool> (*)(const ForgeAnswer& answer, size_t items, int page);

  // Calls whose addresses are the same everywhere; `parse` reads the forge's own words.
  absl::StatusOr<ForgeAccess> ReadPermission(const ForgeCall& call, std::string_view repository, std::string_view login,
                                             Parser<ForgeAccess> parse);
  absl::StatusOr<std::optional<ForgeFile>> ReadFile(const ForgeCall& call, std::string_view repository,
                                                    std::string_view path, std::string_view ref,
                                                    Parser<std::optional<ForgeFile>> parse);
  absl::StatusOr<ForgePull> ReadPull(const ForgeCall& call, const ForgeSubject& subject, Parser<ForgePull> parse);
  // All pages.
  absl::StatusOr<ForgePullFileList> ReadPullFiles(const ForgeCall& call, const ForgeSubject& subject,
                                                  Parser<std::vector<ForgePullFile>> parse, PageQueryFn page_query,
                                                  MorePagesFn more);
  absl::StatusOr<std::vector<ForgeLabel>> ReadLabels(const ForgeCall& call, std::string_view repository,
                                                     Parser<std::vector<ForgeLabel>> parse, PageQueryFn page_query,
                                                     MorePagesFn more);
  // One page, oldest issues first.
  absl::StatusOr<ForgeIssuePage> ReadIssues(const ForgeCall& call, std::string_view repository,
                                            const ForgeIssueQuery& query, Parser<std::vector<ForgeIssue>> parse,
                                            PageQueryFn page_query, MorePagesFn more);

  // The comment that was written, among those of the subject: by its ids, or by its text where the answer had none.
  static ForgeCommentWritten FindWritten(std::optional<ForgeComment> answered, std::string_view body,
                                         const absl::StatusOr<ForgeCommentList>& list);
  // Adds comments that are not there yet. False when kMaxForgeListBytes is passed.
  static bool AppendComments(std::vector<ForgeComment> page, ForgeCommentList& list, size_t& bytes);
  // The comment `id` as it is now, after it was edited.
  static ForgeCommentWritten FindEdited(std::optional<ForgeComment> answered, std::string_view id,
                                        const absl::StatusOr<ForgeCommentList>& list);
  // What a label's removal came to. `answer`: to the request, a success or 404; `issue`: as read afterwards.
  static absl::StatusOr<ForgeLabelsWritten> LabelRemoved(const ForgeAnswer& answer, absl::StatusOr<ForgeIssue> issue);
  // An issue that a redirect may have led to: its number must be the one asked for.
  static absl::Status CheckNumber(const ForgeIssue& issue, const ForgeSubject& subject);

  // Cursors of ListIssues: page and the first number of the page before.
  struct IssueCursor {
    int page = 1;
    std::string first_before;
  };
  static absl::StatusOr<IssueCursor> ParseIssueCursor(std::string_view cursor);
  static std::string NextIssueCursor(const IssueCursor& cursor, const ForgePageInfo& page);

  const ForgePipeline& pipeline() const { return pipeline_; }
  const Clock& clock() const { return clock_; }

 private:
  static absl::Status WithContext(const ForgeAnswer& answer, std::string_view target, const absl::Status& problem);
  ForgeAnswer Send(const Run& run, std::string method, std::string_view route, std::string target, std::string body);

  const ForgePipeline pipeline_;
  const Clock& clock_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_REST_ADAPTER_H_
