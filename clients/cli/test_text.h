// Results of runs as people read them in a terminal. They are read back from result.json, so that a run that has just
// ended and one of last week look the same.
#ifndef YARDMASTER_CLIENTS_CLI_TEST_TEXT_H_
#define YARDMASTER_CLIENTS_CLI_TEST_TEXT_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cli/output.h"
#include "clients/cli/style.h"
#include "services/worker/logs/log.h"
#include "services/worker/results/run_result.h"

namespace yardmaster::cli {

// "passed   " in its colour, as wide as the widest.
std::string ColoredVerdict(worker::Verdict verdict, bool color);
Style VerdictStyle(std::string_view verdict);

// Verdict, layers, first cause with its excerpt, failed tests, notes, and where the report is: in `directory`, or where
// that is empty on the server. What is missing in `result` is left out.
std::string ResultText(const nlohmann::ordered_json& result, const std::filesystem::path& directory,
                       const Output& output);

// Everything that did not pass, and why: the first cause, then each layer and step.
std::string ExplainText(const nlohmann::ordered_json& result, const Output& output);

// One row a run, newest first.
struct ListedResult {
  std::filesystem::path directory;
  nlohmann::ordered_json result;
};
std::string ResultTable(const std::vector<ListedResult>& results, const Output& output);

// "   41  1.104 s  rank 2  text".
std::string LogLineText(const worker::LogLine& line, bool color);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_TEST_TEXT_H_
