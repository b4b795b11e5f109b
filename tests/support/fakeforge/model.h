// What a forge keeps.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_MODEL_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_MODEL_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yardmaster::fakeforge {

using Time = std::chrono::system_clock::time_point;

struct Comment {
  int64_t id = 0;
  std::string user;
  std::string body;
  Time created;
  Time updated = {};                              // by an edit; else the beginning of time
  int edits = 0;                                  // how often its text was replaced
  std::map<std::string, int64_t> reactions = {};  // "login content" → id
};

// A comment at a line of a pull request's files, or an answer to one.
struct ReviewComment {
  int64_t id = 0;
  std::string user;
  std::string body;
  std::string path;
  int64_t line = 0;         // of the new side; 0: the whole file
  std::string commit;       // the head that it was made for
  int64_t in_reply_to = 0;  // 0: it is no answer
  Time created;
};

struct CheckRun {
  int64_t id = 0;
  std::string name;
  std::string head;
  std::string external_id;
  std::string status = "queued";
  std::string conclusion;  // empty until it has ended
  std::string title;
  std::string summary;
  nlohmann::json annotations = nlohmann::json::array();  // as they were sent
  nlohmann::json actions = nlohmann::json::array();
  int updates = 0;
};

struct CommitStatus {
  int64_t id = 0;
  std::string head;
  std::string user;
  std::string state;
  std::string context;
  std::string description;
  std::string url;
};

struct LabelChange {
  std::string label;
  bool added = true;
  std::string user;
  Time at;
};

// An issue or a pull request.
struct Subject {
  int64_t number = 0;
  bool pull = false;
  std::string title;
  std::string body;  // empty: null in answers and payloads
  bool open = true;
  std::string user;
  std::vector<std::string> labels;
  std::map<std::string, int> additions;      // label → how often it was put on
  std::map<std::string, int> removals;       // label → how often it was taken off
  std::map<std::string, int64_t> reactions;  // to the opening post: "login content" → id
  std::vector<Comment> comments;
  // Of pull requests.
  nlohmann::json files = nlohmann::json::array();  // as …/files answers
  std::vector<ReviewComment> review_comments;
  int reviews = 0;                     // how many reviews made them
  std::vector<std::string> reviewers;  // that were asked
  bool follows_branch = false;         // its head is read from the real repository at every look
  bool draft = false;
  bool merged = false;
  bool maintainers_may_edit = false;
  std::string base_ref;  // empty: the default branch
  std::string base_sha = std::string(40, '0');
  std::string head_ref = "topic";
  std::string head_sha = std::string(40, '1');
  std::string head_repository;  // empty: the repository itself; "-": it is gone
  Time head_at;                 // when its head was committed
  std::vector<LabelChange> label_changes;
  std::vector<std::pair<bool, Time>> queue_changes;  // into GitHub's merge queue (true), and out of it
  Time created;
  Time updated;
};

struct Repository {
  std::string full_name;
  std::string default_branch;     // empty: what the dialect says
  bool comments_editable = true;  // false: 405
  // nullopt: the repository does not show its labels, and takes any.
  std::optional<std::vector<std::string>> labels;
  // Its webhooks, as they are answered; nullopt: the caller may not see them.
  std::optional<nlohmann::json> hooks;
  bool contents_readable = true;       // false: 403
  bool is_private = false;             // who has no permission may not read it either
  std::vector<CheckRun> checks;        // oldest first
  std::vector<CommitStatus> statuses;  // oldest first
  std::vector<nlohmann::json> suites;  // check suites of every commit, as they are answered
  std::vector<nlohmann::json> runs;    // of GitCode's Actions, as they are answered
  // Of pipelines by the number of their pull request, as they are answered; newest first.
  std::map<int64_t, std::vector<nlohmann::json>> pipelines;
  std::vector<std::string> required_checks;  // by GitHub's rules, of every branch
  std::vector<std::string> made;             // labels that came about by adding them
  std::map<std::pair<bool, int64_t>, Subject> subjects;
  std::map<std::string, std::string> contents;     // path, or path@ref for one branch or commit only → text
  std::map<std::string, std::string> permissions;  // login → "read", "write", "admin"
};

// What a webhook tells.
enum class Action : uint8_t {
  kOpened,
  kReopened,
  kEdited,
  kClosed,
  kLabeled,
  kUnlabeled,
  kCommented,
  kCommentEdited,
  kPushed,  // to a pull request
  kReady,   // a draft is none any more
  kDrafted,
};

struct ForgeChange {
  Action action = Action::kOpened;
  const Repository& repository;
  const Subject& subject;
  std::string actor;
  std::string label = {};            // kLabeled, kUnlabeled
  const Comment* comment = nullptr;  // kCommented, kCommentEdited
  std::string before = {};           // kEdited, kCommentEdited: the text; kPushed: the head

  bool AboutComment() const { return action == Action::kCommented || action == Action::kCommentEdited; }
};

// One attempt to deliver a webhook.
struct Delivery {
  int64_t id = 0;
  std::string guid;  // shared by all attempts
  std::string forge;
  std::string repository;
  std::string event;
  std::string action;
  std::string body;
  Time due;
  bool taken = false;    // handed out for sending
  bool settled = false;  // the answer is known
  int status = 0;        // 0: no answer
  bool redelivery = false;
  Time delivered;
};

// A call to a forge, as recorded.
struct Call {
  std::string forge;
  std::string method;
  std::string target;
  std::string body;  // the beginning
  int status = 0;    // 0: the answer was lost
  std::string fault;
  bool expected = true;
};

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_MODEL_H_
