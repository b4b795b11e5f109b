// Reports in XML: read with limits, and what JUnit, GoogleTest and CTest have in common.
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_XML_REPORT_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_XML_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "services/worker/reports/report_builder.h"

namespace yardmaster::worker {

// Elements and attributes together: a document in memory is many times as large as its text if it consists of them.
inline constexpr size_t kMaxXmlElements = 4'000'000;
// Suites in suites.
inline constexpr size_t kMaxXmlDepth = 16;

// Reads a report whose root is <testsuites> or <testsuite>: `read` makes a test of every <testcase>, in the document's
// order. Entities other than XML's own five stay as they are, and a document type is refused. Bytes need not be UTF-8:
// test programs print what they like. `what` is used in errors.
absl::Status ReadXmlReport(std::string_view what, std::string_view xml, pugi::xml_document& document,
                           const std::function<ReportTest(const pugi::xml_node&)>& read, ReportBuilder& builder);

// What the report says about itself: the root's attribute, else the sum over its suites; nothing if it has none.
std::optional<uint64_t> ClaimedTotal(const pugi::xml_document& document, const char* attribute);

// A report that says that there were more tests, or more that failed, than it has; empty: it does not.
// Entries that count twice in the totals are allowed for.
std::string MissingTests(const pugi::xml_document& document, uint64_t seen, uint64_t twice = 0);
std::string MissingFailures(uint64_t claimed, uint64_t seen);

// The `message` of a <failure>, <error> or <skipped>, and below it the element's text where that says more.
std::string ElementMessage(const pugi::xml_node& element);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_XML_REPORT_H_
