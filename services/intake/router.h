// From a forge's payload to an Event: pure functions, one file for each forge. Nothing here looks at a store, a clock
// or the network, and nothing from a payload is ever contacted.
#ifndef YARDMASTER_SERVICES_INTAKE_ROUTER_H_
#define YARDMASTER_SERVICES_INTAKE_ROUTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/config/config.h"
#include "yardmaster/v1/event.pb.h"

namespace yardmaster {

// What a payload says about its subject. A payload may be older than the subject by the time it is read: these facts
// tell whether anything changed and whether it is worth asking the forge; plans are made from fresh reads.
struct SubjectFacts {
  std::optional<std::string> title;
  std::optional<std::string> body;  // null in the payload is the empty text
  std::optional<std::vector<std::string>> labels;
  std::optional<bool> open;
  std::string author;

  // Everything that a comparison with what was seen before needs.
  bool Complete() const { return title.has_value() && body.has_value() && labels.has_value() && open.has_value(); }
  // SHA-256 over title, body, sorted labels and state, 16 hex characters. Only for complete facts.
  std::string Digest() const;
};

// What happened, and what the payload tells about it.
struct RoutedEvent {
  v1::Event event;
  SubjectFacts facts;
  // KIND_LABELS_CHANGED: the one label that was added or removed, where the forge says so. A forge that sends the whole
  // set instead leaves both empty; what was added is then known from what was seen before.
  std::string label_added;
  std::string label_removed;
  // KIND_COMMENTED.
  int64_t comment_id = 0;
};

// The outcome of routing one delivery: an event, or the reason why there is none.
struct RouteResult {
  std::optional<RoutedEvent> routed;
  // Without an event: a word of reasons.h, perhaps with a detail.
  std::string reason;
  // As far as they are known, with or without an event.
  std::string action;
  v1::Subject subject;  // the number is 0 for events about a repository
};

struct RouteContext {
  std::string_view forge;        // the name in the configuration
  std::string_view event;        // the forge's own name of the event: a header's value
  std::string_view delivery_id;  // becomes Event.id
  std::string_view bot_login;    // our own account; empty if unknown
  // What the scope was checked for at the door; empty if the door did not need it.
  std::string_view repository;
};

// Deeper payloads are ignored with a reason. Real ones stay below 20.
inline constexpr size_t kMaxPayloadDepth = 64;
inline constexpr size_t kMaxPayloadValues = 400'000;

using RouteFunction = RouteResult (*)(const RouteContext& context, std::string_view body);

RouteResult RouteGitHub(const RouteContext& context, std::string_view body);
RouteResult RouteGitCode(const RouteContext& context, std::string_view body);

// Logins are compared without ASCII case, as forges do.
bool SameLogin(std::string_view a, std::string_view b);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_ROUTER_H_
