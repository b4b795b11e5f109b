// Markdown → zones: how much of a decision's time it takes.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "rules/engine/text/zones.h"
#include "tests/bench/bench_data.h"
#include "tests/support/hostile_texts.h"

namespace yardmaster::bench {
namespace {

rules::ZoneRules Rules() { return LoadBenchPack()->model().zone_rules; }

std::unique_ptr<rules::ZoneSplitter> MakeSplitter() {
  Problems problems;
  std::unique_ptr<rules::ZoneSplitter> splitter = rules::ZoneSplitter::Create(Rules(), problems);
  if (splitter == nullptr) Fail("zones.json: " + problems[0].ToString());
  return splitter;
}

void SplitAll(benchmark::State& state, const std::vector<std::string>& texts) {
  const std::unique_ptr<rules::ZoneSplitter> splitter = MakeSplitter();
  size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  for (auto _ : state) {
    for (const std::string& text : texts) benchmark::DoNotOptimize(splitter->Split(text));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(texts.size()));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}

std::vector<std::string> Bodies(const std::string& suffix) {
  std::vector<std::string> bodies;
  for (rules::IssueInput& issue : ReadCases(suffix)) bodies.push_back(std::move(issue.body));
  return bodies;
}

void ZonesOfCases(benchmark::State& state) { SplitAll(state, Bodies("")); }
BENCHMARK(ZonesOfCases)->Unit(benchmark::kMicrosecond);

void ZonesOfCasesWithDump(benchmark::State& state) { SplitAll(state, Bodies(ReadData("environment_dump.txt"))); }
BENCHMARK(ZonesOfCasesWithDump)->Unit(benchmark::kMicrosecond);

// The dearest text of full size that is known.
void ZonesOfNestedLists(benchmark::State& state) {
  std::string text;
  for (size_t indent = 0; indent <= 248; indent += 2) text += std::string(indent, ' ') + "- a\n";
  text += testing::Repeat("\n", rules::kMaxMarkdownBytes - text.size());
  SplitAll(state, {text});
}
BENCHMARK(ZonesOfNestedLists)->Unit(benchmark::kMicrosecond);

void CompileZoneRules(benchmark::State& state) {
  const rules::ZoneRules rules = Rules();
  for (auto _ : state) {
    Problems problems;
    benchmark::DoNotOptimize(rules::ZoneSplitter::Create(rules, problems));
  }
}
BENCHMARK(CompileZoneRules)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace yardmaster::bench

BENCHMARK_MAIN();
