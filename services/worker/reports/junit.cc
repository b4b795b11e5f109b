// pytest's JUnit XML.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/status_macros.h"
#include "services/worker/reports/report.h"
#include "services/worker/reports/report_builder.h"
#include "services/worker/reports/report_text.h"
#include "services/worker/reports/xml_report.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kJunitReport = "the JUnit report";

bool BeginsUpperCase(std::string_view word) { return !word.empty() && word[0] >= 'A' && word[0] <= 'Z'; }

// By pytest's default pattern for files of tests.
bool NamesTestModule(std::string_view word) {
  return !BeginsUpperCase(word) && (word.starts_with("test_") || word.ends_with("_test"));
}

// Joins parts [begin, end) of a dotted name.
std::string Join(const std::vector<std::string_view>& parts, size_t begin, size_t end, std::string_view between) {
  std::string out;
  for (size_t i = begin; i < end; ++i) {
    if (i != begin) out += between;
    out += parts[i];
  }
  return out;
}

// How many parts of a dotted class name are the module. pytest writes "a.b.test_x.TestY" for a/b/test_x.py::TestY: the
// last part that looks like a file of tests ends the module, else what stands before the classes, which begin in upper
// case.
size_t ModuleParts(const std::vector<std::string_view>& parts) {
  for (size_t i = parts.size(); i > 0; --i) {
    if (NamesTestModule(parts[i - 1])) return i;
  }
  size_t count = parts.size();
  while (count > 1 && BeginsUpperCase(parts[count - 1])) --count;
  return count;
}

std::string WithClasses(std::string path, const std::vector<std::string_view>& parts, size_t begin,
                        std::string_view name) {
  std::string id = std::move(path);
  for (size_t i = begin; i < parts.size(); ++i) {
    id += "::";
    id += parts[i];
  }
  id += "::";
  id += name;
  return id;
}

// The id by which pytest takes the test as an argument: path::Class::name[param].
std::string JunitTestId(const pugi::xml_node& test) {
  const std::string_view class_name = test.attribute("classname").value();
  const std::string_view name = test.attribute("name").value();
  if (class_name.empty()) {
    // A module that could not be imported is an entry without class: its name is the module's.
    const std::string_view message = test.child("error") ? test.child("error").attribute("message").value()
                                                         : test.child("skipped").attribute("message").value();
    if (message.substr(0, 10) != "collection") return std::string(name);
    const std::vector<std::string_view> parts = Split(name, '.');
    return Join(parts, 0, parts.size(), "/") + ".py";
  }
  // Errors of pytest itself.
  if (class_name == "pytest") return "pytest::" + std::string(name);
  const std::vector<std::string_view> parts = Split(class_name, '.');
  // Older formats name the file.
  std::string_view file = test.attribute("file").value();
  if (file.size() > 3 && file.substr(file.size() - 3) == ".py") {
    std::string module(file.substr(0, file.size() - 3));
    for (char& c : module) c = c == '/' ? '.' : c;
    const size_t count = Split(module, '.').size();
    if (count <= parts.size() && Join(parts, 0, count, ".") == module) {
      return WithClasses(std::string(file), parts, count, name);
    }
  }
  const size_t module = ModuleParts(parts);
  return WithClasses(Join(parts, 0, module, "/") + ".py", parts, module, name);
}

struct Seen {
  uint64_t tests = 0;
  uint64_t failures = 0;
  uint64_t errors = 0;
};

// What a test that passed says it did in place of what was asked for: record_property("composed", "reduce_scatter of
// all_reduce").
std::string Composed(const pugi::xml_node& test) {
  std::string out;
  for (const pugi::xml_node& property : test.child("properties").children("property")) {
    if (std::string_view(property.attribute("name").value()) != "composed") continue;
    out += out.empty() ? "composed: " : "; ";
    out += property.attribute("value").value();
  }
  return out;
}

ReportTest ReadCase(const pugi::xml_node& test, Seen& seen) {
  ReportTest out;
  out.id = JunitTestId(test);
  out.seconds = SecondsOf(test.attribute("time").value());
  std::string message;
  for (const pugi::xml_node& child : test.children()) {
    const std::string_view kind = child.name();
    const bool failure = kind == "failure";
    const bool error = kind == "error";
    if (!failure && !error && kind != "skipped") continue;
    if (failure) ++seen.failures;
    if (error) ++seen.errors;
    if (failure || error) {
      out.outcome = Outcome::kFailed;
    } else if (out.outcome == Outcome::kPassed) {
      out.outcome = Outcome::kSkipped;
      if (std::string_view(child.attribute("type").value()) == "pytest.xfail") message += "expected to fail: ";
    }
    if (!message.empty() && message.back() != ' ') message += '\n';
    message += ElementMessage(child);
  }
  if (out.outcome == Outcome::kPassed && message.empty()) message = Composed(test);
  out.message = CutMessage(message);
  return out;
}

// Entries that the totals promise and that are not there. pytest counts a test that passes and whose clean-up fails
// twice in `tests`, though it is one entry; so errors are allowed for.
std::string Contradiction(const pugi::xml_document& document, const Seen& seen) {
  if (std::string missing = MissingTests(document, seen.tests, seen.errors); !missing.empty()) return missing;
  const uint64_t bad = ClaimedTotal(document, "failures").value_or(0) + ClaimedTotal(document, "errors").value_or(0);
  return MissingFailures(bad, seen.failures + seen.errors);
}

}  // namespace

absl::StatusOr<Report> ParseJunit(std::string_view xml) {
  pugi::xml_document document;
  ReportBuilder builder;
  Seen seen;
  const auto read = [&](const pugi::xml_node& test) {
    ++seen.tests;
    return ReadCase(test, seen);
  };
  RETURN_IF_ERROR(ReadXmlReport(kJunitReport, xml, document, read, builder));
  return Report{builder.Release(), Contradiction(document, seen)};
}

}  // namespace yardmaster::worker
