// Suites as people and programs read them.
#ifndef YARDMASTER_CLIENTS_CLI_SUITE_TEXT_H_
#define YARDMASTER_CLIENTS_CLI_SUITE_TEXT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "clients/cli/output.h"
#include "rules/suites/suite_model.h"
#include "services/core/problem.h"

namespace yardmaster::cli {

nlohmann::ordered_json SuiteJson(const rules::SuiteModel& suite);
std::string SuiteTable(const std::vector<const rules::SuiteModel*>& suites, const Output& output);

// What was checked, and what is wrong with it.
struct SuiteCheck {
  std::string what;                 // name of a pack, pack/id, or the file as given
  std::vector<std::string> suites;  // ids of those that were found there
  Problems problems;
  // What a run on this machine would miss, suite by suite. The manifest is right all the same.
  std::vector<std::string> missing_here;
  bool valid() const { return problems.empty(); }
};

nlohmann::ordered_json SuiteCheckJson(const SuiteCheck& check);
std::string SuiteCheckText(const SuiteCheck& check, const Output& output);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_SUITE_TEXT_H_
