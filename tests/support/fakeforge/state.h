// The fake forge itself: what it keeps, what it answers, which webhooks it wants to send, and what goes wrong. No
// sockets, no threads, no clock: times are passed in, chance comes from a seed. Only with real repositories
// (git_root.h) are programs started.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_STATE_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_STATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/fakeforge/dialect.h"
#include "tests/support/fakeforge/faults.h"
#include "tests/support/fakeforge/git_root.h"
#include "tests/support/fakeforge/jenkins.h"
#include "tests/support/fakeforge/message.h"
#include "tests/support/fakeforge/model.h"
#include "tests/support/fakeforge/operation.h"

namespace yardmaster::fakeforge {

// What a forge allows within a sliding minute; 0: anything.
struct CallLimits {
  int64_t requests_per_minute = 0;
  int64_t writes_per_minute = 0;
};

struct ForgeSettings {
  bool webhooks = false;  // whether deliveries are made
  std::string secret;     // signs them; empty: unsigned
  std::string token;      // what calls must carry; empty: nothing is checked
  CallLimits limits;
  std::optional<std::string> scopes;  // of the token, as the forge tells them; nullopt: it does not
  std::chrono::seconds clock_ahead{0};
};

struct StateOptions {
  ForgeSettings github;
  ForgeSettings gitcode;
  std::string bot_login = "yardbot";  // the account of whoever calls
  uint64_t seed = 1;
  FaultRates faults;
  // Real repositories; empty: there are none.
  std::string git_root;
};

// A webhook that is to be sent now.
struct Outgoing {
  int64_t id = 0;
  std::string forge;
  Headers headers;
  std::string body;
};

// Which check is wanted again, and by what: the check's own "re-run", its suite's, or a button of ours.
struct CheckRequest {
  int64_t check = 0;  // 0: the newest one of that head and name
  std::string head;
  std::string name;        // empty: any
  std::string identifier;  // of the button; empty: "re-run"
  bool suite = false;
  std::string actor;
};

// Calls below /api/v5 go to the GitCode dialect, those below /_fake/ to the test's own (admin.h), all others to the
// GitHub dialect. Not thread-safe.
class State {
 public:
  static constexpr size_t kMaxCalls = 500'000;
  static constexpr std::string_view kForges[] = {"github", "gitcode"};

  explicit State(StateOptions options);

  Answer Handle(const Request& request, Time now);

  // Webhooks whose time has come, each once, at most `limit`.
  std::vector<Outgoing> TakeDue(Time now, size_t limit = SIZE_MAX);
  // What came back; 0: nothing.
  void Settle(int64_t delivery, int status, Time now);
  // The next time at which TakeDue would give something.
  std::optional<Time> NextDue() const;
  // Deliveries without an answer yet, and writes that have not appeared yet.
  size_t Pending() const { return unsettled_ + late_.size(); }

  // --- What happens on the forge (the test's side; each tells by webhook unless `quiet`) ---

  int64_t NextNumber(std::string_view forge, const std::string& repository, bool pull);
  // Reads from the real repositories what the pull request is: its head and base, whose names are there, and its files.
  // Points the forge's own ref at the head. False and `error` if that can't be done.
  bool ReadFromGit(std::string_view forge, const std::string& repository, Subject& subject, std::string& error);
  // `subject.number` 0: the next one. nullptr if there is one of that number.
  Subject* Open(std::string_view forge, const std::string& repository, Subject subject, bool quiet, Time now);
  Subject* Find(std::string_view forge, const std::string& repository, bool pull, int64_t number);
  void Edit(std::string_view forge, const std::string& repository, Subject& subject, const std::string& actor,
            std::optional<std::string> title, std::optional<std::string> body, Time now);
  void SetOpen(std::string_view forge, const std::string& repository, Subject& subject, const std::string& actor,
               bool open, Time now);
  void AddLabel(std::string_view forge, const std::string& repository, Subject& subject, const std::string& actor,
                const std::string& label, Time now);
  bool RemoveLabel(std::string_view forge, const std::string& repository, Subject& subject, const std::string& actor,
                   const std::string& label, Time now);
  const Comment& AddComment(std::string_view forge, const std::string& repository, Subject& subject,
                            const std::string& actor, const std::string& body, bool quiet, Time now);
  // The comment of that id, whose subject `subject` becomes. nullptr if there is none.
  Comment* FindComment(std::string_view forge, const std::string& repository, int64_t id, Subject*& subject);
  // False if the subject has no such comment.
  bool EditComment(std::string_view forge, const std::string& repository, Subject& subject, int64_t id,
                   const std::string& actor, const std::string& body, Time now);
  bool DeleteComment(Subject& subject, int64_t comment);
  // New commits on a pull request's branch; `head` empty: some other commit than before.
  void Push(std::string_view forge, const std::string& repository, Subject& subject, const std::string& actor, Time now,
            const std::string& head = "");
  // A draft, or ready for review.
  void SetDraft(std::string_view forge, const std::string& repository, Subject& subject, const std::string& actor,
                bool draft, Time now);
  // Somebody asks for a check again, on GitHub. False if there is no such check.
  bool RequestCheck(const std::string& repository, const CheckRequest& wanted, Time now);
  // Texts of files on the default branch, or as "path@ref"; with an actor they are pushed.
  void SetContents(std::string_view forge, const std::string& repository,
                   const std::map<std::string, std::string>& files, const std::string& actor, Time now);
  // Members of "organisation/team": login → "active" or "pending".
  std::map<std::string, std::string>& TeamOf(std::string_view forge, const std::string& team);
  Repository& RepositoryOf(std::string_view forge, const std::string& name);
  // Another attempt at a delivery; 0 if there is none of that id.
  int64_t Redeliver(int64_t delivery, Time now);

  const std::map<std::string, Repository>& repositories(std::string_view forge) const;
  const std::deque<Delivery>& deliveries() const { return deliveries_; }
  const std::deque<Call>& calls() const { return calls_; }
  // nullptr: there are no real repositories.
  const GitRoot* git() const { return git_.has_value() ? &*git_ : nullptr; }
  const std::string& bot_login() const { return options_.bot_login; }
  Jenkins& jenkins() { return jenkins_; }
  FaultRates& faults() { return options_.faults; }
  FaultSource& random() { return random_; }
  ForgeSettings& settings(std::string_view forge) { return SideOf(forge).settings; }

 private:
  struct Side {
    std::unique_ptr<Dialect> dialect;
    ForgeSettings settings;
    std::map<std::string, Repository> repositories;
    std::map<std::string, std::map<std::string, std::string>> teams;
    std::deque<std::pair<Time, bool>> recent;  // calls of the last minute; true: a write
  };
  struct LateWrite {
    Time due;
    size_t side;
    Operation operation;
    Request request;
  };

  Side& SideOf(std::string_view forge) { return sides_[forge == "gitcode" ? 1 : 0]; }
  Answer HandleCall(Side& side, const Request& request, const std::optional<Operation>& operation, Call& call,
                    Time now);
  std::optional<Answer> OverLimit(Side& side, bool write, Time now);
  Answer LimitedAnswer(const Side& side, Time now);
  Answer Execute(Side& side, const Operation& operation, const Request& request, Time now);
  Answer ExecuteOnSubject(Side& side, Repository& repository, const Operation& operation, const Request& request,
                          Time now);
  static Answer Membership(const Side& side, const Operation& operation);
  static Answer Contents(const Side& side, const Repository& repository, const Operation& operation,
                         const Request& request);
  // As an App writes: its login is the bot's, with "[bot]" behind it.
  std::string AppSlug() const;
  nlohmann::json DescribeCheck(const Repository& repository, const CheckRun& check) const;
  Answer AnswerApp(const Side& side, const Operation& operation, const Request& request, Time now);
  Answer ExecuteOnCommit(Side& side, Repository& repository, const Operation& operation, const Request& request);
  Answer ListReviewComments(const Side& side, const Subject& subject, const Request& request) const;
  static ReviewComment* FindReviewComment(Subject& subject, int64_t id);
  static Answer ShowReviewComment(const Side& side, Repository& repository, const Operation& operation);
  Answer CreateReview(const Side& side, Subject& subject, const nlohmann::json& body, Time now);
  Answer ReplyByCall(const Side& side, Subject& subject, const Operation& operation, const nlohmann::json& body,
                     Time now);
  // nullopt: it is no comment at a line.
  std::optional<Answer> CommentAtLine(Subject& subject, const nlohmann::json& body, Time now);
  Answer EditByCall(Side& side, Repository& repository, const Operation& operation, const Request& request, Time now);
  Answer ReactByCall(Side& side, Repository& repository, const Operation& operation, const Request& request);
  Answer ListPulls(Side& side, Repository& repository, const Request& request);
  Answer CreatePull(Side& side, Repository& repository, const Request& request, Time now);
  Answer EditPull(Side& side, const Repository& repository, Subject& subject, const nlohmann::json& body, Time now);
  static Answer AskForReview(const Side& side, Subject& subject, const nlohmann::json& body);
  // Where the pull request's branch is now, as the real repositories have it.
  void Refresh(const Side& side, const Repository& repository, Subject& subject);
  Answer ListIssues(const Side& side, const Repository& repository, const Request& request) const;
  Answer ListDeliveries(const Side& side, const Operation& operation, const Request& request) const;
  Answer Page(const Side& side, const Request& request, const std::vector<nlohmann::json>& items) const;
  // Writes whose answer was lost and that appear now.
  // What was late and is due, or what `lands` says yes to, happens.
  void Land(Time now);
  void Land(Time now, const std::function<bool(const LateWrite&)>& lands);
  void Tell(Side& side, const ForgeChange& happening, Time now);
  void Tell(Side& side, const std::string& repository, Dialect::Payload payload, Time now);
  void Enqueue(Delivery delivery, Time due);
  std::string NewGuid();

  StateOptions options_;
  std::optional<GitRoot> git_;
  FaultSource random_;
  std::array<Side, 2> sides_;
  std::vector<LateWrite> late_;
  std::deque<Delivery> deliveries_;             // the id is the place, from 1
  std::set<std::pair<Time, int64_t>> waiting_;  // not handed out yet
  size_t unsettled_ = 0;
  std::deque<Call> calls_;
  std::set<std::string> app_tokens_;
  int64_t checks_ = 0;  // check runs and statuses
  int64_t comments_ = 100;
  int64_t reactions_ = 0;
  Jenkins jenkins_;
};

// "sha256=" and the hex HMAC of the body.
std::string SignBody(const std::string& secret, const std::string& body);

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_STATE_H_
