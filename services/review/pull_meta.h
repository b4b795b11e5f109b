// What only a forge knows of a pull request. Checks see it as files (rules/checks.md): "@pull/title.txt",
// "@pull/description.md", "@pull/labels.txt" (one a line), "@pull/author.txt" and "@pull/commits/<id>.txt" (messages).
#ifndef YARDMASTER_SERVICES_REVIEW_PULL_META_H_
#define YARDMASTER_SERVICES_REVIEW_PULL_META_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/checks/check_set.h"

namespace yardmaster {

inline constexpr std::string_view kPullFiles = "@pull/";

// nullopt: not known, so that checks about it are skipped.
struct PullMeta {
  struct Commit {
    std::string id;
    std::string message;
    std::string author;
  };
  std::optional<std::string> title;
  std::optional<std::string> body;
  std::optional<std::vector<std::string>> labels;
  std::optional<std::string> author;
  std::optional<std::vector<Commit>> commits;
};

struct PullFile {
  std::string path;
  std::string text;
};

// Of what is known.
std::vector<PullFile> PullFilesOf(const PullMeta& meta);

// What must be known for the check and is not: "title", "description", …. Empty: it can run. A check that is also about
// files of the tree, or about several of these of which one is known, always can.
std::vector<std::string> UnknownFor(const rules::CheckInfo& check, const std::optional<PullMeta>& meta);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_PULL_META_H_
