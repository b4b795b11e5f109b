// What benchmarks work on: the cases in tests/data/, the environment dump, and the packs.
#ifndef YARDMASTER_TESTS_BENCH_BENCH_DATA_H_
#define YARDMASTER_TESTS_BENCH_BENCH_DATA_H_

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/compiled_pack.h"
#include "rules/engine/issue_input.h"
#include "rules/engine/pack/pack_loader.h"
#include "tests/support/source_path.h"

namespace yardmaster::bench {

// Ends the program: a benchmark of something broken says nothing.
[[noreturn]] inline void Fail(const std::string& message) {
  std::cerr << "benchmark: " << message << "\n";
  std::exit(2);
}

inline std::string ReadData(std::string_view name) {
  const std::filesystem::path path = testing::SourcePath("tests/data") / name;
  std::ifstream file(path, std::ios::binary);
  if (!file) Fail("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// The cases, each body with `suffix` behind it.
inline std::vector<rules::IssueInput> ReadCases(const std::string& suffix = "") {
  std::vector<rules::IssueInput> cases;
  const std::string data = ReadData("triage_cases.jsonl");
  for (size_t begin = 0; begin < data.size();) {
    const size_t end = std::min(data.find('\n', begin), data.size());
    std::string error;
    std::optional<rules::IssueInput> issue = rules::ParseIssueInput(
        nlohmann::json::parse(data.begin() + static_cast<long>(begin), data.begin() + static_cast<long>(end)), error);
    if (!issue.has_value()) Fail("triage_cases.jsonl: " + error);
    issue->body += suffix;
    cases.push_back(*std::move(issue));
    begin = end + 1;
  }
  return cases;
}

// The case whose text is closest to the average in size: what one request with "a typical issue" carries.
inline rules::IssueInput TypicalCase() {
  const std::vector<rules::IssueInput> cases = ReadCases();
  size_t total = 0;
  for (const rules::IssueInput& issue : cases) total += issue.body.size();
  const auto distance = [&](const rules::IssueInput& issue) {
    const size_t mean = total / cases.size();
    return issue.body.size() > mean ? issue.body.size() - mean : mean - issue.body.size();
  };
  const rules::IssueInput* best = &cases[0];
  for (const rules::IssueInput& issue : cases) {
    if (distance(issue) < distance(*best)) best = &issue;
  }
  return *best;
}

// YARD_PACKS, or those of the source tree.
inline std::filesystem::path PacksDir() {
  const char* given = std::getenv("YARD_PACKS");
  return given != nullptr && *given != '\0' ? std::filesystem::path(given) : testing::SourcePath("rules/packs");
}

// YARD_BENCH_PACK, or the rubric that the floors are written for.
inline std::string PackName() {
  const char* given = std::getenv("YARD_BENCH_PACK");
  return given != nullptr && *given != '\0' ? given : "pytorch-distributed";
}

inline std::shared_ptr<const rules::CompiledPack> LoadBenchPack() {
  Problems problems;
  const rules::PackFiles files = rules::ReadPackFiles(PacksDir(), problems);
  std::optional<rules::PackModel> model = rules::LoadPack(files, PackName(), problems);
  std::shared_ptr<const rules::CompiledPack> pack;
  if (model.has_value()) pack = rules::CompiledPack::Compile(*std::move(model), problems);
  if (pack == nullptr)
    Fail("the pack " + PackName() + " does not load: " + (problems.empty() ? "" : problems[0].ToString()));
  return pack;
}

}  // namespace yardmaster::bench

#endif  // YARDMASTER_TESTS_BENCH_BENCH_DATA_H_
