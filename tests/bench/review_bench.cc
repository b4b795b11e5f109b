// Reviews: bare parse, facts, and all checks of a pack over a kernel of about 20 KB.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/review.h"
#include "rules/engine/code/source_file.h"
#include "rules/engine/code/syntax_tree.h"
#include "tests/bench/bench_data.h"

namespace yardmaster::bench {
namespace {

constexpr std::chrono::milliseconds kLimit{2000};

// A kernel file as people write them: helpers with tile shapes and loops, a kernel, a wrapper.
std::string Kernel(size_t helpers) {
  std::string text = "import torch\nimport pypto\n\nTILE = 64\nHEAD = 128\n\n";
  for (size_t i = 0; i < helpers; ++i) {
    const std::string n = std::to_string(i);
    text += "def pypto_stage";
    text += n;
    text +=
        "(q, k, v, out, scale: float = 1.0):\n"
        "    \"\"\"Scores of block ";
    text += n;
    text +=
        ".\"\"\"\n"
        "    pypto.set_vec_tile_shapes(16, TILE)\n"
        "    pypto.set_cube_tile_shapes([64, 128], [64, 128], [64, 128])\n"
        "    for b in pypto.loop(q.shape[0], name=\"batch";
    text += n;
    text +=
        "\", idx_name=\"b\"):\n"
        "        q_view = pypto.view(q, [TILE, HEAD], [b * TILE, 0])\n"
        "        scores = pypto.matmul(q_view, k, pypto.DT_FP32, b_trans=True)\n"
        "        scaled = pypto.mul(scores, scale)\n"
        "        row_max = pypto.amax(scaled, dim=-1, keepdim=True)\n"
        "        probs = pypto.exp(pypto.sub(scaled, row_max))\n"
        "        pypto.assemble(pypto.matmul(probs, v, pypto.DT_FP32), [b * TILE, 0], out)\n\n\n";
  }
  text +=
      "@pypto.frontend.jit\ndef kernel(q: pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_FP32),\n"
      "           k: pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_FP32),\n"
      "           out: pypto.Tensor([pypto.DYNAMIC, 128], pypto.DT_FP32)):\n";
  for (size_t i = 0; i < helpers; ++i) text += "    pypto_stage" + std::to_string(i) + "(q, k, k, out)\n";
  return text + "\n\ndef demo_wrapper(q, k):\n    out = torch.empty_like(q)\n    kernel(q, k, out)\n    return out\n";
}

std::shared_ptr<const rules::CheckSet> Checks() {
  Problems problems;
  const rules::PackFiles files = rules::ReadPackFiles(PacksDir(), problems);
  std::shared_ptr<const rules::CheckSet> checks = rules::LoadChecks(files, "pypto", problems);
  if (checks == nullptr) Fail("the checks do not load: " + problems.at(0).ToString());
  return checks;
}

void BareParse(benchmark::State& state) {
  const std::string text = Kernel(static_cast<size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(rules::ParseSource(rules::Language::kPython, text, kLimit));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(BareParse)->Arg(30)->Arg(60)->Unit(benchmark::kMicrosecond);

void Facts(benchmark::State& state) {
  const std::string text = Kernel(static_cast<size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(rules::SourceFile::Read("demo_impl.py", text, kLimit));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(Facts)->Arg(30)->Arg(60)->Unit(benchmark::kMicrosecond);

// With facts and parse.
void AllRules(benchmark::State& state) {
  const auto checks = Checks();
  const std::vector<rules::ReviewFile> files = {
      {"demo_impl.py", Kernel(static_cast<size_t>(state.range(0))), std::nullopt, "", false}};
  rules::ReviewOptions options;
  options.profile = "strict";
  for (auto _ : state) benchmark::DoNotOptimize(rules::Review(*checks, files, options));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(files[0].text.size()));
}
BENCHMARK(AllRules)->Arg(30)->Arg(60)->Unit(benchmark::kMicrosecond);

// Every tenth rule: what the number of rules costs.
void ATenthOfTheRules(benchmark::State& state) {
  const auto checks = Checks();
  const std::vector<rules::ReviewFile> files = {
      {"demo_impl.py", Kernel(static_cast<size_t>(state.range(0))), std::nullopt, "", false}};
  rules::ReviewOptions options;
  options.profile = "strict";
  for (size_t i = 0; i < checks->checks().size(); i += 10) options.only.push_back(checks->checks()[i].id);
  for (auto _ : state) benchmark::DoNotOptimize(rules::Review(*checks, files, options));
}
BENCHMARK(ATenthOfTheRules)->Arg(30)->Unit(benchmark::kMicrosecond);

void CompileChecks(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Checks());
}
BENCHMARK(CompileChecks)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace yardmaster::bench

BENCHMARK_MAIN();
