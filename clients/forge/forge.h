// A forge (GitHub, GitCode, …) as the services see it: few calls, plain values, and answers that say how sure they are.
// The adapters in github/ and gitcode/ translate; code above this file knows no forge's own terms.
#ifndef YARDMASTER_CLIENTS_FORGE_FORGE_H_
#define YARDMASTER_CLIENTS_FORGE_FORGE_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/forge/forge_error.h"

namespace yardmaster {

// Who goes first when the forge's limits make calls wait.
enum class ForgePriority : uint8_t { kCommand, kGate, kEvent, kSweep };
inline constexpr size_t kForgePriorities = 4;
std::string_view ForgePriorityName(ForgePriority priority);  // "command", "gate", "event", "sweep"

// How a call is to be carried out.
struct ForgeCall {
  ForgePriority priority = ForgePriority::kEvent;
  // For the whole call: waiting for the budget, all pages and all attempts. What can't be had in that time fails at
  // once, with ForgeError.retry_after saying when to come back, so that no thread is held for nothing.
  std::chrono::milliseconds timeout{60'000};
};

// One issue or pull request. GitCode counts both separately, so the kind belongs to the name.
struct ForgeSubject {
  std::string repository;  // "owner/name"
  int64_t number = 0;      // from 1
  bool pull_request = false;
};

struct ForgeUser {
  std::string login;  // empty: the account is gone
  std::string id;     // as text: GitCode's are strings
  bool bot = false;   // the forge says that it is one
};

struct ForgeLabel {
  std::string name;
  std::string description;
  std::string color;  // without "#"; empty if unknown
};

// What a forge takes as the name of a label, in Unicode code points.
struct LabelRules {
  size_t min_characters = 1;
  size_t max_characters = 50;
};

// What an account may do in a repository; each includes those before it.
enum class ForgePermission : uint8_t { kNone, kRead, kTriage, kWrite, kMaintain, kAdmin };
std::string_view ForgePermissionName(ForgePermission permission);  // "none", "read", "triage", "write", …

struct ForgeRepository {
  std::string full_name;
  std::string default_branch;
  bool is_private = false;
  bool archived = false;
  std::string url;  // for people
  // What the account that asks may do there; unset: the forge does not say.
  std::optional<ForgePermission> own;
};

// kUnknown: a word that we do not know. It is treated as not closed.
enum class ForgeState : uint8_t { kOpen, kClosed, kMerged, kUnknown };
std::string_view ForgeStateName(ForgeState state);  // "open", "closed", "merged", "unknown"
bool MayBeOpen(ForgeState state);

struct ForgeIssue {
  int64_t number = 0;
  bool pull_request = false;
  std::string title;
  std::string body;  // empty if the forge says null
  ForgeState state = ForgeState::kOpen;
  std::vector<std::string> labels;  // in the forge's order
  ForgeUser author;
  int64_t comments = -1;  // their number; -1 if the forge does not say
  // As the forge writes them (RFC 3339, with any offset). They may stay the same although something changed.
  std::string created_at;
  std::string updated_at;
  std::string url;  // for people
};

struct ForgeComment {
  // The number that edits and reactions want; text, since GitCode may answer with anything.
  std::string id;
  // GitCode: the discussion, where that is something else than `id`; else empty.
  std::string discussion;
  std::string body;
  ForgeUser author;
  bool system = false;  // written by the forge itself
  std::string created_at;
  std::string updated_at;
};

struct ForgeCommentList {
  std::vector<ForgeComment> comments;  // oldest first
  // False: there are more than we read (clients/forge/limits.h). "Not in the list" is then no proof.
  bool complete = true;
};

struct ForgeIssueQuery {
  std::vector<std::string> labels;  // all of them; empty: any
  std::optional<ForgeState> state;  // kOpen or kClosed; unset: any
  std::string cursor;               // empty: from the start, else ForgeIssuePage.next
};

// Oldest first, by creation.
struct ForgeIssuePage {
  std::vector<ForgeIssue> issues;  // pull requests too, where the forge lists them (GitHub)
  // Opaque, safe to store; empty: this was the last page. It counts pages, so what leaves the list meanwhile moves the
  // rest forward: a caller that removes things from the list it walks starts again from the beginning.
  std::string next;
};

// What a write came to. The write itself succeeded (2xx) whenever one of these is returned.
struct ForgeLabelsWritten {
  // The subject's labels as read after the write; nullopt if that read failed, `read_back` says why.
  std::optional<std::vector<std::string>> shown;
  absl::Status read_back;
};
struct ForgeCommentWritten {
  // As the answer to the write says; nullopt if that answer could not be understood.
  std::optional<ForgeComment> answered;
  // As found by reading afterwards. nullopt: not visible (`read_back` is NOT_FOUND) or the read failed. Writes can
  // become visible late, so this is no proof that nothing was written.
  std::optional<ForgeComment> shown;
  absl::Status read_back;
};

// One delivery of a webhook, as the forge remembers it.
struct ForgeHookDelivery {
  std::string id;    // of the attempt; what Redeliver wants
  std::string guid;  // the delivery id that the webhook carried; attempts of one delivery share it
  std::string event;
  std::string action;
  std::string delivered_at;
  int64_t status_code = 0;  // of our answer; 0: there was none
  bool redelivery = false;
};
struct ForgeHookDeliveryPage {
  std::vector<ForgeHookDelivery> deliveries;  // newest first
  std::string next;                           // opaque; empty: this was the last page
};

struct ForgeAccess {
  // A word that we do not know is kNone: an unknown permission permits nothing.
  ForgePermission permission = ForgePermission::kNone;
  std::string word;  // the forge's own, for people; empty if it gave none
};

// A file of a repository at a commit.
struct ForgeFile {
  std::string path;
  std::string sha;      // of the blob; empty if the forge does not say
  std::string content;  // any bytes, at most kMaxForgeFileBytes
};

struct ForgePull {
  int64_t number = 0;
  std::string title;
  std::string body;  // empty if the forge says null
  ForgeState state = ForgeState::kOpen;
  bool draft = false;
  std::vector<std::string> labels;  // in the forge's order
  ForgeUser author;
  std::string base_ref;  // the branch's name
  std::string base_sha;
  // Of the base repository; empty if the answer does not have it: GetRepository has.
  std::string default_branch;
  std::string head_ref;
  std::string head_sha;
  std::string head_repository;  // "owner/name"; empty if it is gone, or the forge does not say
  // Whether the author lets those who write to the base repository push to the head; false if the forge does not say.
  bool maintainers_may_edit = false;
  std::vector<std::string> reviewers;  // logins of those who are asked for a review
  int64_t changed_files = -1;          // -1 if the forge does not say
  std::string created_at;              // as the forge writes them (RFC 3339, with any offset)
  std::string updated_at;
  std::string url;  // for people
};

enum class ForgeFileStatus : uint8_t { kAdded, kModified, kRemoved, kRenamed, kCopied, kUnchanged };
std::string_view ForgeFileStatusName(ForgeFileStatus status);  // "added", "modified", "removed", …

// A file that a pull request changes.
struct ForgePullFile {
  std::string path;           // after the change; of a removed file: before
  std::string previous_path;  // of a renamed or copied file; else empty
  // A word that we do not know is kModified.
  ForgeFileStatus status = ForgeFileStatus::kModified;
  std::string sha;         // of the blob; empty if the forge does not say
  int64_t additions = -1;  // lines; -1 if the forge does not say
  int64_t deletions = -1;
  // Hunks in unified format without file headers. nullopt: the forge left it out (a binary or too large a file), or we
  // did (kMaxForgeListBytes).
  std::optional<std::string> patch;
};

struct ForgePullFileList {
  std::vector<ForgePullFile> files;  // in the forge's order, no path twice
  // False: there are, or may be, more than the forge shows or we read (clients/forge/limits.h). "Not in the list" is
  // then no proof.
  bool complete = true;
};

// A commit of a pull request.
struct ForgeCommit {
  std::string sha;
  std::string committed_at;  // as the forge writes it (RFC 3339, with any offset); empty if it does not say
};

// One entry of what happened to a pull request.
struct ForgeHistoryEntry {
  // The last two: the forge's own merge queue took it in, or let it go.
  enum class Kind : uint8_t { kOther, kLabelsAdded, kLabelsRemoved, kQueued, kUnqueued };
  Kind kind = Kind::kOther;
  std::string content;  // a sentence of the forge's, in any language; it names the labels
  std::string at;
  ForgeUser author;
};

// Where a check of a commit stands. The first two are not final.
enum class ForgeCheckState : uint8_t {
  kQueued,
  kInProgress,
  kSuccess,
  kFailure,
  kNeutral,
  kCancelled,
  kSkipped,
  kActionRequired  // it says nothing about the code, and does not let it pass: somebody has to do something
};
std::string_view ForgeCheckStateName(ForgeCheckState state);  // "queued", "in_progress", "success", …

// How loud an annotation is.
enum class ForgeAnnotationLevel : uint8_t { kNotice, kWarning, kFailure };

// A remark of a check run at lines of a file.
struct ForgeAnnotation {
  std::string path;
  uint32_t line = 1;  // from 1
  uint32_t end_line = 1;
  // From 1; 0: the whole lines. Forges take columns only where both lines are the same.
  uint32_t column = 0;
  uint32_t end_column = 0;
  ForgeAnnotationLevel level = ForgeAnnotationLevel::kNotice;
  std::string title;    // at most 255 characters
  std::string message;  // at most 64 KiB
};
inline constexpr size_t kMaxForgeAnnotations = 50;  // of one call; further ones are added by further calls
inline constexpr size_t kMaxForgeSummaryBytes = 65'535;

// The name of our check of a pull request's head, as a check run and as the context of a commit status.
inline constexpr std::string_view kReviewCheckName = "yardmaster/review";

// What a check run is to become. Texts are cut by the caller: what is longer than kMaxForgeSummaryBytes is refused.
struct ForgeCheckRunWrite {
  std::string name;
  std::string head;         // the commit, 40 hex digits
  std::string external_id;  // our own name for it; shown again by ListCheckRuns
  ForgeCheckState state = ForgeCheckState::kInProgress;
  std::string title;
  std::string summary;                       // Markdown
  std::vector<ForgeAnnotation> annotations;  // at most kMaxForgeAnnotations; appended to those that are there
};

struct ForgeCheckRun {
  std::string id;
  std::string name;
  std::string head;
  std::string external_id;
  ForgeCheckState state = ForgeCheckState::kQueued;
  int64_t annotations = -1;  // their number; -1 if the forge does not say
  std::string app;           // the app's slug or id that made it; empty if the forge does not say
  std::string url = {};      // for people; may be empty
};

// What one app makes of a commit: a workflow with its check runs. It says what they can't where there are none.
struct ForgeCheckSuite {
  std::string id;
  std::string app;  // its name for people
  // kActionRequired: somebody with rights has to allow it first, as for somebody's first contribution. kFailure,
  // without check runs: it could not begin.
  ForgeCheckState state = ForgeCheckState::kQueued;
  int64_t check_runs = -1;  // their number; -1 if the forge does not say
};

// A run of the forge's own CI for a pull request.
struct ForgePullRun {
  std::string id;
  std::string name;    // of its workflow
  int64_t number = 0;  // later runs of a workflow have higher ones
  std::string head;    // the commit
  ForgeCheckState state = ForgeCheckState::kQueued;
  // "stage / job: step" of what failed, in their order; of GetPullRun only.
  std::vector<std::string> failed;
  std::string url = {};     // for people; may be empty
  bool has_details = true;  // GetPullRun tells what failed
};

// The state of a commit under one name, for forges and credentials without check runs.
struct ForgeCommitStatus {
  std::string context;                                   // its name
  ForgeCheckState state = ForgeCheckState::kInProgress;  // kInProgress is "pending"; kNeutral is "success"
  std::string description;                               // at most 140 characters
  std::string url;                                       // for people; may be empty
  ForgeUser author;                                      // of answers only, as is the id
  std::string id;
};

// A comment at a line of a pull request's head.
struct ForgeInlineComment {
  std::string path;
  uint32_t line = 0;  // in the new file, from 1; 0: the whole file
  std::string body;
};

// The same as the forge shows it.
struct ForgeReviewComment {
  ForgeComment comment;
  std::string path;
  uint32_t line = 0;        // 0: outdated, of the whole file, or the forge does not say
  std::string commit;       // that it was made for; empty if the forge does not say
  std::string in_reply_to;  // id of the comment that it answers; empty: none
};
struct ForgeReviewCommentList {
  std::vector<ForgeReviewComment> comments;  // oldest first
  bool complete = true;                      // false: there are more than we read
};

// One word of the few that forges know.
enum class ForgeReaction : uint8_t { kPlusOne, kMinusOne, kLaugh, kConfused, kHeart, kHooray, kRocket, kEyes };
// "+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes".
std::string_view ForgeReactionName(ForgeReaction reaction);
std::optional<ForgeReaction> ForgeReactionFromName(std::string_view name);

// Thread-safe. Calls block. Every error carries a ForgeError (forge_error.h); for writes its `outcome` decides what may
// happen next: kNotSent and kRefused changed nothing, kUnknown has to be settled by reading.
// Repository names, labels and texts are checked before anything is sent: INVALID_ARGUMENT, kNotSent.
class Forge {
 public:
  virtual ~Forge() = default;

  // As in the configuration: "github", "gitcode".
  virtual std::string_view name() const = 0;
  virtual LabelRules label_rules() const = 0;

  // The account that this client writes as.
  virtual absl::StatusOr<ForgeUser> CurrentUser(const ForgeCall& call) = 0;
  virtual absl::StatusOr<ForgeRepository> GetRepository(const ForgeCall& call, std::string_view repository) = 0;
  // All labels that the repository has. An error if there are more than clients/forge/limits.h allows.
  virtual absl::StatusOr<std::vector<ForgeLabel>> RepositoryLabels(const ForgeCall& call,
                                                                   std::string_view repository) = 0;

  // "owner/name" of every repository of an organisation or account that we may see.
  virtual absl::StatusOr<std::vector<std::string>> ListRepositories(const ForgeCall& call, std::string_view owner) = 0;

  virtual absl::StatusOr<ForgeIssue> GetIssue(const ForgeCall& call, const ForgeSubject& subject) = 0;
  // All pages.
  virtual absl::StatusOr<ForgeCommentList> ListComments(const ForgeCall& call, const ForgeSubject& subject) = 0;
  // One comment, by ForgeComment.id. NOT_FOUND if there is none.
  virtual absl::StatusOr<ForgeComment> GetComment(const ForgeCall& call, const ForgeSubject& subject,
                                                  std::string_view comment) = 0;
  // One page of issues.
  virtual absl::StatusOr<ForgeIssuePage> ListIssues(const ForgeCall& call, std::string_view repository,
                                                    const ForgeIssueQuery& query) = 0;

  // Appends labels; those that are there stay. An empty list is INVALID_ARGUMENT.
  virtual absl::StatusOr<ForgeLabelsWritten> AddLabels(const ForgeCall& call, const ForgeSubject& subject,
                                                       const std::vector<std::string>& labels) = 0;
  virtual absl::StatusOr<ForgeCommentWritten> AddComment(const ForgeCall& call, const ForgeSubject& subject,
                                                         std::string_view body) = 0;

  // --- For commands ---

  // What `login` may do in the repository. Who is no collaborator, or no account at all, has kNone or, where everybody
  // may read, kRead: that is an answer and no error. PERMISSION_DENIED if the forge does not tell *us*.
  virtual absl::StatusOr<ForgeAccess> GetPermission(const ForgeCall& call, std::string_view repository,
                                                    std::string_view login) = 0;
  // Whether `login` is an active member of a team, by the team's slug; invited is no member. Also false if there is no
  // such team, or none that we may see. UNIMPLEMENTED where the forge has no teams (GitCode).
  virtual absl::StatusOr<bool> IsTeamMember(const ForgeCall& call, std::string_view organisation, std::string_view team,
                                            std::string_view login) = 0;
  // A file at a branch, tag or commit; `ref` empty: the default branch. nullopt: no such repository, ref or path, or
  // the path is no file. RESOURCE_EXHAUSTED (kTooLarge) above kMaxForgeFileBytes. `path` is relative, without empty
  // parts, "." and "..".
  virtual absl::StatusOr<std::optional<ForgeFile>> GetFile(const ForgeCall& call, std::string_view repository,
                                                           std::string_view path, std::string_view ref) = 0;
  virtual absl::StatusOr<ForgePull> GetPull(const ForgeCall& call, const ForgeSubject& subject) = 0;
  // All pages.
  virtual absl::StatusOr<ForgePullFileList> ListPullFiles(const ForgeCall& call, const ForgeSubject& subject) = 0;
  // Of a pull request, in the forge's order. All pages.
  virtual absl::StatusOr<std::vector<ForgeCommit>> ListPullCommits(const ForgeCall& call,
                                                                   const ForgeSubject& subject) = 0;
  // Who did what to a pull request, labels above all, in any order. UNIMPLEMENTED where the forge keeps none.
  virtual absl::StatusOr<std::vector<ForgeHistoryEntry>> ListPullHistory(const ForgeCall& call,
                                                                         const ForgeSubject& subject) = 0;

  // Replaces the text of a comment of ours; `comment` is ForgeComment.id. `shown` is the comment of that id as read
  // afterwards, with whatever text it has: the caller compares. NOT_FOUND if it was deleted. FAILED_PRECONDITION with
  // http_status 405 where the forge does not let us edit (seen on GitCode).
  virtual absl::StatusOr<ForgeCommentWritten> EditComment(const ForgeCall& call, const ForgeSubject& subject,
                                                          std::string_view comment, std::string_view body) = 0;
  // Whether AddReaction can work at all.
  virtual bool has_reactions() const = 0;
  // Reacts to a comment, or, with `comment` empty, to the opening post. Returns the reaction's id. Where it works it is
  // idempotent: an account has each reaction once on one text, so sending it again changes nothing. UNIMPLEMENTED where
  // the forge has none (GitCode).
  virtual absl::StatusOr<std::string> AddReaction(const ForgeCall& call, const ForgeSubject& subject,
                                                  std::string_view comment, ForgeReaction reaction) = 0;
  // Takes one label off, because a person asked for it: nothing else calls this. A label that is not there is a
  // success.
  virtual absl::StatusOr<ForgeLabelsWritten> RemoveLabel(const ForgeCall& call, const ForgeSubject& subject,
                                                         std::string_view label) = 0;

  // --- For reviews ---

  // Whether the three calls about check runs can work: GitHub, with an App's credentials. Elsewhere they are
  // UNIMPLEMENTED; but on GitHub the check runs of every name are listed for a token, too.
  virtual bool has_check_runs() const = 0;
  // Makes a check run. Names need not be unique; the newest counts.
  virtual absl::StatusOr<ForgeCheckRun> CreateCheckRun(const ForgeCall& call, std::string_view repository,
                                                       const ForgeCheckRunWrite& write) = 0;
  // Changes state, title and summary, and appends annotations. Sent twice, annotations are there twice: read first.
  virtual absl::StatusOr<ForgeCheckRun> UpdateCheckRun(const ForgeCall& call, std::string_view repository,
                                                       std::string_view check_run, const ForgeCheckRunWrite& write) = 0;
  // Check runs of a name on a commit, of whoever made them, newest first; `name` empty: of every name.
  virtual absl::StatusOr<std::vector<ForgeCheckRun>> ListCheckRuns(const ForgeCall& call, std::string_view repository,
                                                                   std::string_view head, std::string_view name) = 0;
  // Check suites of a commit. UNIMPLEMENTED where the forge has none (GitCode).
  virtual absl::StatusOr<std::vector<ForgeCheckSuite>> ListCheckSuites(const ForgeCall& /*call*/,
                                                                       std::string_view /*repository*/,
                                                                       std::string_view /*head*/) {
    return absl::UnimplementedError("it has no check suites");
  }
  // Runs of the forge's own CI for a pull request, of all its heads, newest first: GitCode's Actions, or the pipelines
  // that it had before, for a pull request that has no run of Actions. UNIMPLEMENTED where they are check runs.
  virtual absl::StatusOr<std::vector<ForgePullRun>> ListPullRuns(const ForgeCall& call,
                                                                 const ForgeSubject& subject) = 0;
  // One of them, with what failed in it.
  virtual absl::StatusOr<ForgePullRun> GetPullRun(const ForgeCall& call, std::string_view repository,
                                                  std::string_view run) = 0;
  // Names of the checks that must pass on a branch before anything is merged into it, as the forge's rules say; each
  // once. UNIMPLEMENTED where the forge has none that we read (GitCode).
  virtual absl::StatusOr<std::vector<std::string>> ListRequiredChecks(const ForgeCall& /*call*/,
                                                                      std::string_view /*repository*/,
                                                                      std::string_view /*branch*/) {
    return absl::UnimplementedError("it requires no checks that are read");
  }
  // Whether the two calls about commit statuses can work (GitHub). Elsewhere they are UNIMPLEMENTED.
  virtual bool has_commit_statuses() const = 0;
  // The latest status of a context counts, so that sending one again changes nothing.
  virtual absl::Status SetCommitStatus(const ForgeCall& call, std::string_view repository, std::string_view head,
                                       const ForgeCommitStatus& status) = 0;
  // Newest first.
  virtual absl::StatusOr<std::vector<ForgeCommitStatus>> ListCommitStatuses(const ForgeCall& call,
                                                                            std::string_view repository,
                                                                            std::string_view head) = 0;

  // Comments at lines of a pull request, and the answers to them. All pages.
  virtual absl::StatusOr<ForgeReviewCommentList> ListReviewComments(const ForgeCall& call,
                                                                    const ForgeSubject& subject) = 0;
  // How many comments CreateReview takes at once: one on forges that have no reviews with several (GitCode).
  virtual size_t max_review_comments() const = 0;
  // Adds comments at lines of `commit`, as one review that neither approves nor asks for changes. GitHub refuses all of
  // them (422) if one is at a line that the diff does not show. GitCode takes such a comment for one of the whole pull
  // request: FAILED_PRECONDITION, and it stays. Nothing about it is idempotent: read first.
  virtual absl::Status CreateReview(const ForgeCall& call, const ForgeSubject& subject, std::string_view commit,
                                    const std::vector<ForgeInlineComment>& comments) = 0;
  // Answers a comment at a line.
  virtual absl::StatusOr<ForgeCommentWritten> ReplyToReviewComment(const ForgeCall& call, const ForgeSubject& subject,
                                                                   const ForgeComment& comment,
                                                                   std::string_view body) = 0;

  // Deliveries of one webhook of a repository, newest first. UNIMPLEMENTED where the forge keeps no record.
  virtual absl::StatusOr<ForgeHookDeliveryPage> ListHookDeliveries(const ForgeCall& call, std::string_view repository,
                                                                   std::string_view hook, std::string_view cursor) = 0;
  // Asks the forge to send a delivery again; it arrives as a webhook like any other.
  virtual absl::Status Redeliver(const ForgeCall& call, std::string_view repository, std::string_view hook,
                                 std::string_view delivery) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_FORGE_H_
