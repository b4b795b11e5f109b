// Messages → commands: phrases per second on one core.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/phrases/phrase_set.h"
#include "tests/bench/bench_data.h"

namespace yardmaster::bench {
namespace {

std::shared_ptr<const rules::PhraseSet> LoadPhrases() {
  Problems problems;
  const rules::PackFiles files = rules::ReadPackFiles(PacksDir(), problems);
  std::shared_ptr<const rules::PhraseSet> phrases = rules::PhraseSet::Load(files, "common", problems);
  if (phrases == nullptr) Fail(problems.empty() ? "no phrases" : problems[0].ToString());
  return phrases;
}

std::vector<std::string> Phrases() {
  std::vector<std::string> phrases;
  for (const char* file : {"dev",     "batch1",  "batch2",  "batch3",  "batch4",  "batch5",  "batch6",  "batch7",
                           "batch8",  "batch9",  "batch10", "batch11", "batch12", "batch13", "batch14", "batch15",
                           "batch16", "batch17", "batch18", "batch19", "batch20", "batch21", "batch22", "batch23"}) {
    const std::string data = ReadData("phrases/" + std::string(file) + ".jsonl");
    for (size_t begin = 0; begin < data.size();) {
      const size_t end = std::min(data.find('\n', begin), data.size());
      phrases.push_back(nlohmann::json::parse(data.substr(begin, end - begin)).at("text").get<std::string>());
      begin = end + 1;
    }
  }
  return phrases;
}

// Phrases that differ from each other in numbers, words and names: no cache of anything has seen them.
std::vector<std::string> DifferentPhrases(size_t count) {
  static constexpr std::array<const char*, 12> kWords = {
      "kernel", "loader", "gradient", "tensor", "rope", "lisa", "相机", "缓存", "算子", "昨晚", "hotfix-3", "zhaoqi"};
  const std::vector<std::string> all = Phrases();
  std::mt19937 random(5);
  const auto below = [&](size_t limit) { return static_cast<size_t>(random()) % limit; };
  std::vector<std::string> out;
  out.reserve(count);
  while (out.size() < count) {
    const std::string& text = all[below(all.size())];
    std::string changed;
    if (below(2) == 0) changed += std::string(kWords[below(kWords.size())]) + std::to_string(below(1000)) + ", ";
    for (const char c : text) {
      changed += c >= '0' && c <= '9' ? static_cast<char>('0' + below(10)) : c;
      if (c == ' ' && below(8) == 0) changed += std::string(kWords[below(kWords.size())]) + " ";
    }
    out.push_back(std::move(changed));
  }
  return out;
}

void InterpretPhrases(benchmark::State& state) {
  const auto phrases = LoadPhrases();
  const std::vector<std::string> texts = DifferentPhrases(30000);
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(phrases->Interpret(texts[next], {}));
    next = next + 1 == texts.size() ? 0 : next + 1;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(InterpretPhrases);

void LoadPhrasesOfPack(benchmark::State& state) {
  Problems problems;
  const rules::PackFiles files = rules::ReadPackFiles(PacksDir(), problems);
  for (auto _ : state) benchmark::DoNotOptimize(rules::PhraseSet::Load(files, "common", problems));
}
BENCHMARK(LoadPhrasesOfPack)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace yardmaster::bench

BENCHMARK_MAIN();
