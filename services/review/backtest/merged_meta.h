// What the history of a branch still tells of pull requests that were merged into it.
#ifndef YARDMASTER_SERVICES_REVIEW_BACKTEST_MERGED_META_H_
#define YARDMASTER_SERVICES_REVIEW_BACKTEST_MERGED_META_H_

#include <string_view>
#include <vector>

#include "services/review/pull_meta.h"

namespace yardmaster {

// Of the commit that merged it, by its message, as forges write them:
//
//   !12 TITLE                                         GitCode, Gitee
//   Merge pull request #12 from owner/branch¶¶TITLE   GitHub, a merge
//   TITLE (#12)                                       GitHub, squashed
//
// Of others the title is not known: nobody says that they were pull requests. Description, labels and author are never
// known. `commits` are those that it merged; of a commit with one parent, itself.
PullMeta MetaOfMerged(std::string_view message, std::vector<PullMeta::Commit> commits);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_BACKTEST_MERGED_META_H_
