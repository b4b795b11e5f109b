#include "rules/engine/issue_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace yardmaster::rules {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::Optional;

std::optional<IssueInput> ReadOk(const char* text) {
  std::string error;
  auto issue = ParseIssueInput(json::parse(text), error);
  EXPECT_TRUE(issue) << error;
  return issue;
}

std::string ReadBad(const char* text) {
  std::string error;
  EXPECT_FALSE(ParseIssueInput(json::parse(text), error));
  return error;
}

TEST(IssueInput, AnEvalLineIsReadAndOtherKeysAreIgnored) {
  const auto issue = ReadOk(R"({"number": 7, "title": "T", "body": "B", "labels": ["secret"], "kind": "bug"})");
  ASSERT_TRUE(issue);
  EXPECT_EQ(issue->number, 7);
  EXPECT_EQ(issue->title, "T");
  EXPECT_EQ(issue->body, "B");
  EXPECT_FALSE(issue->labels_before) << "unknown, so that the pack's entry label is assumed";
  EXPECT_TRUE(issue->comments.empty());
}

TEST(IssueInput, ANullBodyIsAnEmptyOne) { EXPECT_EQ(ReadOk(R"({"number": 1, "title": "T", "body": null})")->body, ""); }

TEST(IssueInput, LabelsComeAsNamesOrAsAForgeSendsThem) {
  const auto issue =
      ReadOk(R"({"number": 1, "title": "", "body": "", "labels_before": ["a", {"name": "b", "color": "red"}]})");
  EXPECT_THAT(issue->labels_before, Optional(ElementsAre("a", "b")));
  EXPECT_THAT(ReadOk(R"({"number": 1, "title": "", "body": "", "labels_before": []})")->labels_before,
              Optional(ElementsAre()));
  EXPECT_FALSE(ReadOk(R"({"number": 1, "title": "", "body": "", "labels_before": null})")->labels_before);
}

TEST(IssueInput, CommentsComeAsTextOrAsAForgeSendsThem) {
  const auto issue = ReadOk(R"({"number": 1, "title": "", "body": "", "author": "op", "comments": [
      "text",
      {"body": null, "user": {"login": "stale[bot]", "type": "Bot"}},
      {"body": "x", "author": "ann", "author_is_bot": false},
      {"body": "y", "user": {"login": "bob", "type": "User"}, "created_at": "2020"},
      {"body": "z", "user": null}]})");
  ASSERT_TRUE(issue);
  ASSERT_EQ(issue->comments.size(), 5u);
  EXPECT_EQ(issue->author, "op");
  EXPECT_EQ(issue->comments[0].body, "text");
  EXPECT_EQ(issue->comments[0].author_is_bot, std::nullopt);
  EXPECT_EQ(issue->comments[1].author, "stale[bot]");
  EXPECT_EQ(issue->comments[1].author_is_bot, true);
  EXPECT_EQ(issue->comments[2].author, "ann");
  EXPECT_EQ(issue->comments[2].author_is_bot, false);
  EXPECT_EQ(issue->comments[3].author_is_bot, false);
  EXPECT_EQ(issue->comments[4].author_is_bot, std::nullopt);
}

TEST(IssueInput, TheViewShowsAllOfIt) {
  const auto issue = ReadOk(R"({"number": 1, "title": "T", "body": "B", "author": "op", "labels_before": ["l"],
                                "comments": [{"body": "c", "author": "ann", "author_is_bot": true}]})");
  const IssueText view = issue->View();
  EXPECT_EQ(view.title, "T");
  EXPECT_EQ(view.body, "B");
  EXPECT_EQ(view.author, "op");
  EXPECT_THAT(view.labels_before, Optional(ElementsAre("l")));
  ASSERT_EQ(view.comments.size(), 1u);
  EXPECT_EQ(view.comments[0].body, "c");
  EXPECT_EQ(view.comments[0].author, "ann");
  EXPECT_EQ(view.comments[0].author_is_bot, true);
}

TEST(IssueInput, ErrorsNameTheKeyAndWhatWasExpected) {
  EXPECT_EQ(ReadBad("[]"), "expected a JSON object with \"number\", \"title\" and \"body\"");
  EXPECT_EQ(ReadBad(R"({"title": "", "body": ""})"), "/number: expected an integer, it is missing");
  EXPECT_EQ(ReadBad(R"({"number": "1", "title": "", "body": ""})"), "/number: expected an integer of at most 64 bits");
  EXPECT_EQ(ReadBad(R"({"number": 1.5, "title": "", "body": ""})"), "/number: expected an integer of at most 64 bits");
  EXPECT_EQ(ReadBad(R"({"number": 18446744073709551615, "title": "", "body": ""})"),
            "/number: expected an integer of at most 64 bits");
  EXPECT_EQ(ReadBad(R"({"number": 1, "body": ""})"), "/title: expected a string, it is missing");
  EXPECT_EQ(ReadBad(R"({"number": 1, "title": 3, "body": ""})"), "/title: expected a string");
  EXPECT_EQ(ReadBad(R"({"number": 1, "title": ""})"), "/body: expected a string or null, it is missing");
  EXPECT_EQ(ReadBad(R"({"number": 1, "title": "", "body": []})"), "/body: expected a string or null");
  EXPECT_EQ(ReadBad(R"({"number": 1, "title": "", "body": "", "labels_before": "a"})"),
            "/labels_before: expected an array of label names");
  EXPECT_EQ(ReadBad(R"({"number": 1, "title": "", "body": "", "labels_before": ["a", 2]})"),
            "/labels_before/1: expected a label name or an object with \"name\"");
  EXPECT_EQ(ReadBad(R"({"number": 1, "title": "", "body": "", "comments": {}})"),
            "/comments: expected an array of comments");
  EXPECT_EQ(ReadBad(R"({"number": 1, "title": "", "body": "", "comments": [{"body": 1}]})"),
            "/comments/0/body: expected a string or null");
  EXPECT_EQ(ReadBad(R"({"number": 1, "title": "", "body": "", "comments": [{"body": "", "user": 1}]})"),
            "/comments/0/user: expected a login or an object with \"login\"");
  EXPECT_EQ(ReadBad(R"({"number": 1, "title": "", "body": "", "comments": [{"body": "", "author_is_bot": "no"}]})"),
            "/comments/0/author_is_bot: expected true or false");
}

}  // namespace
}  // namespace yardmaster::rules
