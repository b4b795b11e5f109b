// Logs as fast as programs talk: lines of 100 bytes of eight ranks, with secrets to look for and somebody who follows.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/worker/logs/log.h"
#include "tests/bench/bench_data.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::bench {
namespace {

constexpr size_t kLineBytes = 100;  // with its newline
constexpr int kRanks = 8;
constexpr size_t kMegabytes = 64;
constexpr size_t kBytes = kMegabytes * 1'000'000;
// What is read from a pipe at once.
constexpr size_t kPieceBytes = 64 * 1024;

// Like the log of a training run: a time, a place, words, and numbers that never repeat.
std::string MakeText() {
  const std::vector<std::string_view> words = {"all_reduce", "finished", "bucket",  "gradient", "tensor", "shape",
                                               "expert",     "layer",    "forward", "backward", "step",   "loss"};
  uint64_t state = 0x9e3779b97f4a7c15;
  const auto next = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  std::string text;
  text.reserve(kBytes + kLineBytes);
  for (size_t number = 0; text.size() < kBytes; ++number) {
    char head[80];
    std::snprintf(head, sizeof(head), "2025-11-22 03:%02zu:%02zu.%06zu I %s:%zu] ", number / 600'000 % 60,
                  number / 10'000 % 60, number * 97 % 1'000'000, "trainer.py", 100 + number % 7);
    std::string line = head;
    while (line.size() < kLineBytes - 12) {
      line += words[next() % words.size()];
      line += next() % 3 == 0 ? "=" + std::to_string(next() % 100'000) + " " : " ";
    }
    line.resize(kLineBytes - 1, '.');
    text += line;
    text += '\n';
  }
  return text;
}

void FollowedLog(benchmark::State& state) {
  const std::string text = MakeText();
  const yardmaster::testing::TempDir folder;
  const std::vector<std::string> secrets = {"ghp_0123456789abcdefghijklmnopqrstuvwxyz", "a-password-of-a-registry",
                                            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ5YXJkIn0"};
  for (auto _ : state) {
    auto log = worker::CreateLog(folder.path() / "log", secrets);
    if (!log.ok()) Fail(std::string(log.status().message()));
    uint64_t followed = 0;
    (*log)->Follow([&](const worker::LogLine& line) { followed += line.text.size() + 1; });
    int rank = 0;
    for (size_t at = 0; at < text.size(); at += kPieceBytes) {
      (*log)->Append(rank, worker::Stream::kStdout, std::string_view(text).substr(at, kPieceBytes));
      // Pieces end in the middle of lines, so that a rank goes on a while.
      if (at / kPieceBytes % 4 == 3) rank = (rank + 1) % kRanks;
    }
    const absl::Status closed = (*log)->Close();
    if (!closed.ok()) Fail(std::string(closed.message()));
    if (followed < text.size()) Fail("the follower missed something");
  }
  // Megabytes, as the harness takes items for the figure.
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kMegabytes));
}
BENCHMARK(FollowedLog)->Unit(benchmark::kMillisecond);

// Looking for what is nowhere reads everything.
void SearchLog(benchmark::State& state) {
  const yardmaster::testing::TempDir folder;
  {
    auto log = worker::CreateLog(folder.path() / "log", {});
    if (!log.ok()) Fail(std::string(log.status().message()));
    (*log)->Append(0, worker::Stream::kStdout, MakeText());
    if (!(*log)->Close().ok()) Fail("the log can't be closed");
  }
  auto log = worker::OpenLog(folder.path() / "log");
  if (!log.ok()) Fail(std::string(log.status().message()));
  for (auto _ : state) {
    auto found = (*log)->Search("(?i)segmentation fault|out of memory", 10, worker::kAllRanks);
    if (!found.ok() || !found->empty()) Fail("the search went wrong");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kMegabytes));
}
BENCHMARK(SearchLog)->Unit(benchmark::kMillisecond);

void TailLog(benchmark::State& state) {
  const yardmaster::testing::TempDir folder;
  {
    auto log = worker::CreateLog(folder.path() / "log", {});
    if (!log.ok()) Fail(std::string(log.status().message()));
    (*log)->Append(0, worker::Stream::kStdout, MakeText());
    if (!(*log)->Close().ok()) Fail("the log can't be closed");
  }
  for (auto _ : state) {
    auto log = worker::OpenLog(folder.path() / "log");
    if (!log.ok()) Fail(std::string(log.status().message()));
    auto tail = (*log)->Tail(100, worker::kAllRanks);
    if (!tail.ok() || tail->size() != 100) Fail("the tail went wrong");
  }
}
BENCHMARK(TailLog)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace yardmaster::bench

BENCHMARK_MAIN();
