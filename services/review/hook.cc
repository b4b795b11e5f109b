#include "services/review/hook.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/algorithm/container.h"

namespace yardmaster {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxHookPaths = 100;

// By the enumerators.
constexpr std::string_view kHosts[] = {"claude", "opencode", "plain"};
constexpr std::string_view kEvents[] = {"pre-edit", "post-edit", "pre-shell", "post-shell", "stop"};
// What hosts call the events.
constexpr const char* kHostEvents[] = {"PreToolUse", "PostToolUse", "PreToolUse", "PostToolUse", "Stop"};

const char* EventName(HookEvent event) { return kHostEvents[static_cast<size_t>(event)]; }

template <typename Enum, size_t N>
std::optional<Enum> FromName(const std::string_view (&names)[N], std::string_view name) {
  const auto it = absl::c_find(names, name);
  return it == std::end(names) ? std::nullopt : std::optional(static_cast<Enum>(it - std::begin(names)));
}

std::string Text(const Json& object, std::string_view key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

void AddPath(std::string path, HookInput& input) {
  if (path.empty() || input.paths.size() == kMaxHookPaths) return;
  if (!absl::c_linear_search(input.paths, path)) input.paths.push_back(std::move(path));
}

// Paths and the command of one object of the message.
void ReadTool(const Json& object, HookInput& input) {
  static constexpr std::array<std::string_view, 5> kPathKeys = {"file_path", "filePath", "path", "target_file",
                                                                "notebook_path"};
  if (!object.is_object()) return;
  for (const std::string_view key : kPathKeys) AddPath(Text(object, key), input);
  for (const char* list : {"files", "paths", "edits"}) {
    const auto it = object.find(list);
    if (it == object.end() || !it->is_array()) continue;
    for (const Json& entry : *it) {
      if (entry.is_string()) AddPath(entry.get<std::string>(), input);
      if (!entry.is_object()) continue;
      for (const std::string_view key : kPathKeys) AddPath(Text(entry, key), input);
    }
  }
  if (input.command.empty()) input.command = Text(object, "command");
}

void AddOutput(const std::string& text, ShellResult& result) {
  if (text.empty() || result.output.size() > kMaxHookBytes) return;
  if (!result.output.empty() && !result.output.ends_with('\n')) result.output += '\n';
  result.output += text;
}

// How a command ended, of one object of the message; false if it says nothing of that.
bool ReadResult(const Json& json, ShellResult& result) {
  if (json.is_string()) {
    AddOutput(json.get<std::string>(), result);
    return true;
  }
  if (!json.is_object()) return false;
  bool told = false;
  for (const char* key : {"stdout", "stderr", "output", "content", "text"}) {
    const auto it = json.find(key);
    if (it == json.end()) continue;
    if (it->is_string()) {
      AddOutput(it->get<std::string>(), result);
      told = true;
    }
    // Pieces of text, as [{"type": "text", "text": "…"}].
    for (size_t i = 0; it->is_array() && i < it->size() && i < kMaxHookPaths; ++i) {
      told = ((*it)[i].is_string() || (*it)[i].is_object()) && ReadResult((*it)[i], result) ? true : told;
    }
  }
  for (const char* key : {"exit_code", "exitCode", "exit", "code", "returncode", "returnCode"}) {
    const auto it = json.find(key);
    if (it == json.end() || !it->is_number_integer() || result.exit_code.has_value()) continue;
    result.exit_code = static_cast<int>(it->get<int64_t>());
    told = true;
  }
  for (const char* key : {"is_error", "isError", "interrupted", "error"}) {
    const auto it = json.find(key);
    if (it == json.end()) continue;
    const bool says_so = (it->is_boolean() && it->get<bool>()) || (it->is_string() && !it->get<std::string>().empty());
    if (it->is_string()) AddOutput(it->get<std::string>(), result);
    result.failed = result.failed || says_so;
    told = told || says_so;
  }
  if (const auto metadata = json.find("metadata"); metadata != json.end() && metadata->is_object()) {
    // Its output is the same once more.
    ShellResult beside;
    if (ReadResult(*metadata, beside)) {
      if (!told) result.output = beside.output;
      if (!result.exit_code.has_value()) result.exit_code = beside.exit_code;
      result.failed = result.failed || beside.failed;
      told = true;
    }
  }
  return told;
}

std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string Together(const std::string& first, const std::string& second) {
  if (first.empty() || second.empty()) return first + second;
  return first + (first.ends_with('\n') ? "" : "\n") + second;
}

std::string ClaudeReply(HookEvent event, const HookAnswer& answer) {
  Json specific{{"hookEventName", EventName(event)}};
  if (event == HookEvent::kStop)
    return answer.block ? Dump(Json{{"decision", "block"}, {"reason", answer.reason}}) : "";
  if (event == HookEvent::kPreEdit || event == HookEvent::kPreShell) {
    if (!answer.block) {
      if (answer.context.empty()) return "";
      specific["additionalContext"] = answer.context;
      return Dump(Json{{"hookSpecificOutput", std::move(specific)}});
    }
    specific["permissionDecision"] = "deny";
    specific["permissionDecisionReason"] = answer.reason;
    return Dump(Json{{"hookSpecificOutput", std::move(specific)}});
  }
  // The reason stands in the context, too: a writer finds it wherever its host shows the one or the other.
  const std::string context = answer.block ? Together(answer.reason, answer.context) : answer.context;
  Json json = Json::object();
  if (answer.block) {
    json["decision"] = "block";
    json["reason"] = answer.reason;
  }
  specific["additionalContext"] = context;
  json["hookSpecificOutput"] = std::move(specific);
  return Dump(json);
}

std::string OpenCodeReply(HookEvent event, const HookAnswer& answer) {
  Json specific{{"hookEventName", EventName(event)}, {"decision", answer.block ? "block" : "allow"}};
  if (answer.block) specific["reason"] = answer.reason;
  specific["additionalContext"] = answer.context;
  return Dump(Json{{"hookSpecificOutput", std::move(specific)}});
}

}  // namespace

std::optional<HookHost> HookHostFromName(std::string_view name) { return FromName<HookHost>(kHosts, name); }

std::optional<HookEvent> HookEventFromName(std::string_view name) { return FromName<HookEvent>(kEvents, name); }

std::optional<HookInput> ParseHookInput(std::string_view text, std::string& error) {
  if (text.size() > kMaxHookBytes) {
    error = "more than " + std::to_string(kMaxHookBytes) + " bytes, the limit";
    return std::nullopt;
  }
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    error = "expected one JSON object from the host";
    return std::nullopt;
  }
  HookInput input;
  for (const char* key : {"cwd", "directory", "worktree"}) {
    if (input.cwd.empty()) input.cwd = Text(json, key);
  }
  for (const char* key : {"tool_name", "tool"}) {
    if (input.tool.empty()) input.tool = Text(json, key);
  }
  ReadTool(json, input);
  for (const char* key : {"tool_input", "args", "input"}) {
    const auto it = json.find(key);
    if (it == json.end()) continue;
    ReadTool(*it, input);
    if (it->is_object() && it->contains("args")) ReadTool((*it)["args"], input);
  }
  if (const auto output = json.find("output"); output != json.end() && output->is_object()) {
    if (output->contains("args")) ReadTool((*output)["args"], input);
  }
  ShellResult result;
  bool told = false;
  for (const char* key : {"tool_response", "tool_output", "output", "result"}) {
    const auto it = json.find(key);
    if (it != json.end()) told = ReadResult(*it, result) || told;
  }
  // Beside the command itself: only how it ended.
  for (const char* key : {"exit_code", "exitCode", "is_error", "error"}) {
    const auto it = json.find(key);
    if (it != json.end()) told = ReadResult(Json{{key, *it}}, result) || told;
  }
  if (told) input.result = std::move(result);
  const auto active = json.find("stop_hook_active");
  input.stopping_again = active != json.end() && active->is_boolean() && active->get<bool>();
  return input;
}

HookReply ReplyOf(HookHost host, HookEvent event, const HookAnswer& given, bool inform_only) {
  HookAnswer answer = given;
  if (inform_only && answer.block) answer = {false, "", Together(given.reason, given.context)};
  if (!answer.block && answer.context.empty()) return {};
  switch (host) {
    case HookHost::kClaude:
      return {ClaudeReply(event, answer), false};
    case HookHost::kOpenCode:
      return {OpenCodeReply(event, answer), false};
    case HookHost::kPlain:
      return {answer.block ? answer.reason : answer.context, answer.block};
  }
  return {};
}

}  // namespace yardmaster
