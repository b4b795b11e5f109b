// The phrases of the pack `common` against labelled sets: floors that hold for all sets together with none that writes
// without being asked; and the table of trigger phrases in the pack's README.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "rules/engine/phrases/phrase_set.h"
#include "tests/support/shipped_phrases.h"
#include "tests/support/source_path.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

bool Writes(const std::string& command) {
  const auto& commands = yardmaster::testing::ShippedPhrases()->commands();
  return std::any_of(commands.begin(), commands.end(),
                     [&](const PhraseCommandInfo& info) { return info.id == command && info.write; });
}

struct Score {
  size_t phrases = 0, commands = 0, slots_right = 0, slots_missed = 0, slots_wrong = 0, multi = 0, multi_right = 0;
  std::vector<std::string> unsafe, wrong;

  double Accuracy() const { return static_cast<double>(commands) / static_cast<double>(phrases); }
  double SlotF1() const {
    return 2.0 * static_cast<double>(slots_right) / static_cast<double>(2 * slots_right + slots_missed + slots_wrong);
  }
  double Then() const { return multi == 0 ? 1 : static_cast<double>(multi_right) / static_cast<double>(multi); }
};

// The names of a list, in any order; other values as they are.
json Comparable(const json& value) {
  if (!value.is_array()) return value;
  std::set<std::string> names;
  for (const json& one : value) names.insert(one.get<std::string>());
  return names;
}

void ScoreSlots(const json& expected, const json& got, bool same_command, Score& score) {
  for (const auto& [slot, value] : expected.items()) {
    json have = got.contains(slot) ? got[slot] : json();
    // A switch that is not told of is off; rebasing is on.
    if (have.is_null() && value.is_boolean() && same_command) have = slot == "rebase";
    if (Comparable(have) == Comparable(value)) {
      ++score.slots_right;
    } else {
      ++score.slots_missed;
      if (got.contains(slot)) ++score.slots_wrong;
    }
  }
}

Score Measure(const std::string& file) {
  Score score;
  std::ifstream in(yardmaster::testing::SourcePath("tests/data/phrases") / file);
  EXPECT_TRUE(in.good()) << file;
  for (std::string line; std::getline(in, line);) {
    const json row = json::parse(line);
    const auto text = row.at("text").get<std::string>();
    const auto want = row.at("expect").at("command").get<std::string>();
    const std::vector<std::string> then = row.value("then", std::vector<std::string>());
    const Interpretation got = yardmaster::testing::ShippedPhrases()->Interpret(text, {});
    ++score.phrases;
    score.commands += got.command == want ? 1 : 0;
    if (got.command != want) {
      std::string line_of_it = want;
      score.wrong.push_back(line_of_it.append(" → ").append(got.command).append(": ").append(text));
    }
    ScoreSlots(row["expect"].value("slots", json::object()), json(got.slots), got.command == want, score);
    std::vector<std::string> names;
    names.reserve(got.then.size());
    for (const PhraseCommand& next : got.then) names.push_back(next.command);
    if (!then.empty()) {
      ++score.multi;
      score.multi_right += got.command == want && names == then ? 1 : 0;
    }
    bool unsafe = Writes(got.command) && got.command != want;
    for (const std::string& name : names) {
      unsafe = unsafe || (Writes(name) && std::find(then.begin(), then.end(), name) == then.end());
    }
    if (Writes(want) && got.command == want) {
      for (const char* slot : {"pr", "repo"}) {
        const json expected = row["expect"]["slots"].value(slot, json());
        unsafe = unsafe || (got.slots.contains(slot) ? json(got.slots[slot]) : json()) != expected;
      }
    }
    if (unsafe) score.unsafe.push_back(text);
  }
  return score;
}

// dev.jsonl and every batch of the folder.
std::vector<std::string> LabelledFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(yardmaster::testing::SourcePath("tests/data/phrases"))) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() == ".jsonl" && name != "unasked.jsonl") files.push_back(name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string NameOfFile(const ::testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.find('.'));
}

class LabelledPhrases : public ::testing::TestWithParam<std::string> {};

TEST_P(LabelledPhrases, CommandsAndSlotsAreAboveTheirFloorsAndNoneWritesUnasked) {
  const Score score = Measure(GetParam());
  std::string wrong;
  for (const std::string& text : score.wrong) wrong += text + "\n";
  EXPECT_GE(score.Accuracy(), 0.96) << wrong;
  EXPECT_GE(score.SlotF1(), 0.95) << wrong;
  EXPECT_GE(score.Then(), 0.8);
  EXPECT_EQ(score.unsafe, std::vector<std::string>());
}

TEST(LabelledFilesTest, NoneIsMissing) { EXPECT_GE(LabelledFiles().size(), 45u); }

INSTANTIATE_TEST_SUITE_P(Sets, LabelledPhrases, ::testing::ValuesIn(LabelledFiles()), NameOfFile);

// Reports, advice, plans, questions, what is said to others: doubt may ask back, nothing may write.
TEST(UnaskedPhrases, NothingThatIsNoRequestWrites) {
  const Score score = Measure("unasked.jsonl");
  EXPECT_GT(score.phrases, 100u);
  EXPECT_EQ(score.unsafe, std::vector<std::string>());
}

// "squash pr=12" → command and slots
std::string CommandAndSlots(const std::string& phrase, const PhraseContext& context) {
  const Interpretation result = yardmaster::testing::ShippedPhrases()->Interpret(phrase, context);
  std::string out = result.command;
  for (const auto& [slot, value] : result.slots.items()) out += " " + slot + "=" + value.dump();
  return out;
}

// What people are told to say, in both languages, and the command lines for it.
const std::set<std::string>& TriggerPhrases() {
  static const std::set<std::string> kPhrases = {"帮我提交",
                                                 "提交代码",
                                                 "推送",
                                                 "给我创建 commit",
                                                 "commit this",
                                                 "push",
                                                 "/commit",
                                                 "/autogit commit",
                                                 "跑下 lint",
                                                 "检查一下",
                                                 "跑检查",
                                                 "check",
                                                 "run lint",
                                                 "/autogit check",
                                                 "跑下测试",
                                                 "跑 UT",
                                                 "run tests",
                                                 "/test",
                                                 "/autogit test",
                                                 "创建 PR",
                                                 "提个 PR",
                                                 "给我提交 PR",
                                                 "create PR",
                                                 "open a pull request",
                                                 "/create-pr",
                                                 "/autogit pr",
                                                 "追加 commit 到现有 PR",
                                                 "追加到 #12",
                                                 "append to PR #12",
                                                 "push to existing PR",
                                                 "/autogit pr --to 12",
                                                 "看下 PR 状态",
                                                 "PR 状态",
                                                 "PR status",
                                                 "show PR #12",
                                                 "/autogit status 12",
                                                 "更新 PR 描述",
                                                 "重新生成描述",
                                                 "regenerate PR description",
                                                 "update PR description",
                                                 "/autogit update 12",
                                                 "压缩 commit",
                                                 "合并 commit",
                                                 "squash 一下",
                                                 "squash",
                                                 "/autogit squash 12",
                                                 "生成提交信息",
                                                 "生成 commit message",
                                                 "generate commit message",
                                                 "/gen-commit-msg",
                                                 "/gen-commit-msg --scope dtensor",
                                                 "代码检视",
                                                 "review 一下",
                                                 "检视 PR",
                                                 "review",
                                                 "code review",
                                                 "check this",
                                                 "/code-review",
                                                 "/code-review 12 detailed",
                                                 "看下 #12 现在情况",
                                                 "看下门禁报错",
                                                 "PR 流水线挂了",
                                                 "诊断 #12",
                                                 "https://gitcode.com/mindspore/hyper-parallel/pull/12",
                                                 "gate is failing",
                                                 "why is CI red",
                                                 "触发门禁",
                                                 "重跑门禁",
                                                 "rerun gate",
                                                 "/retest",
                                                 "提 check-pr",
                                                 "重新校验描述",
                                                 "re-validate description",
                                                 "/check-pr",
                                                 "自动修门禁",
                                                 "autofix #12",
                                                 "把 PR 修绿",
                                                 "修一下流水线",
                                                 "一直跑到通过",
                                                 "门禁随机挂",
                                                 "Smoke_Ascend 挂了",
                                                 "ut 用例失败",
                                                 "st 用例失败",
                                                 "ut/st/Ascend 用例失败",
                                                 "Ascend 用例失败",
                                                 "fix the gate until green",
                                                 "CI is flaky"};
  return kPhrases;
}

TEST(TriggerTable, TheReadmeSaysWhatEveryTriggerPhraseMeans) {
  std::set<std::string> missing = TriggerPhrases();
  std::ifstream in(yardmaster::testing::SourcePath("rules/packs/common/phrases/README.md"));
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| ") || line.find("| `") == std::string::npos || !line.ends_with("` |")) continue;
    const size_t first = line.find(" | `");
    const size_t second = line.find("` | `", first + 4);
    if (first == std::string::npos || second == std::string::npos) continue;  // the table of files
    const std::string phrase = line.substr(2, first - 2);
    EXPECT_EQ(CommandAndSlots(phrase, {}), line.substr(first + 4, second - first - 4)) << phrase;
    EXPECT_EQ(CommandAndSlots(phrase, {160, ""}), line.substr(second + 5, line.size() - second - 8)) << phrase;
    missing.erase(phrase);
  }
  EXPECT_EQ(missing, std::set<std::string>());
}

TEST(CommonCases, AllHold) {
  for (const PhraseCase& one : yardmaster::testing::ShippedPhrases()->cases()) {
    const Interpretation result = yardmaster::testing::ShippedPhrases()->Interpret(one.text, one.context);
    EXPECT_EQ(result.command, one.command) << one.text << ": " << result.why;
    if (one.slots.has_value()) {
      EXPECT_EQ(json(result.slots), json(*one.slots)) << one.text;
    }
  }
}

}  // namespace
}  // namespace yardmaster::rules
