// Messages → commands: phrases per second on one core.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "rules/engine/pack_loader.h"
#include "rules/engine/phrases/phrase_set.h"
#include "tests/bench/bench_data.h"

namespace yardmaster::bench {
namespace {

std::shared_ptr<const rules::PhraseSet> LoadPhrases() {
  rules::Problems problems;
  const rules::PackFiles files = rules::ReadPackFiles(PacksDir(), problems);
  std::shared_ptr<const rules::PhraseSet> phrases = rules::PhraseSet::Load(files, "common", problems);
  if (phrases == nullptr) Fail(problems.empty() ? "no phrases" : problems[0].ToString());
  return phrases;
}

std::vector<std::string> Phrases() {
  std::vector<std::string> phrases;
  const std::string data = ReadData("phrases/dev.jsonl");
  for (size_t begin = 0; begin < data.size();) {
    const size_t end = std::min(data.find('\n', begin), data.size());
    phrases.push_back(nlohmann::json::parse(data.substr(begin, end - begin)).at("text").get<std::string>());
    begin = end + 1;
  }
  return phrases;
}

void InterpretPhrases(benchmark::State& state) {
  const auto phrases = LoadPhrases();
  const std::vector<std::string> texts = Phrases();
  for (auto _ : state) {
    for (const std::string& text : texts) benchmark::DoNotOptimize(phrases->Interpret(text, {}));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(texts.size()));
}
BENCHMARK(InterpretPhrases)->Unit(benchmark::kMillisecond);

void LoadPhrasesOfPack(benchmark::State& state) {
  rules::Problems problems;
  const rules::PackFiles files = rules::ReadPackFiles(PacksDir(), problems);
  for (auto _ : state) benchmark::DoNotOptimize(rules::PhraseSet::Load(files, "common", problems));
}
BENCHMARK(LoadPhrasesOfPack)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace yardmaster::bench

BENCHMARK_MAIN();
