// Values of suites, signatures and recipes from documents that are valid under their schemas. What the schemas can't
// say is checked elsewhere (check_suite.h).
#ifndef YARDMASTER_RULES_ENGINE_SUITES_SUITE_READER_H_
#define YARDMASTER_RULES_ENGINE_SUITES_SUITE_READER_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "rules/suites/suite_model.h"
#include "services/core/json_document.h"

namespace yardmaster::rules {

// The suite at `pointer`. Steps, layers, reports and requirements keep the order of their lists, so that a list's index
// is that of its model; axes and variables keep the order in which they are written.
SuiteModel ReadSuite(const JsonDocument& document, const std::string& pointer, std::string_view pack);

FailureSignature ReadSignature(const nlohmann::json& value);

RecoveryRecipe ReadRecipe(const JsonDocument& document, const std::string& pointer);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_SUITES_SUITE_READER_H_
