// Tables of results that bots write into comments.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_RESULT_TABLE_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_RESULT_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pipeline/profile.h"

namespace yardmaster::rules {

struct ResultRow {
  std::string stage;
  std::string result;  // "SUCCESS", "FAILURE", "ABORTED", …
  int64_t number = 0;  // of the build; 0: it is not told
  std::string url;

  bool failed() const { return result != "SUCCESS" && result != "ABORTED" && result != "SKIPPED"; }
};

// The rows of a comment's table, Markdown or HTML; none where the comment has no table of results of the whole gate.
std::vector<ResultRow> ReadResultTable(const BuildGate& gate, std::string_view comment);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_RESULT_TABLE_H_
