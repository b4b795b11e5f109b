// A review as SARIF 2.1.0, the format that code hosts and editors read.
#ifndef YARDMASTER_SERVICES_REVIEW_SARIF_H_
#define YARDMASTER_SERVICES_REVIEW_SARIF_H_

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "rules/engine/checks/check_set.h"
#include "services/review/report.h"

namespace yardmaster {

// What the log says about a rule, by id. Rules that found something and are not in it get an entry with their id only.
using SarifRules = std::map<std::string, const rules::CheckInfo*, std::less<>>;

// One log with one run. Only the rules that found something are listed. Texts that are not UTF-8 are fixed when the
// JSON is written (DumpReport does).
nlohmann::ordered_json SarifLog(const ReviewReport& report, const SarifRules& rules);

// A path as a URI reference: "/" between folders, everything that a URI can't hold percent-encoded byte by byte. A
// colon in the first folder of a relative path is encoded, or it would read as a scheme.
std::string UriOfPath(std::string_view path);

// One line without a line end; invalid UTF-8 becomes U+FFFD.
std::string DumpReport(const nlohmann::ordered_json& json);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_SARIF_H_
