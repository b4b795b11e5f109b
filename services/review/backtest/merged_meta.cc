#include "services/review/backtest/merged_meta.h"

#include <re2/re2.h>

#include <string>
#include <utility>

namespace yardmaster {

PullMeta MetaOfMerged(std::string_view message, std::vector<PullMeta::Commit> commits) {
  static const RE2 kNumbered(R"(^!\d+ +([^\n]+))");
  static const RE2 kMerged(R"(^Merge pull request #\d+ from [^\n]+\n\n([^\n]+))");
  static const RE2 kSquashed(R"(^([^\n]+?) +\(#\d+\)\s*(?:\n|$))");
  PullMeta meta;
  meta.commits = std::move(commits);
  std::string title;
  for (const RE2* const form : {&kNumbered, &kMerged, &kSquashed}) {
    if (!RE2::PartialMatch(message, *form, &title)) continue;
    meta.title = std::move(title);
    break;
  }
  return meta;
}

}  // namespace yardmaster
