#include "services/review/pull_meta.h"

#include <array>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/glob.h"

namespace yardmaster {
namespace {

// A part of it: what people call it, the path of its file (of commits: of one of them), and whether it is known.
struct Part {
  std::string_view name;
  std::string_view path;
  bool (*known)(const PullMeta& meta);
};

constexpr std::array<Part, 5> kParts = {{
    {"title", "@pull/title.txt", [](const PullMeta& meta) { return meta.title.has_value(); }},
    {"description", "@pull/description.md", [](const PullMeta& meta) { return meta.body.has_value(); }},
    {"labels", "@pull/labels.txt", [](const PullMeta& meta) { return meta.labels.has_value(); }},
    {"author", "@pull/author.txt", [](const PullMeta& meta) { return meta.author.has_value(); }},
    {"commits", "@pull/commits/0.txt", [](const PullMeta& meta) { return meta.commits.has_value(); }},
}};

}  // namespace

std::vector<PullFile> PullFilesOf(const PullMeta& meta) {
  std::vector<PullFile> files;
  if (meta.title) files.push_back({"@pull/title.txt", *meta.title});
  if (meta.body) files.push_back({"@pull/description.md", *meta.body});
  if (meta.labels) files.push_back({"@pull/labels.txt", absl::StrJoin(*meta.labels, "\n")});
  if (meta.author) files.push_back({"@pull/author.txt", *meta.author});
  if (meta.commits) {
    for (const PullMeta::Commit& commit : *meta.commits) {
      files.push_back({absl::StrCat("@pull/commits/", commit.id, ".txt"), commit.message});
    }
  }
  return files;
}

std::vector<std::string> UnknownFor(const rules::CheckInfo& check, const std::optional<PullMeta>& meta) {
  const bool about_pull = !check.files.empty() && absl::c_all_of(check.files, [](const std::string& glob) {
    return glob.starts_with(kPullFiles);
  });
  std::vector<std::string> unknown;
  if (!about_pull) return unknown;
  for (const Part& part : kParts) {
    const bool asked =
        absl::c_any_of(check.files, [&](const std::string& glob) { return MatchesGlob(glob, part.path); });
    if (!asked) continue;
    if (meta && part.known(*meta)) return {};
    unknown.emplace_back(part.name);
  }
  return unknown;
}

}  // namespace yardmaster
