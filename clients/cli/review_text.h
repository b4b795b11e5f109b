// Reviews as people read them in a terminal: the line and a caret under what is meant.
#ifndef YARDMASTER_CLIENTS_CLI_REVIEW_TEXT_H_
#define YARDMASTER_CLIENTS_CLI_REVIEW_TEXT_H_

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "clients/cli/output.h"
#include "rules/engine/checks/check_set.h"
#include "services/review/block_text.h"
#include "services/review/report.h"

namespace yardmaster::cli {

// The text of a file by the path that findings have; nullptr if it is not at hand.
using SourceOf = std::function<const std::string*(const std::string& path)>;

struct ReviewTextOptions {
  TextLanguage language = TextLanguage::kEnglish;
  int columns = 0;  // 0: no limit
  bool color = false;
  bool skipped = false;  // says which checks were skipped, and why
};

// Findings with their source lines, then a line that counts them:
//
//   demo_impl.py:4:1: block OL01 (S0): message
//      4 | @pypto.frontend.jit
//        | ^~~~~~~~~~~~~~~~~~~
//        = hint
std::string ReviewText(const ReviewReport& report, const SourceOf& source, const ReviewTextOptions& options);

// "  4 | line" and the carets below it; empty if the text has no such line.
std::string SourceExcerpt(std::string_view text, const rules::Finding& finding, const ReviewTextOptions& options);

// All checks of a pack as a table.
std::string CheckTable(const rules::CheckSet& checks, const Output& output);

// {rule_id, check_id, pack, title, severity, pack_severity, message, fix, roles, stages, moments, profiles, needs,
// tags, source, file, line}.
nlohmann::ordered_json CheckJson(const rules::CheckInfo& check);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_REVIEW_TEXT_H_
