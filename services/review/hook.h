// The protocol of programs that write code and call us around each write: their messages and our answers. Pure.
#ifndef YARDMASTER_SERVICES_REVIEW_HOOK_H_
#define YARDMASTER_SERVICES_REVIEW_HOOK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/review/shell_runs.h"

namespace yardmaster {

enum class HookHost : uint8_t { kClaude, kOpenCode, kPlain };
enum class HookEvent : uint8_t { kPreEdit, kPostEdit, kPreShell, kPostShell, kStop };

// "claude", "opencode", "plain"; "pre-edit", "post-edit", "pre-shell", "post-shell", "stop".
std::optional<HookHost> HookHostFromName(std::string_view name);
std::optional<HookEvent> HookEventFromName(std::string_view name);

// One message; a whole file may be in it.
inline constexpr size_t kMaxHookBytes = 16 * 1024 * 1024;

// The message of the host.
struct HookInput {
  std::string cwd;                    // empty: not told
  std::vector<std::string> paths;     // files of an edit
  std::string command;                // of a shell
  std::string tool;                   // the tool's name as the host says it
  std::optional<ShellResult> result;  // of a shell; nullopt: the host told nothing of how it ended
  bool stopping_again = false;        // the host was kept from stopping before
};

// Reads the host's JSON. What a command printed is looked for under "tool_response", "tool_output", "output" and
// "result": a text, or an object with stdout, stderr, output, content; its exit code beside that, or under "metadata".
// Paths and commands are found where the hosts put them: under "tool_input", "args", "input" or at the top, as
// file_path, filePath, path, target_file, notebook_path or command. nullopt and `error` if the text is no JSON object;
// an object that tells nothing is a message that has no paths.
std::optional<HookInput> ParseHookInput(std::string_view text, std::string& error);

// Our judgement.
struct HookAnswer {
  bool block = false;
  std::string reason;   // why: the block text
  std::string context;  // what else is good to know; empty: nothing
};

// The answer in the host's form.
struct HookReply {
  std::string out;        // for stdout
  bool negative = false;  // exit with 1
};

// The host's shape. A host that reads JSON gets "block" within it and wants the exit code 0; a plain one gets the text
// and the exit code. Nothing to say is an empty text. With `inform_only` nothing is blocked: the reason becomes
// context.
//
// claude: {"decision": "block", "reason", "hookSpecificOutput": {"hookEventName", "additionalContext"}} after a tool,
//   {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason"}}
//   before one, {"decision": "block", "reason"} for a stop.
// opencode: {"hookSpecificOutput": {"hookEventName", "decision": "block"|"allow", "reason", "additionalContext"}}; its
//   plugin throws the reason, so that the writer sees an error of the tool.
HookReply ReplyOf(HookHost host, HookEvent event, const HookAnswer& given, bool inform_only);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_HOOK_H_
