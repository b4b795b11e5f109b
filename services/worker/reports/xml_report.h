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

namespace yardmaster::worker {

// Elements and attributes together: a document in memory is many times as large as its text if it consists of them.
inline constexpr size_t kMaxXmlElements = 4'000'000;
// Suites in suites.
inline constexpr size_t kMaxXmlDepth = 16;

// Reads a report whose root is <testsuites> or <testsuite>. Entities other than XML's own five stay as they are, and a
// document type is refused. Bytes need not be UTF-8: test programs print what they like. `what` is used in errors.
absl::Status ReadXmlReport(std::string_view what, std::string_view xml, pugi::xml_document& document);

// Calls `each` with every <testcase> in the document's order until it returns an error.
absl::Status ForEachCase(std::string_view what, const pugi::xml_document& document,
                         const std::function<absl::Status(const pugi::xml_node&)>& each);

// What the report says about itself: the root's attribute, else the sum over its suites; nothing if nobody says it.
std::optional<uint64_t> ClaimedTotal(const pugi::xml_document& document, const char* attribute);

// The `message` of a <failure>, <error> or <skipped>, and below it the element's text where that says more.
std::string ElementMessage(const pugi::xml_node& element);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_XML_REPORT_H_
