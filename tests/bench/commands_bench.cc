// Comments → commands: lines with commands per second.
#include <benchmark/benchmark.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rules/engine/commands/command_table.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/commands/grammar.h"
#include "tests/bench/bench_data.h"

namespace yardmaster::bench {
namespace {

commands::CommandGrammar MakeGrammar() {
  Problems problems;
  const rules::PackFiles files = rules::ReadPackFiles(PacksDir(), problems);
  std::optional<rules::PackModel> model = rules::LoadPack(files, "common", problems);
  if (!model.has_value()) Fail("the pack common has no commands: " + (problems.empty() ? "" : problems[0].ToString()));
  return {std::make_shared<const rules::CommandTable>(std::move(model->commands)), {{"yardbot"}, {"rerun-*"}}};
}

constexpr char kLongComment[] =
    "I ran this locally:\n\n```\npytest tests/ut -k fsdp\n/usr/lib/python3/dist-packages\n```\n\nIt passes. Please go "
    "on.\n\n/ok-to-test\n/test";

// Comments as people write them: most are one line, some have text around, quotes, code or several commands.
std::vector<std::string> Comments() {
  return {"/retest",
          "/check-pr\n/retest",
          "/squash 160 -m \"fix(fsdp): keep the mesh of a parameter\"",
          "/review",
          "LGTM, thanks for the quick fix!\n\n/retest",
          "/autogit pr --base r2.6 --reviewer alice,bob --ut changed --st skip",
          "／squash　＃１６０ -m “修复：布局缓存”",
          "/label module: fsdp, module: dtensor\n/unlabel needs-info",
          "> 门禁又挂了\n\n看起来和这个 PR 没关系，重跑一下。\n\n/retest",
          "/code-review https://gitcode.com/mindspore/hyper-parallel/merge_requests/203/diffs detailed",
          "@yardbot squash 160",
          "@yardbot 帮我看下 #160 为什么红了",
          "/test smoke device=ascend910b level=1 cards=8",
          "/retest_smoke_ascend910b_level1",
          "/why",
          "/status #92\n/diagnose #92",
          "/update 160 --title \"fsdp: keep the mesh\" --body \"Closes #12\"",
          kLongComment,
          "/backport 88 r2.6",
          "/triage"};
}

void ParseAll(benchmark::State& state, const std::vector<std::string>& comments) {
  const commands::CommandGrammar grammar = MakeGrammar();
  size_t lines = 0;
  for (const std::string& comment : comments) {
    const commands::ParsedText parsed = grammar.Parse(comment);
    for (const commands::ParsedCommand& command : parsed.commands) {
      if (!command.problems.empty()) Fail("a command with problems: " + comment);
    }
    lines += parsed.commands.size();
  }
  if (lines < comments.size()) Fail("comments without commands");
  for (auto _ : state) {
    for (const std::string& comment : comments) benchmark::DoNotOptimize(grammar.Parse(comment));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(lines));
}

void CommandLines(benchmark::State& state) { ParseAll(state, Comments()); }
BENCHMARK(CommandLines)->Unit(benchmark::kMicrosecond);

// The smallest comment that there is.
void CommandOfOneWord(benchmark::State& state) { ParseAll(state, {"/retest"}); }
BENCHMARK(CommandOfOneWord)->Unit(benchmark::kMicrosecond);

// The bodies of issues, which have no commands: what every opening post pays.
void TextsWithoutCommands(benchmark::State& state) {
  const commands::CommandGrammar grammar = MakeGrammar();
  const std::vector<rules::IssueInput> issues = ReadCases();
  for (auto _ : state) {
    for (const rules::IssueInput& issue : issues) benchmark::DoNotOptimize(grammar.Parse(issue.body));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(issues.size()));
}
BENCHMARK(TextsWithoutCommands)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace yardmaster::bench

BENCHMARK_MAIN();
