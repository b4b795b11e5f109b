// SARIF logs against the schema of SARIF 2.1.0, as its authors publish it.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_SARIF_SCHEMA_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_SARIF_SCHEMA_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace yardmaster::testing {

// What the schema finds wrong, formats of URIs included; empty if the log is valid.
std::vector<std::string> SarifProblems(const nlohmann::json& log);

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_SARIF_SCHEMA_H_
