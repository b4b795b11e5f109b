// Answers about packs and rules as people and programs read them. Everything is written from the messages of
// rules.proto, wherever they came from.
#ifndef YARDMASTER_CLIENTS_CLI_RULES_TEXT_H_
#define YARDMASTER_CLIENTS_CLI_RULES_TEXT_H_

#include <google/protobuf/repeated_field.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "clients/cli/output.h"
#include "clients/cli/session.h"
#include "services/core/problem.h"
#include "services/packs/pack_test.h"
#include "yardmaster/v1/rules.pb.h"

namespace yardmaster::cli {

nlohmann::ordered_json PackJson(const v1::PackInfo& pack);
std::string PackTable(const google::protobuf::RepeatedPtrField<v1::PackInfo>& packs, const Output& output);

nlohmann::ordered_json RuleJson(const v1::RuleInfo& rule);
std::string RuleText(const v1::RuleInfo& rule, const Output& output);
// What `rules show` prints.
void PrintRules(const v1::ShowRuleResponse& response, Session& session);

// Problems that came from a server, as they are known here.
Problem ReadProblem(const v1::PackProblem& problem);
Problems ReadProblems(const google::protobuf::RepeatedPtrField<v1::PackProblem>& problems);
nlohmann::ordered_json ProblemJson(const Problem& problem);

nlohmann::ordered_json LabelCheckJson(const v1::LabelCheck& check);
// One line for each label that is not there as it is, and what to do about them.
std::string LabelCheckText(const v1::LabelCheck& check, const Output& output);

PackTestTotals TotalsOf(const v1::TestPackResponse& response);
nlohmann::ordered_json TestJson(const v1::TestPackResponse& response);
// Failures, rules that no case covers, a table, and the line that scripts read as the last one.
std::string TestText(const v1::TestPackResponse& response, const Output& output);

nlohmann::ordered_json BacktestJson(const v1::BacktestResponse& response);
std::string BacktestText(const v1::BacktestResponse& response, const Output& output);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_RULES_TEXT_H_
