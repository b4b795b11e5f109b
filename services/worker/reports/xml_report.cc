#include "services/worker/reports/xml_report.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "services/core/lines.h"
#include "services/core/status_macros.h"
#include "services/worker/errors.h"
#include "services/worker/reports/report.h"
#include "services/worker/reports/report_text.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

size_t LineAt(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  return 1 + static_cast<size_t>(absl::c_count(before, '\n'));
}

// No more elements and attributes than this can come of `xml`.
size_t ElementsAtMost(std::string_view xml) {
  size_t count = 0;
  for (size_t i = 0; i < xml.size(); ++i) {
    if (xml[i] == '<') ++count;
    if (xml[i] == '=' && i + 1 < xml.size() && (xml[i + 1] == '"' || xml[i + 1] == '\'')) ++count;
  }
  return count;
}

bool IsSuite(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  return name == "testsuite" || name == "testsuites";
}

absl::Status ReadCases(std::string_view what, const pugi::xml_node& suite, size_t depth,
                       const std::function<ReportTest(const pugi::xml_node&)>& read, ReportBuilder& builder) {
  if (depth > kMaxXmlDepth) return worker_errors::ReportNestedTooDeep(what, kMaxXmlDepth);
  for (const pugi::xml_node& child : suite.children()) {
    if (IsSuite(child)) RETURN_IF_ERROR(ReadCases(what, child, depth + 1, read, builder));
    if (std::string_view(child.name()) == "testcase" && !builder.Add(read(child))) {
      return worker_errors::ReportHasTooMany(what, kMaxReportTests, "tests");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadXmlReport(std::string_view what, std::string_view xml, pugi::xml_document& document,
                           const std::function<ReportTest(const pugi::xml_node&)>& read, ReportBuilder& builder) {
  if (xml.size() > kMaxReportBytes) return worker_errors::ReportTooLarge(what, xml.size(), kMaxReportBytes);
  if (TrimBlanks(xml).empty()) return worker_errors::ReportEmpty(what);
  if (ElementsAtMost(xml) > kMaxXmlElements)
    return worker_errors::ReportHasTooMany(what, kMaxXmlElements, "elements and attributes");
  const pugi::xml_parse_result result =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!result) {
    const auto offset = static_cast<size_t>(std::max<ptrdiff_t>(result.offset, 0));
    // Whoever was stopped while writing leaves nothing behind the place where reading failed, or half a tag or a text.
    const bool at_end = offset >= xml.size() || TrimBlanks(xml.substr(offset)).empty() || TrimBlanks(xml).back() != '>';
    if (at_end && result.status != pugi::status_no_document_element) {
      return worker_errors::ReportCutOff(what, LineAt(xml, xml.size()));
    }
    return worker_errors::ReportNotXml(what, LineAt(xml, offset), result.description());
  }
  for (const pugi::xml_node& node : document.children()) {
    if (node.type() == pugi::node_doctype) return worker_errors::ReportHasDocumentType(what);
  }
  const pugi::xml_node root = document.document_element();
  if (!IsSuite(root)) return worker_errors::ReportWrongRoot(what, root.name(), "<testsuites> or <testsuite>");
  return ReadCases(what, root, 1, read, builder);
}

std::optional<uint64_t> ClaimedTotal(const pugi::xml_document& document, const char* attribute) {
  const pugi::xml_node root = document.document_element();
  if (const pugi::xml_attribute own = root.attribute(attribute)) return CountOf(own.value());
  std::optional<uint64_t> sum;
  for (const pugi::xml_node& suite : root.children("testsuite")) {
    const std::optional<uint64_t> count = CountOf(suite.attribute(attribute).value());
    // Absurd numbers must not wrap around.
    constexpr uint64_t kMost = uint64_t{1} << 40;
    if (count.has_value()) sum = std::min(sum.value_or(0) + std::min(*count, kMost), kMost);
  }
  return sum;
}

std::string MissingTests(const pugi::xml_document& document, uint64_t seen, uint64_t twice) {
  const uint64_t tests = ClaimedTotal(document, "tests").value_or(0);
  return tests > seen + twice ? Concat("it says that there were ", tests, " tests, and has ", seen) : "";
}

std::string MissingFailures(uint64_t claimed, uint64_t seen) {
  return claimed > seen ? Concat("it says that ", claimed, " tests failed, and shows ", seen, " of them") : "";
}

std::string ElementMessage(const pugi::xml_node& element) {
  const std::string_view message = TrimBlanks(element.attribute("message").value());
  const std::string_view text = TrimBlanks(element.child_value());
  if (text.empty()) return CutMessage(message);
  // GoogleTest writes the same twice; the text of pytest's skips ends in the reason.
  if (text.size() >= message.size() &&
      (text.substr(0, message.size()) == message || text.substr(text.size() - message.size()) == message)) {
    return CutMessage(text);
  }
  // A copy of a text of megabytes is not needed for a message of kilobytes.
  std::string both = CutMessage(message);
  both += '\n';
  both += CutMessage(text);
  return CutMessage(both);
}

}  // namespace yardmaster::worker
