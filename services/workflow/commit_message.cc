#include "services/workflow/commit_message.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"

namespace yardmaster::workflow {
namespace {

using Change = GitChangedFile::Change;

constexpr size_t kMaxSubjectCharacters = 72;
constexpr size_t kMaxBodyLines = 20;
constexpr size_t kMaxNames = 5;

// What a message must not have, and what it is called.
struct Forbidden {
  const char* pattern;
  const char* what;
};
constexpr std::array kForbidden = {
    Forbidden{"\xF0\x9F\xA4\x96", "a robot"},
    Forbidden{R"((?i)\b(?:made|generated)[ -](?:with|by)\s*:)", "the name of a tool that made it"},
    Forbidden{R"((?i)\b(?:made|generated|created|written) (?:with|by) \[[^\]]*\]\(https?:)",
              "the name of a tool that made it"},
};
constexpr const char* kCoAuthor = R"((?im)^\s*co-authored-by:[^<\n]*<([^>\n]*)>)";

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

const GitTreeEntry& Shown(const GitChangedFile& file) { return file.head.mode != 0 ? file.head : file.base; }

bool IsTest(std::string_view path) {
  const std::string_view name = BaseName(path);
  return absl::StrContains(Abs(absl::StrCat("/", Abs(path))), "/tests/") || name.starts_with("test_") ||
         absl::StrContains(Abs(name), "_test.");
}

bool IsText(std::string_view path) {
  return path.ends_with(".md") || path.ends_with(".rst") || path.ends_with(".txt") || path.starts_with("docs/");
}

bool IsTool(std::string_view path) { return path.starts_with('.') || BaseName(path) == "CMakeLists.txt"; }

// Functions and classes that begin a line of Python.
std::set<std::string> TopNames(std::string_view text) {
  static const RE2 kTop(R"((?m)^(?:async\s+)?(?:def|class)\s+([A-Za-z]\w*))");
  std::set<std::string> names;
  re2::StringPiece rest(text.data(), text.size());
  std::string name;
  while (RE2::FindAndConsume(&rest, kTop, &name)) {
    if (!absl::StartsWithIgnoreCase(name, "test")) names.insert(name);
  }
  return names;
}

// The type by the branch's name, else by what is touched alone.
std::string TypeOf(const std::vector<FileFacts>& files, std::string_view branch) {
  static constexpr std::array<std::string_view, 11> kTypes = {"feat", "fix", "refactor", "docs",  "test",  "chore",
                                                              "perf", "ci",  "style",    "build", "revert"};
  const std::string_view prefix = branch.substr(0, std::min(branch.find('/'), branch.size()));
  if (prefix.size() < branch.size() && absl::c_linear_search(kTypes, prefix)) return std::string(prefix);
  const auto all = [&files](bool (*is)(std::string_view)) {
    return absl::c_all_of(files, [is](const FileFacts& one) { return is(Shown(one.file).path); });
  };
  if (all(IsTest)) return "test";
  if (all(IsText)) return "docs";
  if (all(IsTool)) return "chore";
  if (absl::c_all_of(files, [](const FileFacts& one) { return one.file.change == Change::kRenamed; })) {
    return "refactor";
  }
  const bool adds = absl::c_any_of(files, [](const FileFacts& one) {
    return !IsTest(Shown(one.file).path) && !IsText(Shown(one.file).path) &&
           (one.file.change == Change::kAdded || !one.added.empty());
  });
  return adds ? "feat" : "chore";
}

// The last folder that all files have in common, tests and texts aside where there are others.
std::string ScopeOf(const std::vector<FileFacts>& files) {
  std::vector<std::string> common;
  bool first = true;
  for (const bool any : {false, true}) {
    for (const FileFacts& one : files) {
      const std::string& path = Shown(one.file).path;
      if (!any && (IsTest(path) || IsText(path))) continue;
      std::vector<std::string> folders = absl::StrSplit(path, '/');
      folders.pop_back();
      if (!first) {
        const auto ends = std::mismatch(common.begin(), common.end(), folders.begin(), folders.end());
        common.erase(ends.first, common.end());
      } else {
        common = std::move(folders);
      }
      first = false;
    }
    if (!first) break;
  }
  return common.empty() ? std::string() : common.back();
}

std::string Names(const std::vector<std::string>& names) {
  std::vector<std::string> shown(names.begin(), names.begin() + static_cast<long>(std::min(names.size(), kMaxNames)));
  std::string text = absl::StrJoin(
      shown, ", ", [](std::string* out, const std::string& name) { absl::StrAppend(out, "`", name, "`"); });
  if (names.size() > kMaxNames) absl::StrAppend(&text, " and ", names.size() - kMaxNames, " more");
  return text;
}

std::string LineOf(const FileFacts& one) {
  const std::string& path = Shown(one.file).path;
  std::string line;
  switch (one.file.change) {
    case Change::kAdded:
      line = absl::StrCat("add ", path);
      break;
    case Change::kRemoved:
      line = absl::StrCat("remove ", path);
      break;
    case Change::kRenamed:
      line = absl::StrCat("rename ", one.file.base.path, " to ", path);
      break;
    case Change::kCopied:
      line = absl::StrCat("copy ", one.file.base.path, " to ", path);
      break;
    case Change::kModified:
      line = absl::StrCat("update ", path);
      break;
  }
  std::vector<std::string> parts;
  if (!one.added.empty()) parts.push_back(absl::StrCat("add ", Names(one.added)));
  if (!one.removed.empty()) parts.push_back(absl::StrCat("remove ", Names(one.removed)));
  return parts.empty() ? line : absl::StrCat(line, ": ", absl::StrJoin(parts, ", "));
}

// What one line can say of all files.
std::string SubjectOf(const std::vector<FileFacts>& files) {
  if (files.size() == 1) {
    const FileFacts& one = files.front();
    const std::string name(BaseName(Shown(one.file).path));
    if (one.file.change == Change::kModified && !one.added.empty()) return "add " + absl::StrJoin(one.added, ", ");
    if (one.file.change == Change::kModified && !one.removed.empty()) {
      return "remove " + absl::StrJoin(one.removed, ", ");
    }
    if (one.file.change == Change::kAdded) return "add " + name;
    if (one.file.change == Change::kRemoved) return "remove " + name;
    if (one.file.change == Change::kRenamed) {
      return absl::StrCat("rename ", Abs(BaseName(one.file.base.path)), " to ", name);
    }
    return "update " + name;
  }
  std::vector<std::string> added;
  for (const FileFacts& one : files) {
    if (!IsTest(Shown(one.file).path)) absl::c_copy(one.added, std::back_inserter(added));
  }
  if (!added.empty() && added.size() <= kMaxNames) return "add " + absl::StrJoin(added, ", ");
  const Change change = files.front().file.change;
  const bool same = absl::c_all_of(files, [change](const FileFacts& one) { return one.file.change == change; });
  const char* const verb = !same                        ? "update"
                           : change == Change::kAdded   ? "add"
                           : change == Change::kRemoved ? "remove"
                           : change == Change::kRenamed ? "rename"
                                                        : "update";
  return absl::StrCat(verb, " ", files.size(), " files");
}

}  // namespace

std::optional<std::string> WhyBadMessage(std::string_view message) {
  if (absl::StripAsciiWhitespace(Abs(message)).empty()) return "the message is empty";
  const re2::StringPiece all(message.data(), message.size());
  for (const Forbidden& one : kForbidden) {
    if (RE2::PartialMatch(all, one.pattern)) return absl::StrCat("the message has ", one.what);
  }
  static const RE2 kCoAuthors(kCoAuthor);
  re2::StringPiece rest = all;
  std::string mail;
  while (RE2::FindAndConsume(&rest, kCoAuthors, &mail)) {
    const std::string lower = absl::AsciiStrToLower(mail);
    const bool nobody = absl::StrContains(lower, "noreply") || absl::StrContains(lower, "no-reply");
    if (nobody && !absl::EndsWith(lower, "@users.noreply.github.com")) {
      return absl::StrCat("the message names a co-author whom no mail reaches: ", mail);
    }
  }
  return std::nullopt;
}

FileFacts FactsOfFile(const GitChangedFile& file, std::string_view base, std::string_view head) {
  FileFacts facts{file, {}, {}};
  if (!Shown(file).path.ends_with(".py")) return facts;
  const std::set<std::string> before = TopNames(base);
  const std::set<std::string> after = TopNames(head);
  absl::c_set_difference(after, before, std::back_inserter(facts.added));
  absl::c_set_difference(before, after, std::back_inserter(facts.removed));
  return facts;
}

CommitMessage MessageOf(const std::vector<FileFacts>& files, std::string_view branch, std::string_view scope) {
  const std::string folder = scope.empty() ? ScopeOf(files) : std::string(scope);
  const std::string type = TypeOf(files, branch);
  std::string head = absl::StrCat(type, folder.empty() || folder == type ? "" : absl::StrCat("(", folder, ")"), ": ");
  std::string subject = SubjectOf(files);
  if (head.size() + subject.size() > kMaxSubjectCharacters) {
    subject = absl::StrCat("update ", files.size(), files.size() == 1 ? " file" : " files");
  }
  std::vector<std::string> lines;
  for (const FileFacts& one : files) {
    if (lines.size() == kMaxBodyLines) {
      lines.push_back(absl::StrCat("- ", files.size() - kMaxBodyLines, " more files"));
      break;
    }
    lines.push_back("- " + LineOf(one));
  }
  return {head + subject, absl::StrJoin(lines, "\n")};
}

std::string ShortMessageOf(const std::vector<std::string>& paths) {
  return paths.size() == 1 ? "Update " + paths.front() : absl::StrCat("Update ", paths.size(), " files");
}

}  // namespace yardmaster::workflow
