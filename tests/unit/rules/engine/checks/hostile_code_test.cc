// Hostile files through the whole engine: each ends in a finding within limits or is judged like any other, and all of
// them together take no more memory than is said here.
#include "tests/support/hostile_code.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/review.h"

namespace yardmaster::rules {
namespace {

using yardmaster::testing::HostileCode;
using yardmaster::testing::HostileEnd;
using yardmaster::testing::HostileFile;

// Checks that look at every table, with walks over calls, other files, and a query of each grammar.
constexpr char kChecks[] = R"json({
  "definitions": {
    "made": {"each": "expr", "where": {"any": [{"type": "call"}, {"type": "name", "binding.value": {"is": "made"}}]}}},
  "checks": [
    {"id": "H1", "title": "t", "severity": "S1", "message": "{resolved}", "each": ["call", "attribute"], "where": {"is": "made", "resolved": "never"}, "good": ["x"], "bad": ["x"]},
    {"id": "H2", "title": "t", "severity": "S1", "message": "{name}", "each": "function", "where": {"exists": {"each": "call", "scope": "reachable", "where": {"name": "never"}}}, "good": ["x"], "bad": ["x"]},
    {"id": "H3", "title": "t", "severity": "S1", "message": "{pointer}", "each": "entry", "where": {"key": "never", "exists": {"each": "entry", "scope": "children"}}, "good": ["x"], "bad": ["x"]},
    {"id": "H4", "title": "t", "severity": "S1", "message": "{title}", "each": "section", "where": {"exists": {"each": "checkbox", "scope": "body", "where": {"text": "never"}}}, "good": ["x"], "bad": ["x"]},
    {"id": "H5", "title": "t", "severity": "S1", "message": "{target}", "each": "link", "where": {"target": "never"}, "good": ["x"], "bad": ["x"]},
    {"id": "H6", "title": "t", "severity": "S1", "message": "{p}", "query": "(call function: (identifier) @p (#eq? @p \"never\"))", "languages": ["python"], "good": ["x"], "bad": ["x"]},
    {"id": "H7", "title": "t", "severity": "S1", "message": "{p}", "query": "(call_expression function: (_) @p (#eq? @p \"never\"))", "languages": ["cpp", "cuda"], "good": ["x"], "bad": ["x"]},
    {"id": "H8", "title": "t", "severity": "S1", "message": "{p}", "query": "(block_mapping_pair key: (_) @p (#eq? @p \"never\"))", "languages": ["yaml"], "good": ["x"], "bad": ["x"]},
    {"id": "H9", "title": "t", "severity": "S1", "message": "{p}", "query": "(pair key: (_) @p (#eq? @p \"never\"))", "languages": ["json"], "good": ["x"], "bad": ["x"]}
  ]})json";

std::shared_ptr<const CheckSet> Checks() {
  Problems problems;
  auto checks =
      LoadChecks({{"p/pack.json", R"({"name": "p", "title": "t"})"}, {"p/checks/a.json", kChecks}}, "p", problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  return checks;
}

ReviewFile FileOf(const HostileFile& hostile) {
  ReviewFile file;
  file.path = hostile.path;
  file.text = hostile.text;
  return file;
}

bool Has(const ReviewResult& result, std::string_view rule) {
  return std::any_of(result.findings.begin(), result.findings.end(),
                     [&](const Finding& finding) { return finding.rule_id == rule; });
}

// Sanitizers make everything slower and larger.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

TEST(HostileCode, EachFileEndsInAFindingOfALimitOrIsReadLikeAnyOther) {
  const auto checks = Checks();
  ASSERT_NE(checks, nullptr);
  ReviewOptions options;
  // What is asked here is where a file ends, not how fast this machine is.
  options.parse_limit = std::chrono::seconds(60);
  for (const HostileFile& hostile : HostileCode()) {
    if (kSanitized && hostile.text.size() > 300'000) continue;
    // A query may take seconds over what an error tore apart; it is cut off as soon as that is clear.
    options.check_limit = hostile.end == HostileEnd::kReviewed ? options.parse_limit : std::chrono::milliseconds(200);
    const ReviewResult result = Review(*checks, {FileOf(hostile)}, options);
    const std::string name = hostile.path + " " + hostile.name;
    if (hostile.end == HostileEnd::kReviewed) {
      EXPECT_TRUE(result.findings.empty()) << name;
    } else {
      EXPECT_TRUE(Has(result, hostile.end == HostileEnd::kLimit ? kLimitRule : kParseRule)) << name;
    }
    for (const Finding& finding : result.findings) EXPECT_FALSE(finding.message.empty()) << name;
  }
}

// Peak memory in MiB of a process that does `work`; 0 if it failed.
template <typename Work>
size_t PeakOf(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return 0;
  return static_cast<size_t>(usage.ru_maxrss) / 1024;
}

TEST(HostileCode, OneSetOfAllFilesStaysWithinItsMemory) {
  if (kSanitized) GTEST_SKIP() << "sanitizers keep what is freed";
  const auto checks = Checks();
  ASSERT_NE(checks, nullptr);
  const size_t peak = PeakOf([&] {
    std::vector<ReviewFile> files;
    for (const HostileFile& hostile : HostileCode()) files.push_back(FileOf(hostile));
    Review(*checks, std::move(files), {});
  });
  // 96 MiB of one parse, some 150 of the facts of a set, the texts twice, the program. It was 1.3 GiB for a third of
  // it.
  EXPECT_GT(peak, 0U);
  EXPECT_LT(peak, 450U);
}

TEST(HostileCode, FilesBeyondTheFactsOfASetAreTold) {
  const auto checks = Checks();
  ASSERT_NE(checks, nullptr);
  std::vector<ReviewFile> files;
  for (const char* path : {"a.md", "b.md", "c.md", "d.md"}) {
    ReviewFile& file = files.emplace_back();
    file.path = path;
    file.text = yardmaster::testing::Times("- a\n", kMaxSourceRows);
    file.context = file.path == "d.md";
  }
  ReviewOptions options;
  options.path = "folder";
  const ReviewResult result = Review(*checks, std::move(files), options);
  std::vector<std::string> told;
  for (const Finding& finding : result.findings) {
    if (finding.message.find("judged together") != std::string::npos) told.push_back(finding.path);
  }
  EXPECT_EQ(told, (std::vector<std::string>{"c.md", "folder"}));
}

TEST(HostileCode, AFileWithoutATextIsAPassedLimit) {
  const auto checks = Checks();
  ASSERT_NE(checks, nullptr);
  ReviewFile file;
  file.path = "a.py";
  file.unread = "too much";
  const ReviewResult result = Review(*checks, {file}, {});
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].rule_id, kLimitRule);
  EXPECT_EQ(result.findings[0].message, "too much");
}

}  // namespace
}  // namespace yardmaster::rules
