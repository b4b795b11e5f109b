// The pipe of world.h with the shared commands: what people write is carried out on a forge in memory.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_COMMANDS_PIPE_COMMAND_WORLD_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_COMMANDS_PIPE_COMMAND_WORLD_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "rules/engine/phrases/phrase_set.h"
#include "services/commands/pipe/command_planner.h"
#include "services/commands/pipe/handlers.h"
#include "tests/support/shipped_packs.h"
#include "tests/unit/services/intake/world.h"

namespace yardmaster::testing {

// The shared phrases. Once for all worlds: a test makes hundreds of them.
inline std::shared_ptr<const rules::PhraseSet> SharedPhrases() {
  static const std::shared_ptr<const rules::PhraseSet> kPhrases = [] {
    Problems problems;
    return rules::PhraseSet::Load(ShippedPack("common"), "common", problems);
  }();
  EXPECT_NE(kPhrases, nullptr);
  return kPhrases;
}

// The tiny pack with the shared commands; people may set two of its labels and one that the rubric never sets.
class CommandWorld : public World {
 public:
  CommandWorld() {
    rules::PackFiles files = yardmaster::testing::TinyPackFiles();
    files.merge(yardmaster::testing::ShippedPack("common"));
    files["tiny/pack.json"] =
        R"({"name": "tiny", "title": "A pack for tests", "extends": "common", "entry_label": "queue"})";
    files["tiny/commands.json"] = R"({"people_labels": ["area: net", "team b", "question", "wish"]})";
    pack_ = yardmaster::testing::CompileTinyPack(files);
    files_ = files;
    const auto planner = std::make_shared<commands::CommandPlanner>(commands::CommandEnvironment{
        config_, nullptr, [](std::string_view) { return SharedPhrases(); }, commands::ShippedHandlers()});
    command_planner_ = planner;
    command_parser_ = planner;
    forge_.access[std::string(kRepository) + " maria"] = {ForgePermission::kWrite, "write"};
    Boot();
  }

  int64_t Comment(int64_t number, const std::string& user, const std::string& text,
                  const std::string& action = "created", const std::string& id = "") {
    MemoryForge::Issue& issue = forge_.At(kRepository, number);
    std::string name = id;
    if (id.empty()) {
      forge_.Comment(issue, user, text);
      name = issue.comments.back().id;
      last_comment_ = name;
    } else {
      for (ForgeComment& comment : issue.comments) {
        if (comment.id == id) comment.body = text;
      }
    }
    nlohmann::json body = Body(action, number, user);
    if (issue.issue.pull_request) body["issue"]["pull_request"] = nlohmann::json::object();
    body["comment"] = {{"id", std::stoll(name)}, {"body", text}, {"user", {{"login", user}, {"type", "User"}}}};
    return Deliver("issue_comment", body);
  }
  // Our comments, by the name in their marker.
  std::multimap<std::string, std::string> Answers(int64_t number) {
    std::multimap<std::string, std::string> out;
    for (const ForgeComment& comment : forge_.At(kRepository, number).comments) {
      const size_t begin = comment.body.rfind(" template=");
      if (comment.author.login != "yardbot" || begin == std::string::npos) continue;
      out.emplace(comment.body.substr(begin + 10, comment.body.find(' ', begin + 10) - begin - 10), comment.body);
    }
    return out;
  }
  std::string OnlyAnswer(int64_t number) {
    const auto answers = Answers(number);
    EXPECT_EQ(answers.size(), 1U);
    return answers.empty() ? std::string() : answers.begin()->second;
  }
  std::string Outcome(int64_t number) {
    v1::Subject subject;
    subject.set_forge("github");
    subject.set_repository(kRepository);
    subject.set_kind(v1::SUBJECT_KIND_ISSUE);
    subject.set_number(number);
    const auto list = store_->commands().List(subject);
    EXPECT_TRUE(list.ok());
    return list.ok() && !list->empty() ? list->back().outcome : std::string();
  }

  rules::PackFiles files_;
  std::string last_comment_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_COMMANDS_PIPE_COMMAND_WORLD_H_
