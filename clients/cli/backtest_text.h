// What `rules backtest --repo` prints.
//
// JSON: {pack, changes, silent, left_out: [{commit, reason}], rules: [{rule, severity, findings, changes, ran,
// per_100}],
//        loud: [{commit, title, block, major}], verdicts?: {block: {true, false, arguable}, major: {…}, …,
//        lost: [VERDICT], elsewhere, unjudged}, candidate?: {silent, rules, loud, verdicts?, gained: [FINDING],
//        lost: [FINDING]}}
// FINDING: {commit, rule, severity, path, line, message}; VERDICT as services/review/backtest/verdicts.h has it.
// `ran`: changes in which the check could run; where there is none, per_100 is null: it was not measured.
// `silent`: changes without a blocking or major finding; `loud` the others. `lost` verdicts are about findings that are
// made no more, `elsewhere` counts those about changes that were not looked at.
#ifndef YARDMASTER_CLIENTS_CLI_BACKTEST_TEXT_H_
#define YARDMASTER_CLIENTS_CLI_BACKTEST_TEXT_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cli/output.h"
#include "services/review/backtest/backtest.h"
#include "services/review/backtest/verdicts.h"

namespace yardmaster::cli {

// The changes under one state of the pack.
struct HistoryRun {
  ReviewPacks packs;
  std::vector<ReplayedChange> changes;  // newest first
};

struct HistoryBacktest {
  struct LeftOut {
    std::string commit;
    std::string reason;
  };
  std::string pack;
  HistoryRun base;
  std::optional<HistoryRun> candidate;  // of the same changes
  std::vector<LeftOut> left_out;
  std::vector<Verdict> verdicts;
};

nlohmann::ordered_json HistoryBacktestJson(const HistoryBacktest& result);
std::string HistoryBacktestText(const HistoryBacktest& result, const Output& output);

// A line for a file of findings: FINDING.
std::string FindingLine(const FindingAt& at);

// A line for a file of verdicts: what was found, and the message where a person is to write why. Its verdict is empty.
std::string VerdictLine(std::string_view repository, const FindingAt& at);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_BACKTEST_TEXT_H_
