#include "services/workflow/description.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"

namespace yardmaster::workflow {
namespace {

constexpr size_t kMaxLines = 40;

// What a section is about, told by words of its heading.
enum class Topic : uint8_t { kOther, kKind, kWhat, kIssues, kTests };
struct TopicWords {
  Topic topic;
  std::vector<const char*> words;  // of the heading in lower case
};

Topic TopicOf(std::string_view heading) {
  static const std::array<TopicWords, 4> kTopics = {
      TopicWords{Topic::kKind, {"type of pr", "kind of", "type of change", "类型"}},
      TopicWords{Topic::kIssues, {"issue", "关联", "相关的issue"}},
      TopicWords{Topic::kTests, {"test", "测试", "验证"}},
      TopicWords{Topic::kWhat, {"what does", "description", "summary", "why", "描述", "修改内容", "原因"}},
  };
  const std::string lower = absl::AsciiStrToLower(Abs(heading));
  for (const TopicWords& one : kTopics) {
    if (absl::c_any_of(one.words, [&lower](const char* word) { return absl::StrContains(lower, word); })) {
      return one.topic;
    }
  }
  return Topic::kOther;
}

// "## Why", "**Why**:", a heading of either form.
bool IsHeading(const std::string& line) {
  static const RE2 kHeading(R"(^\s*(?:#{1,6}\s+\S.*|\*\*[^*]+\*\*\s*[:：]?\s*)$)");
  return RE2::FullMatch(line, kHeading);
}

bool IsRule(const std::string& line) {
  static const RE2 kRule(R"(^\s*(?:-{3,}|\*{3,}|_{3,})\s*$)");
  return RE2::FullMatch(line, kRule);
}

struct Section {
  std::string heading;  // empty: what stands above the first one
  std::vector<std::string> lines;
};

std::vector<Section> SectionsOf(std::string_view text) {
  std::vector<Section> sections(1);
  bool in_comment = false;
  bool ruled = false;
  for (absl::string_view raw : absl::StrSplit(Abs(text), '\n')) {
    std::string line(absl::StripTrailingAsciiWhitespace(raw));
    if (!in_comment && IsHeading(line)) {
      sections.push_back({line, {}});
      ruled = false;
      continue;
    }
    // A rule ends a section; what follows belongs to nobody.
    if (!in_comment && IsRule(line) && !ruled) {
      sections.push_back({"", {}});
      ruled = true;
    }
    const size_t open = line.rfind("<!--");
    const size_t close = line.rfind("-->");
    if (open != std::string::npos && (close == std::string::npos || close < open)) in_comment = true;
    if (close != std::string::npos && (open == std::string::npos || close > open)) in_comment = false;
    sections.back().lines.push_back(std::move(line));
  }
  return sections;
}

std::string ShownHeading(std::string_view heading) {
  static const RE2 kMarks(R"(^[\s#*]+|[\s*:：]+$)");
  std::string shown(heading);
  RE2::GlobalReplace(&shown, kMarks, "");
  return shown;
}

// "- 2 test files in `tests/ops`" for each folder.
std::string TestsIn(const std::vector<std::string>& paths, Language language) {
  std::map<std::string, size_t> folders;
  for (const std::string& path : paths) {
    const size_t end = path.rfind('/');
    ++folders[end == std::string::npos ? "." : path.substr(0, end)];
  }
  std::vector<std::string> lines;
  lines.reserve(folders.size());
  for (const auto& [folder, count] : folders) {
    lines.push_back(language == Language::kChinese
                        ? absl::StrCat("- `", folder, "`：", count, " 个测试文件")
                        : absl::StrCat("- ", count, count == 1 ? " test file" : " test files", " in `", folder, "`"));
  }
  return absl::StrJoin(lines, "\n");
}

// Whether somebody has written there: anything but comments, boxes, and placeholders like "Fixes #".
bool IsWritten(const Section& section) {
  static const RE2 kPlaceholder(
      R"(^\s*(?:|[-*]\s*|[-*]\s*\[[ xX]\].*|(?i:fixes|closes|resolves)\s*:?\s*#?\s*|/kind\s*(?:<.*>)?|N/?A|TODO|无)\s*$)");
  bool in_comment = false;
  for (const std::string& line : section.lines) {
    const bool opens = absl::StrContains(line, "<!--");
    const bool closes = absl::StrContains(line, "-->");
    if (!in_comment && !opens && !RE2::FullMatch(line, kPlaceholder)) return true;
    in_comment = (in_comment || opens) && !closes;
  }
  return false;
}

std::string KindOf(std::string_view subject) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kKinds = {{{"feat", "feature"},
                                                                                           {"fix", "bug"},
                                                                                           {"perf", "feature"},
                                                                                           {"refactor", "refactor"},
                                                                                           {"style", "clean_code"},
                                                                                           {"docs", "task"},
                                                                                           {"test", "task"},
                                                                                           {"chore", "task"},
                                                                                           {"ci", "task"}}};
  const size_t end = subject.find_first_of("(:!");
  if (end == std::string_view::npos) return "";
  for (const auto& [type, kind] : kKinds) {
    if (subject.substr(0, end) == type) return std::string(kind);
  }
  return "";
}

std::string SubjectOf(const GitCommit& commit) { return commit.message.substr(0, commit.message.find('\n')); }

// Bodies of the commits without their trailers; of several commits each below its subject.
std::string WhatOf(const std::vector<GitCommit>& commits) {
  static const RE2 kTrailer(R"(^[A-Za-z][A-Za-z-]*: \S.*$)");
  std::vector<std::string> lines;
  for (const GitCommit& commit : commits) {
    if (commits.size() > 1) lines.push_back("- " + SubjectOf(commit));
    std::vector<std::string> body = absl::StrSplit(absl::StripAsciiWhitespace(commit.message), '\n');
    body.erase(body.begin());
    while (!body.empty() && (body.back().empty() || RE2::FullMatch(body.back(), kTrailer))) body.pop_back();
    if (commits.size() == 1) absl::c_copy(body, std::back_inserter(lines));
  }
  while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
  if (lines.size() > kMaxLines) lines.resize(kMaxLines);
  return absl::StrJoin(lines, "\n");
}

}  // namespace

std::vector<std::string> IssuesNamed(const std::vector<GitCommit>& commits) {
  static const RE2 kFixes(R"((?i)\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?)\b:?\s+((?:[\w.-]+/[\w.-]+)?#\d+))");
  std::vector<std::string> issues;
  for (const GitCommit& commit : commits) {
    re2::StringPiece rest(commit.message);
    std::string issue;
    while (RE2::FindAndConsume(&rest, kFixes, &issue)) {
      if (!absl::c_linear_search(issues, issue)) issues.push_back(issue);
    }
  }
  return issues;
}

std::vector<std::string> TestFiles(const std::vector<FileFacts>& files) {
  std::vector<std::string> tests;
  for (const FileFacts& one : files) {
    const std::string& path = one.file.head.path;
    const std::string name = path.substr(path.rfind('/') + 1);
    if (one.file.head.mode != 0 && (name.starts_with("test_") || absl::StrContains(name, "_test."))) {
      tests.push_back(path);
    }
  }
  return tests;
}

std::string_view PlainTemplate(Language language) {
  static constexpr std::string_view kEnglishText =
      "**What does this PR do and why**:\n\n**Which issue(s) this PR fixes**:\n\n**Tests**:\n";
  static constexpr std::string_view kChineseText = "**描述与原因**：\n\n**关联的 issue**：\n\n**测试**：\n";
  return language == Language::kChinese ? kChineseText : kEnglishText;
}

std::vector<std::string> GapsOf(std::string_view body, Language language) {
  static const RE2 kNumber(R"(#\d+|/(?:issues?|work_items)/\d+)");
  static const RE2 kBox(R"(^\s*[-*]\s*\[ \])");
  const bool chinese = language == Language::kChinese;
  std::vector<std::string> gaps;
  size_t boxes = 0;
  for (const Section& section : SectionsOf(body)) {
    for (const std::string& line : section.lines) boxes += RE2::PartialMatch(line, kBox) ? 1 : 0;
    const Topic topic = section.heading.empty() ? Topic::kOther : TopicOf(section.heading);
    if (topic == Topic::kOther) continue;
    if (topic == Topic::kIssues) {
      const bool linked =
          absl::c_any_of(section.lines, [](const std::string& line) { return RE2::PartialMatch(line, kNumber); });
      if (linked) continue;
      gaps.push_back(absl::StrCat(chinese ? "没有关联 issue：" : "no issue is named: ", ShownHeading(section.heading)));
    } else if (!IsWritten(section)) {
      gaps.push_back(absl::StrCat(chinese ? "没有填写：" : "nothing is written: ", ShownHeading(section.heading)));
    }
  }
  if (boxes > 0 && chinese) gaps.push_back(absl::StrCat(boxes, " 个选项没有勾选"));
  if (boxes > 0 && !chinese) gaps.push_back(absl::StrCat(boxes, boxes == 1 ? " box is" : " boxes are", " not ticked"));
  return gaps;
}

Description Describe(const std::vector<GitCommit>& commits, const std::vector<FileFacts>& files, std::string_view text,
                     Language language) {
  Description description;
  description.title = SubjectOf(commits.front());
  const std::string what = WhatOf(commits);
  const std::vector<std::string> issues = IssuesNamed(commits);
  const std::string fixes = absl::StrJoin(
      issues, "\n", [](std::string* out, const std::string& one) { absl::StrAppend(out, "Fixes ", one); });
  if (absl::StripAsciiWhitespace(Abs(text)).empty()) {
    description.body = what;
    // The text says it already where the commit's body is all of it.
    if (commits.size() > 1 && !fixes.empty()) absl::StrAppend(&description.body, what.empty() ? "" : "\n\n", fixes);
    return description;
  }
  const std::string kind = KindOf(description.title);
  const std::string tests = TestsIn(TestFiles(files), language);
  std::set<Topic> said;
  std::vector<std::string> lines;
  for (const Section& section : SectionsOf(text)) {
    if (!section.heading.empty()) lines.push_back(section.heading);
    const Topic topic = section.heading.empty() ? Topic::kOther : TopicOf(section.heading);
    const std::string known = topic == Topic::kKind     ? (kind.empty() ? "" : "/kind " + kind)
                              : topic == Topic::kWhat   ? what
                              : topic == Topic::kIssues ? fixes
                              : topic == Topic::kTests  ? tests
                                                        : "";
    if (known.empty() || IsWritten(section) || !said.insert(topic).second) {
      absl::c_copy(section.lines, std::back_inserter(lines));
      continue;
    }
    // Comments tell people what to write: they stay. Boxes do, too, since nobody ticks them but the author.
    bool in_comment = false;
    for (const std::string& line : section.lines) {
      const bool opens = absl::StrContains(line, "<!--");
      if (in_comment || opens || absl::StrContains(line, "[ ]") || absl::StrContains(line, "[x]")) {
        lines.push_back(line);
      }
      in_comment = (in_comment || opens) && !absl::StrContains(line, "-->");
    }
    lines.insert(lines.end(), {known, ""});
  }
  description.body = absl::StrCat(absl::StripTrailingAsciiWhitespace(absl::StrJoin(lines, "\n")), "\n");
  return description;
}

}  // namespace yardmaster::workflow
