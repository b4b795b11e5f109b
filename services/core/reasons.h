// Why a delivery was ignored or failed: the code that `delivery.reason` begins with. A detail may follow after ": ".
// Scripts may rely on the codes; services/intake/README.md lists them.
#ifndef YARDMASTER_SERVICES_CORE_REASONS_H_
#define YARDMASTER_SERVICES_CORE_REASONS_H_

#include <string>
#include <string_view>

namespace yardmaster::reasons {

// --- Ignored: what arrived is nothing to work on ---

// The body is not JSON, or passes a limit on depth or size, repeats a key, or is not UTF-8. The detail says which.
inline constexpr std::string_view kNotJson = "not-json";
// The body lacks what the event needs, or it has another type. The detail names the member.
inline constexpr std::string_view kMalformed = "malformed-payload";
// The forge sent an event that nothing here uses. The detail names it.
inline constexpr std::string_view kUnknownEvent = "unknown-event";
// A known event with an action that nothing here uses. The detail names it.
inline constexpr std::string_view kUnusedAction = "unused-action";
// The body names no repository: an event about an organisation or an account.
inline constexpr std::string_view kNoRepository = "no-repository";
// The body parses to another repository than the one that the signature's scope was checked for.
inline constexpr std::string_view kRepositoryMismatch = "repository-mismatch";
// The configuration gives this repository no pack.
inline constexpr std::string_view kNoPack = "repository-without-pack";
// The forge tests the webhook.
inline constexpr std::string_view kPing = "ping";
// The same event and body came before under another delivery id.
inline constexpr std::string_view kReplay = "replay";

// --- Ignored: an event that asks for nothing ---

// We did it ourselves.
inline constexpr std::string_view kOwnAction = "own-action";
// A bot did it, and the pack or the event ignores bots.
inline constexpr std::string_view kBot = "bot";
// A message that the forge itself wrote.
inline constexpr std::string_view kSystemNote = "system-note";
// Title, body, labels and state are what they were.
inline constexpr std::string_view kNothingChanged = "nothing-changed";
// No planner works on this kind of subject.
inline constexpr std::string_view kNoPlanner = "no-planner";
// A change that does not start anything.
inline constexpr std::string_view kNoTrigger = "no-trigger";
// The subject is not in the pack's queue: it lacks the entry label.
inline constexpr std::string_view kNotInQueue = "not-in-queue";
// The subject is closed.
inline constexpr std::string_view kClosed = "closed";
// The forge no longer knows the subject.
inline constexpr std::string_view kGone = "subject-gone";
// The subject lives somewhere else now. The detail names the place.
inline constexpr std::string_view kMoved = "subject-moved";
// The subject carries the pack's marker.
inline constexpr std::string_view kMarked = "marker-present";
// A decision about the same text under the same pack revision exists.
inline constexpr std::string_view kDecided = "already-decided";

// Its commands were executed before: an edit that left them as they were, or the same text once more.
inline constexpr std::string_view kKnownCommands = "commands-known";
// The repository says that another bot understands this command.
inline constexpr std::string_view kOtherBot = "another-bot";
// A later push came before this one was reviewed.
inline constexpr std::string_view kSuperseded = "superseded";
// The pull request is a draft, and drafts are not reviewed.
inline constexpr std::string_view kDraft = "draft";
// The pull request changes nothing that is looked at.
inline constexpr std::string_view kNothingToCheck = "nothing-to-check";

// --- Given up (failed) or set aside (dead) ---

// The forge could not be asked, or did not take what we wrote, too often. The detail has the last error.
inline constexpr std::string_view kForgeFailed = "forge-failed";
// An effect failed for good: the forge refused it or it never appeared. The detail has the error.
inline constexpr std::string_view kEffectFailed = "effect-failed";
// A bug of ours: planning failed. The detail has the error.
inline constexpr std::string_view kPlanningFailed = "planning-failed";
// Work on it ended the daemon three times.
inline constexpr std::string_view kCrashed = "crashed";

// "CODE: DETAIL", or the code alone. The detail is cut to what fits a table, control characters become "?".
std::string WithDetail(std::string_view code, std::string_view detail);

// The code of a reason.
std::string_view CodeOf(std::string_view reason);

}  // namespace yardmaster::reasons

#endif  // YARDMASTER_SERVICES_CORE_REASONS_H_
