// Commands through the whole pipe, in one thread on a clock of its own: a real store, a forge in memory, deaths at
// every point.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "services/commands/pipe/planner.h"
#include "tests/unit/services/intake/world.h"

namespace yardmaster::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using yardmaster::testing::kRepository;
using yardmaster::testing::MemoryForge;
using yardmaster::testing::World;

std::string Read(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The tiny pack with the shared commands; people may set two of its labels and one that the rubric never sets.
class CommandWorld : public World {
 public:
  CommandWorld() {
    rules::PackFiles files = yardmaster::testing::TinyPackFiles();
    const std::filesystem::path common = std::filesystem::path(YARD_SOURCE_DIR) / "rules/packs/common";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(common)) {
      if (entry.path().extension() != ".json") continue;
      files["common/" + std::filesystem::relative(entry.path(), common).string()] = Read(entry.path());
    }
    files["tiny/pack.json"] =
        R"({"name": "tiny", "title": "A pack for tests", "extends": "common", "entry_label": "queue"})";
    files["tiny/commands.json"] = R"({"people_labels": ["area: net", "team b", "question", "wish"]})";
    pack_ = yardmaster::testing::CompileTinyPack(files);
    command_planner_ = std::make_shared<CommandsPlanner>(PlannerEnvironment{config_, nullptr, nullptr});
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

  std::string last_comment_;
};

TEST(CommandsPipe, CommandIsAcknowledgedCarriedOutAndAnswered) {
  CommandWorld world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket", "x", {});
  const int64_t id = world.Comment(1, "maria", "/label question");
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_EQ(world.Labels(1), std::set<std::string>{"question"});
  EXPECT_THAT(world.OnlyAnswer(1), HasSubstr("question"));
  EXPECT_EQ(issue.reactions[world.last_comment_], std::set<std::string>{"eyes"});
  EXPECT_EQ(world.Outcome(1), "done");
  world.ExpectSettled();
}

TEST(CommandsPipe, ForgeWithoutReactionsGetsTheAnswerAtOnceAndUpdatesIt) {
  CommandWorld world;
  world.forge_.reactions = false;
  world.forge_.Open(kRepository, 1, "socket", "x", {});
  world.Comment(1, "bob", "/help");
  world.Run();
  EXPECT_THAT(world.OnlyAnswer(1), HasSubstr("/label"));
  ASSERT_EQ(world.forge_.edits.size(), 1U);
  EXPECT_EQ(world.forge_.edits.begin()->second, 1);
}

TEST(CommandsPipe, GuardrailsHoldForPeopleToo) {
  CommandWorld world;
  world.forge_.Open(kRepository, 1, "socket", "x", {"team a"});
  world.Comment(1, "maria", "/label sev1, team b, high priority, area: net");
  world.Run();
  EXPECT_EQ(world.Labels(1), (std::set<std::string>{"team a", "area: net"})) << "one team only, and never sev1";
  const std::string answer = world.OnlyAnswer(1);
  EXPECT_THAT(answer, HasSubstr("sev1"));
  EXPECT_THAT(answer, HasSubstr("team b"));
}

TEST(CommandsPipe, WhatAPersonTookOffByACommandIsNotPutBackByTriage) {
  CommandWorld world;
  world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
  world.Opened(1);
  world.Run();
  ASSERT_EQ(world.Labels(1).count("area: net"), 1U);
  world.Comment(1, "maria", "/unlabel area: net");
  world.Run();
  EXPECT_EQ(world.Labels(1).count("area: net"), 0U);
  world.Comment(1, "maria", "/triage");
  world.Run();
  EXPECT_EQ(world.Labels(1).count("area: net"), 0U);
  EXPECT_EQ(world.Answers(1).size(), 2U);
  // The person may want it again.
  world.Comment(1, "maria", "/label area: net");
  world.Run();
  EXPECT_EQ(world.Labels(1).count("area: net"), 1U);
}

TEST(CommandsPipe, EditWithoutChangeAndReplayDoNothing) {
  CommandWorld world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket", "x", {});
  world.Comment(1, "maria", "/label question");
  world.Run();
  const std::string comment = world.last_comment_;
  issue.issue.labels.clear();
  const int64_t edited = world.Comment(1, "maria", "so:\n\n/label question", "edited", comment);
  world.Run();
  EXPECT_EQ(world.StateOf(edited), "ignored (commands-known)");
  EXPECT_TRUE(world.Labels(1).empty());
  // Changed: it runs, and the answer is the same comment.
  world.Comment(1, "maria", "/label area: net", "edited", comment);
  world.Run();
  EXPECT_EQ(world.Labels(1), std::set<std::string>{"area: net"});
  EXPECT_THAT(world.OnlyAnswer(1), HasSubstr("area: net"));
}

TEST(CommandsPipe, OvertakenTextAsksForNothingThatIsGone) {
  CommandWorld world;
  MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket", "x", {});
  const int64_t id = world.Comment(1, "maria", "/label question");
  issue.comments.back().body = "never mind";
  world.Run();
  EXPECT_EQ(world.StateOf(id), "ignored (commands-known: they are no longer there)");
  EXPECT_TRUE(world.Labels(1).empty());
  EXPECT_TRUE(world.Answers(1).empty());
}

TEST(CommandsPipe, ForgeThatRefusesTheWorkIsToldInTheAnswer) {
  CommandWorld world;
  world.forge_.Open(kRepository, 1, "socket", "x", {});
  int writes = 0;
  world.forge_.before_write = [&] {
    // The reaction passes, the label does not, the answer does.
    ForgeError error{ForgeReason::kInvalid, ForgeOutcome::kRefused, 422, std::nullopt};
    world.forge_.refuse_writes = ++writes == 2 ? MakeForgeStatus(error, "no such @label") : absl::OkStatus();
  };
  const int64_t id = world.Comment(1, "maria", "/label question");
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  const std::string answer = world.OnlyAnswer(1);
  EXPECT_THAT(answer, HasSubstr("did not work"));
  EXPECT_THAT(answer, Not(HasSubstr("@label"))) << "defanged";
  EXPECT_THAT(world.Outcome(1), HasSubstr("failed"));
}

TEST(CommandsPipe, DryRunNotesWhatItWouldDo) {
  CommandWorld world;
  world.config_.mode = RunMode::kDryRun;
  world.forge_.Open(kRepository, 1, "socket", "x", {});
  world.Comment(1, "maria", "/label question");
  world.Run();
  EXPECT_EQ(world.forge_.writes, 0);
  EXPECT_EQ(world.Outcome(1), "dry-run: done");
  // What was asked for then is not carried out later.
  world.config_.mode = RunMode::kApply;
  world.Comment(1, "maria", "again:\n\n/label question", "edited", world.last_comment_);
  world.Run();
  EXPECT_EQ(world.forge_.writes, 0);
}

// Dies at every point in turn: between reaction, work and answer, in every call to store and forge.
TEST(CommandsPipe, DeathAtAnyPointLeavesOneAnswerAndNothingTwice) {
  for (const bool reactions : {true, false}) {
    // Every third point: the others differ by where in one call it dies. Each face meets others.
    for (int64_t point = reactions ? 1 : 2;; point += 3) {
      SCOPED_TRACE(std::string(reactions ? "reactions" : "no reactions") + ", death at point " + std::to_string(point));
      CommandWorld world;
      world.forge_.reactions = reactions;
      MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {"queue"});
      world.Comment(1, "maria", "/label question\n/unlabel queue\n/triage");
      world.Comment(1, "bob", "/label wish");
      const int deaths = world.Run(point);
      EXPECT_EQ(world.Labels(1).count("question"), 1U);
      EXPECT_EQ(issue.added["question"], 1);
      EXPECT_EQ(world.Labels(1).count("wish"), 0U);
      std::set<std::string> names;
      const auto answers = world.Answers(1);
      for (const auto& [name, body] : answers) names.insert(name);
      EXPECT_EQ(answers.size(), 4U);
      EXPECT_EQ(names.size(), 4U);
      world.ExpectSettled();
      if (::testing::Test::HasFailure()) return;
      if (deaths == 0) {
        EXPECT_GT(point, 50);
        break;
      }
    }
  }
}

TEST(CommandsPipe, UnwellForgeAndRepeatedDeathsStillEndInOneAnswer) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CommandWorld world;
    world.forge_.reactions = seed % 2 == 0;
    MemoryForge::Issue& issue = world.forge_.Open(kRepository, 1, "socket broken", "The socket broke.", {});
    world.forge_.Seed(seed,
                      {.not_sent = 5, .limited = 5, .lost_before = 5, .lost_after = 8, .late = 6, .invisible = 6});
    std::mt19937_64 random(seed);
    world.die_again = [&random] { return static_cast<int64_t>(1 + random() % 40); };
    world.Comment(1, "maria", "/label question\n/help label");
    world.Comment(1, "bob", "/label team b");
    int deaths = 0;
    world.die_again = [&]() -> int64_t { return ++deaths < 6 ? static_cast<int64_t>(1 + random() % 40) : 1'000'000; };
    world.Run(static_cast<int64_t>(1 + random() % 20));
    EXPECT_EQ(world.Labels(1), std::set<std::string>{"question"});
    EXPECT_EQ(issue.added["question"], 1);
    EXPECT_EQ(world.Answers(1).size(), 3U);
    world.ExpectSettled();
  }
}

}  // namespace
}  // namespace yardmaster::commands
