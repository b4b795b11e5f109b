// Decisions on one core, by the library alone, and what a pack costs to load.
#include <benchmark/benchmark.h>
#include <re2/re2.h>

#include <memory>
#include <string>
#include <vector>

#include "rules/engine/compiled_pack.h"
#include "tests/bench/bench_data.h"

namespace yardmaster::bench {
namespace {

void DecideAll(benchmark::State& state, const std::vector<rules::IssueInput>& issues) {
  const std::shared_ptr<const rules::CompiledPack> pack = LoadBenchPack();
  for (auto _ : state) {
    for (const rules::IssueInput& issue : issues) {
      benchmark::DoNotOptimize(pack->Decide(issue.View()));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(issues.size()));
}

void DecideCases(benchmark::State& state) { DecideAll(state, ReadCases()); }
BENCHMARK(DecideCases)->Unit(benchmark::kMillisecond);

void DecideCasesWithDump(benchmark::State& state) { DecideAll(state, ReadCases(ReadData("environment_dump.txt"))); }
BENCHMARK(DecideCasesWithDump)->Unit(benchmark::kMillisecond);

// What any engine of patterns does at least: RE2 looks for one word in the same texts.
void OneWordInCases(benchmark::State& state) {
  const std::vector<rules::IssueInput> issues = ReadCases();
  const RE2 word("\\bdeadlock\\b");
  for (auto _ : state) {
    for (const rules::IssueInput& issue : issues) {
      benchmark::DoNotOptimize(RE2::PartialMatch(issue.title, word));
      benchmark::DoNotOptimize(RE2::PartialMatch(issue.body, word));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(issues.size()));
}
BENCHMARK(OneWordInCases)->Unit(benchmark::kMillisecond);

// The text that the daemon is asked about in the same run of run.sh.
void DecideTypicalCase(benchmark::State& state) { DecideAll(state, {TypicalCase()}); }
BENCHMARK(DecideTypicalCase)->Unit(benchmark::kMicrosecond);

// Read, check against the schemas, merge and compile.
void LoadPack(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(LoadBenchPack());
}
BENCHMARK(LoadPack)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace yardmaster::bench

BENCHMARK_MAIN();
