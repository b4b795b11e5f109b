// Reviews: bare parse, facts, and all checks of a pack over a kernel of about 20 KB; and each pack over a change.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/review.h"
#include "rules/engine/code/source_file.h"
#include "rules/engine/code/syntax_tree.h"
#include "services/review/diff_review.h"
#include "tests/bench/bench_data.h"
#include "tests/support/memory_change.h"

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

std::shared_ptr<const rules::CheckSet> Checks(const std::string& pack = "pypto") {
  Problems problems;
  const rules::PackFiles files = rules::ReadPackFiles(PacksDir(), problems);
  std::shared_ptr<const rules::CheckSet> checks = rules::LoadChecks(files, pack, problems);
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

// --- Changes ---

// Where each pack expects library code and tests.
struct PackPlace {
  std::string pack;
  std::string code;  // "%" is the number of the file
  std::string test;
};
const std::vector<PackPlace>& PackPlaces() {
  static const std::vector<PackPlace> places = {
      {"pypto", "custom/op%/op%_impl.py", "custom/op%/test_op%.py"},
      {"hyper-parallel", "hyper_parallel/core/shard/ops/parallel_op%.py",
       "tests/torch/ut/parallel_ops_infer/test_op%.py"},
      {"cache-dit", "src/cache_dit/kernels/triton/op%.py", "tests/kernels/test_op%.py"},
      {"pytorch", "torch/nn/modules/op%.py", "test/test_op%.py"}};
  return places;
}

// A module as people write them; the later version has one more method in each class and other bodies in some.
std::string Module(size_t number, bool later) {
  std::string text =
      "# Copyright 2026 Huawei Technologies Co., Ltd\n#\n# Licensed under the Apache License, Version "
      "2.0\n\"\"\"Layers.\"\"\"\nimport logging\nfrom typing import Optional\n\nimport torch\nimport torch.nn as "
      "nn\n\nlogger = "
      "logging.getLogger(__name__)\n";
  for (size_t i = 0; i < 8; ++i) {
    const std::string n = std::to_string(number) + "_" + std::to_string(i);
    text +=
        "\n\nclass Layer" + n +
        "(nn.Module):\n    \"\"\"One layer.\"\"\"\n\n    def __init__(self, size: int, bias: bool = True) -> None:\n"
        "        super().__init__()\n        self.size = size\n        self.weight = nn.Parameter(torch.empty(size, "
        "size))\n"
        "        self.bias = nn.Parameter(torch.zeros(size)) if bias else None\n\n"
        "    def forward(self, x: torch.Tensor, scale: Optional[float] = None) -> torch.Tensor:\n        \"\"\"Applies "
        "it.\n\n        Args:\n            x: what goes in.\n\n        Returns:\n            What comes out.\n        "
        "\"\"\"\n"
        "        if x.shape[-1] != self.size:\n            raise ValueError(f\"expected {self.size}, got "
        "{x.shape[-1]}\")\n"
        "        out = torch.matmul(x, self.weight)\n        for step in range(3):\n            out = out + step * x\n";
    text += later && i % 3 == 0 ? "        out = torch.relu(out)\n        logger.info(\"%s\", out.shape)\n"
                                : "        out = torch.tanh(out)\n";
    text += "        return out if scale is None else out * scale\n";
    if (later)
      text +=
          "\n    def extra(self, x: torch.Tensor) -> torch.Tensor:\n        \"\"\"Applies it.\n\n        Args:\n       "
          "     x: what goes in.\n\n        Returns:\n            What comes out.\n        \"\"\"\n        return "
          "self.forward(x).sum()\n";
  }
  return text;
}

std::string TestModule(size_t number, bool later) {
  std::string text =
      "# Copyright 2026 Huawei Technologies Co., Ltd\n\"\"\"Tests of layers.\"\"\"\nimport unittest\n\nimport "
      "torch\n\n\nclass TestLayer(unittest.TestCase):\n";
  for (size_t i = 0; i < (later ? 12u : 9u); ++i) {
    const std::string n = std::to_string(number) + "_" + std::to_string(i);
    text += "    def test_layer_" + n + "(self):\n        \"\"\"\n        Feature: layer " + n +
            ".\n        Description: one.\n        Expectation: equal.\n        \"\"\"\n        torch.manual_seed(" +
            std::to_string(i) +
            ")\n        x = torch.randn(4, 8)\n        expected = x * 2\n        self.assertTrue(torch.allclose(x + x, "
            "expected))\n\n";
  }
  return text;
}

struct BenchChange {
  testing::MemoryTree base;
  testing::MemoryTree head;
};

BenchChange ChangeFor(const PackPlace& place) {
  constexpr size_t kFiles = 15;
  const auto at = [](std::string path, size_t number) {
    for (size_t hit = path.find('%'); hit != std::string::npos; hit = path.find('%'))
      path.replace(hit, 1, std::to_string(number));
    return path;
  };
  BenchChange change;
  for (size_t i = 0; i < kFiles; ++i) {
    change.base[at(place.code, i)] = Module(i, false);
    change.head[at(place.code, i)] = Module(i, true);
    change.base[at(place.test, i)] = TestModule(i, false);
    change.head[at(place.test, i)] = TestModule(i, true);
  }
  return change;
}

// Both versions of every file.
void ParseOfDiff(benchmark::State& state) {
  const BenchChange change = ChangeFor(PackPlaces().at(static_cast<size_t>(state.range(0))));
  for (auto _ : state) {
    for (const testing::MemoryTree* const tree : {&change.base, &change.head}) {
      for (const auto& [path, text] : *tree) {
        benchmark::DoNotOptimize(rules::ParseSource(rules::Language::kPython, text, kLimit));
      }
    }
  }
}
BENCHMARK(ParseOfDiff)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

void RulesOfDiff(benchmark::State& state) {
  const PackPlace& place = PackPlaces().at(static_cast<size_t>(state.range(0)));
  const auto checks = Checks(place.pack);
  const BenchChange trees = ChangeFor(place);
  testing::MemoryChange change(trees.base, trees.head);
  for (auto _ : state) {
    const absl::StatusOr<ReviewReport> report = ReviewChange({checks}, change, DiffReviewOptions());
    if (!report.ok() || report->files != trees.head.size()) Fail("the change is not reviewed");
  }
}
BENCHMARK(RulesOfDiff)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace yardmaster::bench

BENCHMARK_MAIN();
