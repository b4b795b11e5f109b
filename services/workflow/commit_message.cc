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
#include "absl/strings/substitute.h"
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

// How it is said: $0, $1 are names, paths or numbers.
struct Words {
  const char* add;
  const char* remove;
  const char* rename;
  const char* rename_some;
  const char* copy;
  const char* update;
  const char* one_file;
  const char* files;
  const char* more_names;
  const char* more_files;
  const char* facts;
  const char* between;
  const char* short_message;
};

const Words& WordsOf(Language language) {
  static constexpr std::array<Words, 2> kWords = {{
      {"add $0", "remove $0", "rename $0 to $1", "rename $0", "copy $0 to $1", "update $0", "1 file", "$0 files",
       "$0 and $1 more", "- $0 more files", "$0: $1", ", ", "Update $0"},
      {"新增 $0", "删除 $0", "将 $0 重命名为 $1", "重命名 $0", "将 $0 复制为 $1", "更新 $0", "1 个文件", "$0 个文件",
       "$0 等，另有 $1 个", "- 另有 $0 个文件", "$0：$1", "、", "更新 $0"},
  }};
  return kWords[static_cast<size_t>(language)];
}

std::string FilesOf(size_t count, const Words& words) {
  return count == 1 ? words.one_file : absl::Substitute(words.files, count);
}

std::string Names(const std::vector<std::string>& names, const Words& words) {
  std::vector<std::string> shown(names.begin(), names.begin() + static_cast<long>(std::min(names.size(), kMaxNames)));
  std::string text = absl::StrJoin(
      shown, words.between, [](std::string* out, const std::string& name) { absl::StrAppend(out, "`", name, "`"); });
  return names.size() > kMaxNames ? absl::Substitute(words.more_names, text, names.size() - kMaxNames) : text;
}

// `from` and `to`: the names of a file before and after.
std::string ChangeOf(Change change, const std::string& from, const std::string& to, const Words& words) {
  switch (change) {
    case Change::kAdded:
      return absl::Substitute(words.add, to);
    case Change::kRemoved:
      return absl::Substitute(words.remove, to);
    case Change::kRenamed:
      return absl::Substitute(words.rename, from, to);
    case Change::kCopied:
      return absl::Substitute(words.copy, from, to);
    case Change::kModified:
      break;
  }
  return absl::Substitute(words.update, to);
}

std::string LineOf(const FileFacts& one, const Words& words) {
  const std::string line = ChangeOf(one.file.change, one.file.base.path, Shown(one.file).path, words);
  std::vector<std::string> parts;
  if (!one.added.empty()) parts.push_back(absl::Substitute(words.add, Names(one.added, words)));
  if (!one.removed.empty()) parts.push_back(absl::Substitute(words.remove, Names(one.removed, words)));
  return parts.empty() ? line : absl::Substitute(words.facts, line, absl::StrJoin(parts, words.between));
}

// What one line can say of all files.
std::string SubjectOf(const std::vector<FileFacts>& files, const Words& words) {
  if (files.size() == 1) {
    const FileFacts& one = files.front();
    const bool modified = one.file.change == Change::kModified;
    if (modified && !one.added.empty()) return absl::Substitute(words.add, absl::StrJoin(one.added, words.between));
    if (modified && !one.removed.empty()) {
      return absl::Substitute(words.remove, absl::StrJoin(one.removed, words.between));
    }
    const Change change = one.file.change == Change::kCopied ? Change::kModified : one.file.change;
    return ChangeOf(change, std::string(BaseName(one.file.base.path)), std::string(BaseName(Shown(one.file).path)),
                    words);
  }
  std::vector<std::string> added;
  for (const FileFacts& one : files) {
    if (!IsTest(Shown(one.file).path)) absl::c_copy(one.added, std::back_inserter(added));
  }
  if (!added.empty() && added.size() <= kMaxNames) {
    return absl::Substitute(words.add, absl::StrJoin(added, words.between));
  }
  const Change change = files.front().file.change;
  const bool same = absl::c_all_of(files, [change](const FileFacts& one) { return one.file.change == change; });
  const std::string some = FilesOf(files.size(), words);
  if (same && change == Change::kAdded) return absl::Substitute(words.add, some);
  if (same && change == Change::kRemoved) return absl::Substitute(words.remove, some);
  if (same && change == Change::kRenamed) return absl::Substitute(words.rename_some, some);
  return absl::Substitute(words.update, some);
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

CommitMessage MessageOf(const std::vector<FileFacts>& files, std::string_view branch, std::string_view scope,
                        Language language) {
  const Words& words = WordsOf(language);
  const std::string folder = scope.empty() ? ScopeOf(files) : std::string(scope);
  const std::string type = TypeOf(files, branch);
  std::string head = absl::StrCat(type, folder.empty() || folder == type ? "" : absl::StrCat("(", folder, ")"), ": ");
  std::string subject = SubjectOf(files, words);
  if (head.size() + subject.size() > kMaxSubjectCharacters) {
    subject = absl::Substitute(words.update, FilesOf(files.size(), words));
  }
  std::vector<std::string> lines;
  for (const FileFacts& one : files) {
    if (lines.size() == kMaxBodyLines) {
      lines.push_back(absl::Substitute(words.more_files, files.size() - kMaxBodyLines));
      break;
    }
    lines.push_back("- " + LineOf(one, words));
  }
  return {head + subject, absl::StrJoin(lines, "\n")};
}

std::string ShortMessageOf(const std::vector<std::string>& paths, Language language) {
  const Words& words = WordsOf(language);
  return absl::Substitute(words.short_message, paths.size() == 1 ? paths.front() : FilesOf(paths.size(), words));
}

}  // namespace yardmaster::workflow
