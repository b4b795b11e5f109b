// What planners may look at beyond the event and the snapshot: read when it is first asked for, kept for the length of
// one plan, and recorded. Nothing can be written through it.
#ifndef YARDMASTER_SERVICES_INTAKE_SUBJECT_VIEW_H_
#define YARDMASTER_SERVICES_INTAKE_SUBJECT_VIEW_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "services/core/store/subscriptions.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/test_request.pb.h"

namespace yardmaster {

// How a person wants what they ask for.
struct AskOptions {
  bool detailed = false;  // all there is to say
  std::string pack;       // under this pack's rules, one that the repository may use; empty: under those of its own
  // A rule that the review is to hold back from now on, or no more.
  std::optional<v1::IgnoreRule> ignore;
  // The gate that is to be started, as Event.gate; empty: none.
  std::string gate = {};
  // What is to be done with the pull request.
  std::optional<v1::PullOperation> operation = std::nullopt;
  // What is wanted of the pull request's tests.
  std::optional<v1::TestRequest> test = std::nullopt;
  // What asks for it, as AnswerComment.name with its revision; empty: the event.
  std::string cause = {};
  // Where in chat it is told how it goes on.
  std::optional<v1::ChatFollow> told = std::nullopt;
  // In which language RequestedPlan.told is wanted.
  bool chinese = false;
  // Only what would be done is wanted: nothing of the plan is kept or carried out.
  bool preview = false;
  // `operation` is done only if it stands on what a preview of it stood on, in the planner's words; empty: on whatever
  // is there.
  std::string stands_on = {};
};

// The ids of the steps of RequestedPlan.told and told_note.
inline constexpr std::string_view kToldStep = "told";
inline constexpr std::string_view kToldNoteStep = "told-note";

// What another planner would do if a person asked it now.
struct RequestedPlan {
  std::optional<v1::Plan> plan;
  // Without a plan: why the subject is skipped, a code of reasons.h.
  std::string reason;
  // What is to be said of it where it was asked for, as Markdown: the plan's step kToldStep, which is not kept. Empty:
  // the planner has no more to say than its other steps.
  std::string told = {};
  // The same of what the plan's step "note" says, which is in English.
  std::string told_note = {};
};

// What long work came to; a planner knows what it asked for.
class LongResult {
 public:
  virtual ~LongResult() = default;
};
using LongResultPtr = std::shared_ptr<const LongResult>;

// Work that takes longer than a thread of the pipe may be held for. It runs elsewhere, and holds whatever it uses.
struct LongWork {
  // The same work on the same subject has the same key.
  std::string key;
  // First waits, for the network above all, …
  std::function<absl::Status()> read;
  // … then computes on what people wrote. Not called if `read` failed.
  std::function<absl::StatusOr<LongResultPtr>()> compute;
  // What nobody waits for, on what people wrote, too: called once the result is handed over. Null: nothing. Not called
  // where there is no result.
  std::function<void()> afterwards = nullptr;
};

// What Await answers while the work goes on: the planner returns it, and is asked again once the work is done.
absl::Status StillWorking();
bool IsStillWorking(const absl::Status& status);

// Errors are the forge client's, with a ForgeError; a planner returns them, and the work is tried again where that
// helps.
class SubjectView {
 public:
  virtual ~SubjectView() = default;

  // The forge's name.
  virtual std::string_view forge() const = 0;
  virtual absl::StatusOr<ForgeAccess> Access(std::string_view login) = 0;
  // False where the forge has no teams.
  virtual absl::StatusOr<bool> IsTeamMember(std::string_view organisation, std::string_view team,
                                            std::string_view login) = 0;
  // A file at a branch or commit; `ref` empty: the default branch. `repository` empty: the subject's. nullopt if there
  // is none.
  virtual absl::StatusOr<std::optional<std::string>> File(std::string_view repository, std::string_view path,
                                                          std::string_view ref) = 0;
  // The same as it was within the last minute: for files that every event asks for.
  virtual absl::StatusOr<std::optional<std::string>> RecentFile(std::string_view repository, std::string_view path,
                                                                std::string_view ref) = 0;
  // What is told to our account of a repository, "owner/name".
  virtual absl::StatusOr<ForgeRepository> Repository(const std::string& repository) = 0;
  // Another pull request of the subject's repository.
  virtual absl::StatusOr<ForgePull> PullOf(int64_t number) = 0;
  // Of a pull request.
  virtual absl::StatusOr<const ForgePull*> Pull() = 0;
  virtual absl::StatusOr<const ForgePullFileList*> PullFiles() = 0;
  // Labels of the repository, for adding `wanted`; null if they can't be read.
  virtual std::shared_ptr<const std::vector<std::string>> RepositoryLabels(const std::vector<std::string>& wanted) = 0;
  // The latest decision about the subject that has reasons; nullopt if there is none, or it is no longer kept.
  virtual absl::StatusOr<std::optional<v1::Plan>> LatestDecision() = 0;
  // Asks another planner of the pipe by its name.
  virtual absl::StatusOr<RequestedPlan> Ask(std::string_view planner, const AskOptions& options) = 0;
  // What became of actions of a kind ("report_check") on the subject that were written or are about to be, the newest
  // first; a few hundred at most.
  virtual absl::StatusOr<std::vector<v1::Action>> Written(std::string_view kind) = 0;
  // The result of long work, or its error; StillWorking while it goes on. Starts it where it is not under way. Where
  // nobody else is held up it runs at once.
  virtual absl::StatusOr<LongResultPtr> Await(const LongWork& work) = 0;
  // Whether `head`, the pull request's head now, may not have been its head when the present event came: nothing was
  // known of it then. False where no event is worked on: whoever asks by hand sees what is there.
  virtual absl::StatusOr<bool> HeadMovedSince(std::string_view /*head*/) { return false; }
  // What channels are told about repositories; none where there is no chat.
  virtual absl::StatusOr<std::vector<store::Subscription>> Subscriptions() {
    return std::vector<store::Subscription>();
  }
  // Over everything that was read so far: 16 hex characters.
  virtual std::string Digest() const = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SUBJECT_VIEW_H_
