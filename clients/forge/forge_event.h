// What a forge tells by a webhook, in words that no forge owns. A payload may be older than its subject by the time it
// is read: what it says tells whether anything changed and whether it is worth asking the forge, no more.
#ifndef YARDMASTER_CLIENTS_FORGE_FORGE_EVENT_H_
#define YARDMASTER_CLIENTS_FORGE_FORGE_EVENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/forge/forge.h"

namespace yardmaster {

enum class ForgeEventKind : uint8_t {
  kOpened,
  kReopened,
  kEdited,         // title or body
  kLabelsChanged,  // a label was added or removed
  kCommented,
  kCommentEdited,
  kClosed,     // closed or merged
  kPushed,     // new commits: of a pull request, or of the repository where there is no number
  kReady,      // a pull request that was a draft is none any more
  kRequested,  // somebody asked for a check to run again
};

// What a payload says about its subject.
struct SubjectFacts {
  std::optional<std::string> title;
  std::optional<std::string> body;  // null in the payload is the empty text
  std::optional<std::vector<std::string>> labels;
  std::optional<bool> open;
  std::optional<bool> draft;  // of pull requests
  std::string author;

  // Everything that a comparison with what was seen before needs.
  bool Complete() const { return title.has_value() && body.has_value() && labels.has_value() && open.has_value(); }
  // SHA-256 over title, body, sorted labels and state, 16 hex characters. Only for complete facts.
  std::string Digest() const;
};

struct ForgeEvent {
  ForgeEventKind kind = ForgeEventKind::kOpened;
  // The number is 0 for events about a repository, and for kRequested where the forge names only the head.
  ForgeSubject subject;
  // The head of the pull request, or what a branch of the repository was pushed to; empty: the forge does not say.
  std::string head;
  std::string actor;  // login of who did it; empty if unknown
  bool actor_is_bot = false;
  SubjectFacts facts;
  // What was written: the comment, or for kOpened and kEdited the opening post; and by whom, which is another account
  // than the actor where somebody edits what others wrote.
  std::string text;
  std::string text_author;
  bool text_author_is_bot = false;
  int64_t comment = 0;  // the forge's id of the comment; 0 if it did not say
  std::string check;    // kRequested: the name of the check that is asked for again; empty: all of ours
  // kLabelsChanged: the one label that was added or removed, where the forge says so. A forge that sends the whole set
  // instead leaves both empty; what was added is then known from what was seen before.
  std::string label_added;
  std::string label_removed;
};

// One delivery as it came in.
struct WebhookDelivery {
  std::string_view event;      // the forge's own name of the event: a header's value
  std::string_view bot_login;  // our own account; empty if unknown
  // What the scope of the secret was checked for; empty if that was not needed.
  std::string_view repository;
};

// What a delivery turned out to be: an event, or the reason why there is none.
struct WebhookReading {
  std::optional<ForgeEvent> event;
  // Without an event: a word of services/core/reasons.h, perhaps with a detail.
  std::string reason;
  // As far as they are known, with or without an event.
  std::string action;
  ForgeSubject subject;
};

// Pure: looks at no store, no clock and no network, and contacts nothing that a payload names.
using ReadWebhook = WebhookReading (*)(const WebhookDelivery& delivery, std::string_view body);

// Deeper payloads are ignored with a reason. Real ones stay below 20.
inline constexpr size_t kMaxPayloadDepth = 64;
inline constexpr size_t kMaxPayloadValues = 400'000;

// Logins are compared without ASCII case, as forges do. False for empty ones.
bool SameLogin(std::string_view a, std::string_view b);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_FORGE_EVENT_H_
