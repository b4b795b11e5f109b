#include "services/review/junit_text.h"

#include <cstddef>
#include <pugixml.hpp>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "services/core/readable.h"

namespace yardmaster {
namespace {

constexpr size_t kMaxJunitBytes = 8'000;

void Set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(Readable(value, kMaxJunitBytes).c_str());
}

std::string PlaceText(const rules::Finding& finding) {
  return finding.line == 0 ? finding.path : absl::StrCat(finding.path, ":", finding.line, ":", finding.column);
}

}  // namespace

std::string JunitText(const ReviewReport& report, rules::Severity fail_on) {
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites");
  pugi::xml_node suite = suites.append_child("testsuite");
  suite.append_attribute("name").set_value("yard review");
  size_t cases = 0;
  size_t failures = 0;
  for (const ReportedFinding& reported : report.findings) {
    const rules::Finding& finding = reported.finding;
    if (reported.status == FindingStatus::kFixed) continue;
    ++cases;
    const std::string rule = rules::RuleAndPart(finding.rule_id, finding.part);
    pugi::xml_node test = suite.append_child("testcase");
    Set(test, "classname", finding.path);
    Set(test, "name", absl::StrCat(rule, " line ", finding.line));
    const bool fails = finding.severity <= fail_on && reported.status != FindingStatus::kStill;
    failures += fails ? 1 : 0;
    pugi::xml_node said = test.append_child(fails ? "failure" : "system-out");
    if (fails) {
      Set(said, "type", std::string(rules::SeverityName(finding.severity)));
      Set(said, "message", finding.message);
    }
    const std::string text =
        absl::StrCat(PlaceText(finding), ": ", std::string(rules::SeverityName(finding.severity)), " ", rule, ": ",
                     finding.message, finding.fix.empty() ? "" : " → ", finding.fix);
    said.text().set(Readable(text, kMaxJunitBytes).c_str());
  }
  if (cases == 0) {
    cases = 1;
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("classname").set_value("yard review");
    Set(test, "name", absl::StrCat(report.files, report.files == 1 ? " file" : " files", ", nothing found"));
  }
  for (pugi::xml_node node : {suites, suite}) {
    node.append_attribute("tests").set_value(static_cast<unsigned long long>(cases));
    node.append_attribute("failures").set_value(static_cast<unsigned long long>(failures));
  }
  std::ostringstream out;
  document.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
  return out.str();
}

}  // namespace yardmaster
