#include "services/review/hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Json = nlohmann::json;

TEST(HookInput, FindsTheFileWhereTheHostsPutIt) {
  std::string error;
  const auto claude = ParseHookInput(
      R"({"cwd": "/w", "hook_event_name": "PostToolUse", "tool_name": "Write",
          "tool_input": {"file_path": "/w/demo_impl.py", "content": "x"}, "tool_response": {"filePath": "/other"}})",
      error);
  ASSERT_TRUE(claude.has_value()) << error;
  EXPECT_EQ(claude->cwd, "/w");
  EXPECT_EQ(claude->tool, "Write");
  EXPECT_THAT(claude->paths, ElementsAre("/w/demo_impl.py"));

  const auto opencode =
      ParseHookInput(R"({"tool": "edit", "directory": "/w", "args": {"filePath": "demo_impl.py"}})", error);
  ASSERT_TRUE(opencode.has_value());
  EXPECT_EQ(opencode->cwd, "/w");
  EXPECT_THAT(opencode->paths, ElementsAre("demo_impl.py"));

  const auto nested = ParseHookInput(R"({"input": {"tool": "write"}, "output": {"args": {"path": "a.py"}}})", error);
  EXPECT_THAT(nested->paths, ElementsAre("a.py"));
  const auto shell = ParseHookInput(R"({"tool_input": {"command": "rm x"}, "stop_hook_active": true})", error);
  EXPECT_EQ(shell->command, "rm x");
  EXPECT_TRUE(shell->stopping_again);
  const auto several =
      ParseHookInput(R"({"args": {"edits": [{"file_path": "a"}, {"file_path": "b"}, {"file_path": "a"}]}})", error);
  EXPECT_THAT(several->paths, ElementsAre("a", "b"));
}

TEST(HookInput, OtherTextsAreErrorsAndOtherToolsTellNothing) {
  std::string error;
  for (const char* text : {"", "x", "[]", "1", "{"}) EXPECT_FALSE(ParseHookInput(text, error).has_value()) << text;
  const auto other = ParseHookInput(R"({"tool_name": "Read", "tool_input": 7, "args": [], "cwd": 1})", error);
  ASSERT_TRUE(other.has_value());
  EXPECT_THAT(other->paths, IsEmpty());
  EXPECT_EQ(other->cwd, "");
}

TEST(HookInput, FindsWhatACommandPrintedAndHowItEnded) {
  struct Case {
    const char* message;
    const char* output;
    std::optional<int> code;
    bool failed;
  };
  const std::vector<Case> cases = {
      {R"({"tool_response": {"stdout": "a", "stderr": "b", "interrupted": false}})", "a\nb", std::nullopt, false},
      {R"({"tool_response": {"stdout": "a", "interrupted": true}})", "a", std::nullopt, true},
      {R"({"tool_response": "text", "exit_code": 2})", "text", 2, false},
      {R"({"tool_response": [], "tool_output": {"content": [{"type": "text", "text": "a"}, "b"], "exitCode": 1}})",
       "a\nb", 1, false},
      {R"({"output": {"title": "t", "output": "a", "metadata": {"output": "a", "exit": 139}}})", "a", 139, false},
      {R"({"output": {"metadata": {"output": "a", "exit": 0}}})", "a", 0, false},
      {R"({"result": "a\n", "error": "died"})", "a\ndied", std::nullopt, true},
      {R"({"output": "", "exit_code": 0})", "", 0, false}};
  for (const Case& one : cases) {
    std::string error;
    const auto input = ParseHookInput(one.message, error);
    ASSERT_TRUE(input.has_value() && input->result.has_value()) << one.message;
    EXPECT_EQ(input->result->output, one.output) << one.message;
    EXPECT_EQ(input->result->exit_code, one.code) << one.message;
    EXPECT_EQ(input->result->failed, one.failed) << one.message;
  }
  std::string error;
  for (const char* nothing : {R"({"tool_input": {"command": "x"}})", R"({"output": {"args": {"command": "x"}}})",
                              R"({"tool_response": null, "output": 7, "exit_code": "1"})"}) {
    EXPECT_FALSE(ParseHookInput(nothing, error)->result.has_value()) << nothing;
  }
}

TEST(HookReply, ClaudeReadsTheDecisionAtTheTopAndTheContextBesideIt) {
  const HookReply reply = ReplyOf(HookHost::kClaude, HookEvent::kPostEdit, {true, "why\n", "more\n"}, false);
  EXPECT_FALSE(reply.negative);
  const Json json = Json::parse(reply.out);
  EXPECT_EQ(json["decision"], "block");
  EXPECT_EQ(json["reason"], "why\n");
  EXPECT_EQ(json["hookSpecificOutput"]["hookEventName"], "PostToolUse");
  EXPECT_EQ(json["hookSpecificOutput"]["additionalContext"], "why\nmore\n");
}

TEST(HookReply, ClaudeIsDeniedAToolByItsPermission) {
  const Json json = Json::parse(ReplyOf(HookHost::kClaude, HookEvent::kPreEdit, {true, "why", ""}, false).out);
  EXPECT_EQ(json["hookSpecificOutput"]["hookEventName"], "PreToolUse");
  EXPECT_EQ(json["hookSpecificOutput"]["permissionDecision"], "deny");
  EXPECT_EQ(json["hookSpecificOutput"]["permissionDecisionReason"], "why");
  EXPECT_FALSE(json.contains("decision"));
  EXPECT_EQ(Json::parse(ReplyOf(HookHost::kClaude, HookEvent::kStop, {true, "why", ""}, false).out),
            Json::parse(R"({"decision": "block", "reason": "why"})"));
}

TEST(HookReply, DeliveredAsContextNothingIsBlocked) {
  const Json json = Json::parse(ReplyOf(HookHost::kClaude, HookEvent::kPostEdit, {true, "why\n", "more\n"}, true).out);
  EXPECT_FALSE(json.contains("decision"));
  EXPECT_EQ(json["hookSpecificOutput"]["additionalContext"], "why\nmore\n");
  const Json open = Json::parse(ReplyOf(HookHost::kOpenCode, HookEvent::kPostEdit, {true, "why", ""}, true).out);
  EXPECT_EQ(open["hookSpecificOutput"]["decision"], "allow");
}

TEST(HookReply, OpenCodeReadsTheDecisionWithinAndPlainHostsTheText) {
  const Json json = Json::parse(ReplyOf(HookHost::kOpenCode, HookEvent::kPostEdit, {true, "why", "more"}, false).out);
  EXPECT_EQ(json, Json::parse(R"({"hookSpecificOutput": {"hookEventName": "PostToolUse", "decision": "block",
                                  "reason": "why", "additionalContext": "more"}})"));
  const HookReply plain = ReplyOf(HookHost::kPlain, HookEvent::kPostEdit, {true, "why\n", "more\n"}, false);
  EXPECT_EQ(plain.out, "why\n");
  EXPECT_TRUE(plain.negative);
}

TEST(HookReply, NothingToSayIsNothing) {
  for (const HookHost host : {HookHost::kClaude, HookHost::kOpenCode, HookHost::kPlain}) {
    for (const HookEvent event : {HookEvent::kPreEdit, HookEvent::kPostEdit, HookEvent::kPostShell, HookEvent::kStop}) {
      const HookReply reply = ReplyOf(host, event, {}, false);
      EXPECT_EQ(reply.out, "");
      EXPECT_FALSE(reply.negative);
    }
  }
}

}  // namespace
}  // namespace yardmaster
