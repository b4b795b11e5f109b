// What is known about packs, as the messages of rules.proto. Used by the gRPC service and by the command line without a
// server, so that both give the same answers.
#ifndef YARDMASTER_SERVICES_PACKS_ANSWERS_H_
#define YARDMASTER_SERVICES_PACKS_ANSWERS_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "rules/engine/compiled_pack.h"
#include "services/core/problem.h"
#include "services/packs/backtest.h"
#include "services/packs/pack_test.h"
#include "services/packs/registry/pack_registry.h"
#include "yardmaster/v1/rules.pb.h"

namespace yardmaster {

v1::PackInfo DescribePack(const rules::CompiledPack& pack);

void WriteProblems(const Problems& problems, google::protobuf::RepeatedPtrField<v1::PackProblem>& out);

// All problems as text, one a line, for errors.
std::string ProblemLines(const Problems& problems);

// The rules with that id, in any case, in one pack, or in all if `pack` is empty, with the cases in which they fire.
// The id of a rule stands for all of its parts. NOT_FOUND for an unknown pack or rule.
absl::Status ShowRule(const PackSet& packs, std::string_view id, std::string_view pack, v1::ShowRuleResponse& out,
                      const KeepGoing& keep_going = nullptr);

// The rules with that id in the packs below a folder; nullopt if there are none, or the packs are not valid.
std::optional<v1::ShowRuleResponse> FindRule(const std::filesystem::path& packs_dir, std::string_view id);

// Adds one pack's result.
void WritePackTest(const PackTest& result, v1::TestPackResponse& out);

// "PACK: N cases, K failed, C % of rules covered, F % of rules need a function of their own (G % within the pack)": one
// that no other rule of any pack at hand uses, or of this pack; percents are rounded down, so that 100 means all.
std::string PackTestLine(const v1::PackTestResult& result);

// `out` gets all but the revisions and the subjects of the issues.
void WriteBacktest(const BacktestResult& result, v1::BacktestResponse& out);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_ANSWERS_H_
