#include "clients/forge/gitcode/gitcode_webhook.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "services/core/reasons.h"

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

WebhookReading Read(const std::string& event, const json& body) {
  const WebhookDelivery delivery{.event = event, .bot_login = "yardbot", .repository = ""};
  return ReadGitCodeWebhook(delivery, body.dump());
}

TEST(GitCodeWebhook, EventsCarryWhatWasWrittenAndByWhom) {
  const WebhookReading opened = Read("Issue Hook", IssueHook("open"));
  EXPECT_EQ(opened.event->text, "见日志");
  EXPECT_EQ(opened.event->text_author, "alice");
  WebhookReading note = Read("Note Hook", NoteHook("Issue"));
  EXPECT_EQ(note.event->kind, ForgeEventKind::kCommented);
  EXPECT_EQ(note.event->comment, 5);
  EXPECT_EQ(note.event->text, "补充信息");
  EXPECT_EQ(note.event->text_author, "alice");
  json edited = NoteHook("Issue");
  edited["object_attributes"]["action"] = "update";
  note = Read("Note Hook", edited);
  ASSERT_TRUE(note.event.has_value()) << note.reason;
  EXPECT_EQ(note.event->kind, ForgeEventKind::kCommentEdited);
  EXPECT_EQ(note.event->text_author, "") << "the sender need not be the writer";
}

TEST(GitCodeWebhook, OpenedIssueWithItsNumberAsAString) {
  const WebhookReading result = Read("Issue Hook", IssueHook("open"));
  ASSERT_TRUE(result.event.has_value()) << result.reason;
  EXPECT_EQ(result.event->kind, ForgeEventKind::kOpened);
  EXPECT_EQ(result.subject.number, 34);
  EXPECT_EQ(result.subject.repository, "mindspore/hyper-parallel");
  EXPECT_EQ(result.event->actor, "alice");
  EXPECT_EQ(result.event->facts.author, "alice");
  EXPECT_EQ(result.event->facts.body, "见日志");
  EXPECT_EQ(result.event->facts.labels, std::vector<std::string>{"kind/bug"});
  EXPECT_EQ(result.event->facts.open, true);
}

TEST(GitCodeWebhook, EachActionHasItsKind) {
  EXPECT_EQ(Read("Issue Hook", IssueHook("reopen")).event->kind, ForgeEventKind::kReopened);
  EXPECT_EQ(Read("Issue Hook", IssueHook("close")).event->kind, ForgeEventKind::kClosed);
  EXPECT_EQ(Read("Issue Hook", IssueHook("update")).event->kind, ForgeEventKind::kEdited);
  json labels = IssueHook("update");
  labels["changes"] = {{"labels", {{"current", json::array()}}}};
  EXPECT_EQ(Read("Issue Hook", labels).event->kind, ForgeEventKind::kLabelsChanged);
  EXPECT_EQ(reasons::CodeOf(Read("Issue Hook", IssueHook("dance")).reason), reasons::kUnusedAction);
}

TEST(GitCodeWebhook, MergeIsKnownByTheStateWhateverTheActionSays) {
  EXPECT_EQ(Read("Merge Request Hook", MergeRequestHook("update", "merged")).event->kind, ForgeEventKind::kClosed);
  EXPECT_EQ(Read("Merge Request Hook", MergeRequestHook("merge", "merged")).event->kind, ForgeEventKind::kClosed);
  EXPECT_EQ(Read("Merge Request Hook", MergeRequestHook("open", "opened")).event->kind, ForgeEventKind::kOpened);
  EXPECT_TRUE(Read("Merge Request Hook", MergeRequestHook("open", "opened")).subject.pull_request);
}

TEST(GitCodeWebhook, UpdateWithNewCommitsIsAPush) {
  json body = MergeRequestHook("update", "opened");
  EXPECT_EQ(Read("Merge Request Hook", body).event->kind, ForgeEventKind::kEdited);
  body["object_attributes"]["oldrev"] = "abc";
  EXPECT_EQ(Read("Merge Request Hook", body).event->kind, ForgeEventKind::kPushed);
  body["object_attributes"]["oldrev"] = "";
  body["object_attributes"]["update_reason"] = "source update";
  EXPECT_EQ(Read("Merge Request Hook", body).event->kind, ForgeEventKind::kPushed);
}

TEST(GitCodeWebhook, AnUpdateThatLeavesTheHeadWhereItIsIsAnEdit) {
  json body = MergeRequestHook("update", "opened");
  const std::string head(40, 'a');
  body["object_attributes"]["last_commit"] = {{"id", head}};
  body["object_attributes"]["oldrev"] = head;
  WebhookReading result = Read("Merge Request Hook", body);
  ASSERT_TRUE(result.event.has_value()) << result.reason;
  EXPECT_EQ(result.event->kind, ForgeEventKind::kEdited);
  EXPECT_EQ(result.event->head, head);
  body["object_attributes"]["oldrev"] = std::string(40, 'b');
  EXPECT_EQ(Read("Merge Request Hook", body).event->kind, ForgeEventKind::kPushed);
  // The head may stand at the root only.
  body["object_attributes"]["last_commit"]["id"] = "";
  body["git_commit_no"] = std::string(40, 'c');
  EXPECT_EQ(Read("Merge Request Hook", body).event->head, std::string(40, 'c'));
}

TEST(GitCodeWebhook, ADraftThatBecomesReadyIsToldApartFromEdits) {
  json body = MergeRequestHook("update", "opened");
  body["object_attributes"]["work_in_progress"] = 1;
  EXPECT_EQ(Read("Merge Request Hook", body).event->facts.draft, true);
  body["changes"] = {{"work_in_progress", {{"previous", 0}, {"current", 1}}}};
  EXPECT_EQ(Read("Merge Request Hook", body).event->kind, ForgeEventKind::kEdited);
  body["object_attributes"]["work_in_progress"] = 0;
  body["changes"] = {{"work_in_progress", {{"previous", 1}, {"current", 0}}}};
  EXPECT_EQ(Read("Merge Request Hook", body).event->kind, ForgeEventKind::kReady);
}

TEST(GitCodeWebhook, NotesOnIssuesMergeRequestsAndCommits) {
  WebhookReading result = Read("Note Hook", NoteHook("Issue"));
  ASSERT_TRUE(result.event.has_value()) << result.reason;
  EXPECT_EQ(result.event->kind, ForgeEventKind::kCommented);
  EXPECT_EQ(result.event->comment, 5);
  EXPECT_EQ(result.subject.number, 34);
  result = Read("Note Hook", NoteHook("MergeRequest"));
  ASSERT_TRUE(result.event.has_value());
  EXPECT_TRUE(result.subject.pull_request);
  EXPECT_EQ(reasons::CodeOf(Read("Note Hook", NoteHook("Commit")).reason), reasons::kUnusedAction);
}

TEST(GitCodeWebhook, SystemNotesInAnyTypeAndOwnNotesAreIgnored) {
  for (const json& flag : {json(true), json(1), json("true"), json("1")}) {
    json body = NoteHook("Issue");
    body["object_attributes"]["system"] = flag;
    EXPECT_EQ(Read("Note Hook", body).reason, reasons::kSystemNote) << flag;
  }
  json own = NoteHook("Issue");
  own["user"]["username"] = "YardBot";
  EXPECT_EQ(Read("Note Hook", own).reason, reasons::kOwnAction);
}

TEST(GitCodeWebhook, PushesAndTags) {
  json push = {{"object_kind", "push"},
               {"ref", "refs/heads/master"},
               {"user_username", "alice"},
               {"project", {{"path_with_namespace", "o/r"}}}};
  WebhookReading result = Read("Push Hook", push);
  ASSERT_TRUE(result.event.has_value());
  EXPECT_EQ(result.event->kind, ForgeEventKind::kPushed);
  EXPECT_EQ(result.event->actor, "alice");
  push["ref"] = "refs/tags/v1";
  EXPECT_EQ(reasons::CodeOf(Read("Push Hook", push).reason), reasons::kUnknownEvent);
  EXPECT_EQ(reasons::CodeOf(Read("Tag Push Hook", push).reason), reasons::kUnknownEvent);
  EXPECT_EQ(Read("Release Hook", push).reason, "unknown-event: Release Hook");
}

TEST(GitCodeWebhook, IdentityComesFromTheProjectOnly) {
  json body = IssueHook("open");
  body["repository"]["path_with_namespace"] = "evil/other";
  EXPECT_EQ(Read("Issue Hook", body).subject.repository, "mindspore/hyper-parallel");
  body.erase("project");
  EXPECT_EQ(Read("Issue Hook", body).reason, reasons::kNoRepository);
  body["project"] = {{"path_with_namespace", "a/b/../c"}};
  EXPECT_EQ(reasons::CodeOf(Read("Issue Hook", body).reason), reasons::kMalformed);
}

TEST(GitCodeWebhook, WrongTypesAreMalformedAndNeverANumber) {
  for (const json& value : {json(true), json(nullptr), json("x"), json(0), json(-3), json::object()}) {
    json body = IssueHook("open");
    body["object_attributes"]["iid"] = value;
    EXPECT_EQ(reasons::CodeOf(Read("Issue Hook", body).reason), reasons::kMalformed) << value;
  }
  json body = IssueHook("open");
  body["object_attributes"] = "x";
  EXPECT_EQ(reasons::CodeOf(Read("Issue Hook", body).reason), reasons::kMalformed);
}

}  // namespace
}  // namespace yardmaster
