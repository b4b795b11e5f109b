#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "services/intake/reasons.h"
#include "services/intake/router.h"

namespace yardmaster {
namespace {

using nlohmann::json;

json IssueHook(const std::string& action) {
  return {{"object_kind", "issue"},
          {"uuid", "4_abc"},
          {"user", {{"id", "71"}, {"name", "Alice"}, {"username", "alice"}}},
          {"project", {{"path_with_namespace", "mindspore/hyper-parallel"}, {"visibility_level", 20}}},
          {"repository", {{"name", "hyper-parallel"}}},
          {"object_attributes",
           {{"id", 900001},
            {"iid", "34"},
            {"title", "DTensor 报错"},
            {"description", "见日志"},
            {"state", "opened"},
            {"action", action}}},
          {"labels", {{{"title", "kind/bug"}}}}};
}

json MergeRequestHook(const std::string& action, const std::string& state) {
  json body = IssueHook(action);
  body["object_kind"] = "merge_request";
  body["object_attributes"]["iid"] = 7;
  body["object_attributes"]["state"] = state;
  body["merge_request"] = body["object_attributes"];
  return body;
}

json NoteHook(const std::string& on) {
  json body = IssueHook("");
  body["object_kind"] = "note";
  body["object_attributes"] = {{"id", "5"}, {"note", "补充信息"}, {"noteable_type", on}, {"system", 0}};
  if (on == "Issue")
    body["issue"] = {{"iid", 34}, {"state", "opened"}, {"title", "t"}, {"author", {{"username", "alice"}}}};
  if (on == "MergeRequest") body["merge_request"] = {{"iid", 7}, {"state", "opened"}};
  return body;
}

RouteResult Route(const std::string& event, const json& body) {
  const RouteContext context{
      .forge = "gitcode", .event = event, .delivery_id = "d-1", .bot_login = "yardbot", .repository = ""};
  return RouteGitCode(context, body.dump());
}

TEST(RouteGitCode, EventsCarryWhatWasWrittenAndByWhom) {
  const RouteResult opened = Route("Issue Hook", IssueHook("open"));
  EXPECT_EQ(opened.routed->event.text(), "见日志");
  EXPECT_EQ(opened.routed->event.text_author(), "alice");
  RouteResult note = Route("Note Hook", NoteHook("Issue"));
  EXPECT_EQ(note.routed->event.kind(), v1::Event::KIND_COMMENTED);
  EXPECT_EQ(note.routed->event.comment(), "5");
  EXPECT_EQ(note.routed->event.text(), "补充信息");
  EXPECT_EQ(note.routed->event.text_author(), "alice");
  json edited = NoteHook("Issue");
  edited["object_attributes"]["action"] = "update";
  note = Route("Note Hook", edited);
  ASSERT_TRUE(note.routed.has_value()) << note.reason;
  EXPECT_EQ(note.routed->event.kind(), v1::Event::KIND_COMMENT_EDITED);
  EXPECT_EQ(note.routed->event.text_author(), "") << "the sender need not be the writer";
}

TEST(RouteGitCode, OpenedIssueWithItsNumberAsAString) {
  const RouteResult result = Route("Issue Hook", IssueHook("open"));
  ASSERT_TRUE(result.routed.has_value()) << result.reason;
  EXPECT_EQ(result.routed->event.kind(), v1::Event::KIND_OPENED);
  EXPECT_EQ(result.subject.number(), 34);
  EXPECT_EQ(result.subject.repository(), "mindspore/hyper-parallel");
  EXPECT_EQ(result.routed->event.actor(), "alice");
  EXPECT_EQ(result.routed->facts.author, "alice");
  EXPECT_EQ(result.routed->facts.body, "见日志");
  EXPECT_EQ(result.routed->facts.labels, std::vector<std::string>{"kind/bug"});
  EXPECT_EQ(result.routed->facts.open, true);
}

TEST(RouteGitCode, EachActionHasItsKind) {
  EXPECT_EQ(Route("Issue Hook", IssueHook("reopen")).routed->event.kind(), v1::Event::KIND_REOPENED);
  EXPECT_EQ(Route("Issue Hook", IssueHook("close")).routed->event.kind(), v1::Event::KIND_CLOSED);
  EXPECT_EQ(Route("Issue Hook", IssueHook("update")).routed->event.kind(), v1::Event::KIND_EDITED);
  json labels = IssueHook("update");
  labels["changes"] = {{"labels", {{"current", json::array()}}}};
  EXPECT_EQ(Route("Issue Hook", labels).routed->event.kind(), v1::Event::KIND_LABELS_CHANGED);
  EXPECT_EQ(reasons::WordOf(Route("Issue Hook", IssueHook("dance")).reason), reasons::kUnusedAction);
}

TEST(RouteGitCode, MergeIsKnownByTheStateWhateverTheActionSays) {
  EXPECT_EQ(Route("Merge Request Hook", MergeRequestHook("update", "merged")).routed->event.kind(),
            v1::Event::KIND_CLOSED);
  EXPECT_EQ(Route("Merge Request Hook", MergeRequestHook("merge", "merged")).routed->event.kind(),
            v1::Event::KIND_CLOSED);
  EXPECT_EQ(Route("Merge Request Hook", MergeRequestHook("open", "opened")).routed->event.kind(),
            v1::Event::KIND_OPENED);
  EXPECT_EQ(Route("Merge Request Hook", MergeRequestHook("open", "opened")).subject.kind(),
            v1::SUBJECT_KIND_PULL_REQUEST);
}

TEST(RouteGitCode, UpdateWithNewCommitsIsAPush) {
  json body = MergeRequestHook("update", "opened");
  EXPECT_EQ(Route("Merge Request Hook", body).routed->event.kind(), v1::Event::KIND_EDITED);
  body["object_attributes"]["oldrev"] = "abc";
  EXPECT_EQ(Route("Merge Request Hook", body).routed->event.kind(), v1::Event::KIND_PUSHED);
  body["object_attributes"]["oldrev"] = "";
  body["object_attributes"]["update_reason"] = "source update";
  EXPECT_EQ(Route("Merge Request Hook", body).routed->event.kind(), v1::Event::KIND_PUSHED);
}

TEST(RouteGitCode, NotesOnIssuesMergeRequestsAndCommits) {
  RouteResult result = Route("Note Hook", NoteHook("Issue"));
  ASSERT_TRUE(result.routed.has_value()) << result.reason;
  EXPECT_EQ(result.routed->event.kind(), v1::Event::KIND_COMMENTED);
  EXPECT_EQ(result.routed->comment_id, 5);
  EXPECT_EQ(result.subject.number(), 34);
  result = Route("Note Hook", NoteHook("MergeRequest"));
  ASSERT_TRUE(result.routed.has_value());
  EXPECT_EQ(result.subject.kind(), v1::SUBJECT_KIND_PULL_REQUEST);
  EXPECT_EQ(reasons::WordOf(Route("Note Hook", NoteHook("Commit")).reason), reasons::kUnusedAction);
}

TEST(RouteGitCode, SystemNotesInAnyTypeAndOwnNotesAreIgnored) {
  for (const json& flag : {json(true), json(1), json("true"), json("1")}) {
    json body = NoteHook("Issue");
    body["object_attributes"]["system"] = flag;
    EXPECT_EQ(Route("Note Hook", body).reason, reasons::kSystemNote) << flag;
  }
  json own = NoteHook("Issue");
  own["user"]["username"] = "YardBot";
  EXPECT_EQ(Route("Note Hook", own).reason, reasons::kOwnAction);
}

TEST(RouteGitCode, PushesAndTags) {
  json push = {{"object_kind", "push"},
               {"ref", "refs/heads/master"},
               {"user_username", "alice"},
               {"project", {{"path_with_namespace", "o/r"}}}};
  RouteResult result = Route("Push Hook", push);
  ASSERT_TRUE(result.routed.has_value());
  EXPECT_EQ(result.routed->event.kind(), v1::Event::KIND_PUSHED);
  EXPECT_EQ(result.routed->event.actor(), "alice");
  push["ref"] = "refs/tags/v1";
  EXPECT_EQ(reasons::WordOf(Route("Push Hook", push).reason), reasons::kUnknownEvent);
  EXPECT_EQ(reasons::WordOf(Route("Tag Push Hook", push).reason), reasons::kUnknownEvent);
  EXPECT_EQ(Route("Release Hook", push).reason, "unknown-event: Release Hook");
}

TEST(RouteGitCode, IdentityComesFromTheProjectOnly) {
  json body = IssueHook("open");
  body["repository"]["path_with_namespace"] = "evil/other";
  EXPECT_EQ(Route("Issue Hook", body).subject.repository(), "mindspore/hyper-parallel");
  body.erase("project");
  EXPECT_EQ(Route("Issue Hook", body).reason, reasons::kNoRepository);
  body["project"] = {{"path_with_namespace", "a/b/../c"}};
  EXPECT_EQ(reasons::WordOf(Route("Issue Hook", body).reason), reasons::kMalformed);
}

TEST(RouteGitCode, WrongTypesAreMalformedAndNeverANumber) {
  for (const json& value : {json(true), json(nullptr), json("x"), json(0), json(-3), json::object()}) {
    json body = IssueHook("open");
    body["object_attributes"]["iid"] = value;
    EXPECT_EQ(reasons::WordOf(Route("Issue Hook", body).reason), reasons::kMalformed) << value;
  }
  json body = IssueHook("open");
  body["object_attributes"] = "x";
  EXPECT_EQ(reasons::WordOf(Route("Issue Hook", body).reason), reasons::kMalformed);
}

}  // namespace
}  // namespace yardmaster
