// What a writer says to a git server: "take this ref from here to there, with these objects", and what the server says
// to that. Pure; see gitprotocol-pack(5).
#ifndef YARDMASTER_CLIENTS_GIT_RECEIVE_PACK_H_
#define YARDMASTER_CLIENTS_GIT_RECEIVE_PACK_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/git/upload_pack.h"

namespace yardmaster {

// Where a server's refs are, as it greets a writer.
struct ReceivePackGreeting {
  // With those that it has although no ref of its own names them, such as a fork's upstream: they are called ".have".
  std::vector<GitRef> refs;
  bool reports = false;  // it tells what became of a push
};

// Reads the answer to GET info/refs?service=git-receive-pack. nullopt and `error` if it is none, or of another kind of
// object names.
std::optional<ReceivePackGreeting> ParseReceiveGreeting(std::string_view body, std::string& error);

// One ref that moves. Object names are 40 hex digits; empty: there is none.
struct RefMove {
  std::string ref;
  std::string old_id;  // where it must be: the server compares under its lock, and else does nothing
  std::string new_id;
};

// The body of POST git-receive-pack. `pack`: the objects that the server lacks; empty: none, also where the
// ref is removed.
std::string PushRequest(const RefMove& move, std::string_view pack, std::string_view agent);

// What became of a push.
struct PushReport {
  bool done = false;
  std::string refusal;  // else: why not, in the server's words
};

// Reads the answer to that. nullopt and `error` if it is none.
std::optional<PushReport> ParsePushReport(std::string_view body, const std::string& ref, std::string& error);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_RECEIVE_PACK_H_
