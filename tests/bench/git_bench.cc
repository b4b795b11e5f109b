// A clone of 20,000 files in which a change touches 100 of them with 5,000 lines: what a review reads of it first.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>
#include <string>

#include "clients/git/git_repository.h"
#include "tests/support/git_work.h"

namespace yardmaster::bench {
namespace {

constexpr int kFolders = 200;
constexpr int kFilesInFolder = 100;
constexpr int kChangedFolders = 20;
constexpr int kChangedInFolder = 5;
constexpr int kAddedLines = 50;  // in each changed file
constexpr size_t kMaxFiles = 1'000;

std::string SourceOf(int folder, int file, int lines) {
  std::string text;
  for (int line = 0; line < lines; ++line) {
    text += "def function_" + std::to_string(folder) + "_" + std::to_string(file) + "_" + std::to_string(line) +
            "(x):\n    return x + " + std::to_string(line) + "\n";
  }
  return text;
}

std::string PathOf(int folder, int file) {
  return "src/folder_" + std::to_string(folder) + "/file_" + std::to_string(file) + ".py";
}

struct Clone {
  Clone() {
    for (int folder = 0; folder < kFolders; ++folder) {
      for (int file = 0; file < kFilesInFolder; ++file) work.Write(PathOf(folder, file), SourceOf(folder, file, 20));
    }
    base = work.Commit();
    for (int folder = 0; folder < kChangedFolders; ++folder) {
      for (int file = 0; file < kChangedInFolder; ++file) {
        work.Write(PathOf(folder, file), SourceOf(folder, file, 20 + kAddedLines / 2));
      }
    }
    head = work.Commit();
    work.Git("repack -q -a -d");
    work.Write(PathOf(0, 0), "changed = True\n");
  }
  testing::GitWork work;
  std::string base;
  std::string head;
};

const Clone& TheClone() {
  static const Clone clone;
  return clone;
}

std::unique_ptr<GitRepository> OpenClone() { return *GitRepository::Open(TheClone().work.path()); }

void BM_DiffOfCommits(benchmark::State& state) {
  TheClone();
  for (auto _ : state) {
    const auto repository = OpenClone();
    const auto base = *repository->TreeOf(TheClone().base);
    const auto head = *repository->TreeOf(TheClone().head);
    const auto files = *repository->Diff(*base, *head, kMaxFiles);
    if (files.size() != kChangedFolders * kChangedInFolder) state.SkipWithError("not all changes were found");
  }
}
BENCHMARK(BM_DiffOfCommits)->Unit(benchmark::kMillisecond);

void BM_EntriesOfACommit(benchmark::State& state) {
  TheClone();
  for (auto _ : state) {
    const auto repository = OpenClone();
    const auto head = *repository->TreeOf(TheClone().head);
    benchmark::DoNotOptimize((*head->Entries())->size());
  }
}
BENCHMARK(BM_EntriesOfACommit)->Unit(benchmark::kMillisecond);

void BM_DiffOfTheWorkTree(benchmark::State& state) {
  TheClone();
  for (auto _ : state) {
    const auto repository = OpenClone();
    const auto head = *repository->TreeOf(TheClone().head);
    const auto files = *repository->WorkTree();
    if (repository->Diff(*head, *files, kMaxFiles)->size() != 1) state.SkipWithError("the change was not found");
  }
}
BENCHMARK(BM_DiffOfTheWorkTree)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace yardmaster::bench

BENCHMARK_MAIN();
