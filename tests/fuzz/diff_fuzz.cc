// Two versions of a Python file, parted by a NUL byte: the lines that are paired are equal and in order, what only
// stands at head is new, and what is at neither or both is never both new and fixed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "rules/engine/checks/line_diff.h"
#include "services/core/lines.h"
#include "services/review/diff_review.h"
#include "tests/support/memory_change.h"

namespace {

using yardmaster::rules::LineMatch;

void CheckLines(std::string_view base, std::string_view head) {
  const LineMatch match = yardmaster::rules::MatchLines(base, head);
  const auto old_lines = yardmaster::LinesOf(base);
  const auto new_lines = yardmaster::LinesOf(head);
  if (match.base_of.size() != new_lines.size() + 1 || match.head_of.size() != old_lines.size() + 1) abort();
  uint32_t last = 0;
  for (uint32_t line = 1; line < match.base_of.size(); ++line) {
    const uint32_t before = match.base_of[line];
    if (before == 0) continue;
    if (before <= last || match.head_of[before] != line || old_lines[before - 1] != new_lines[line - 1]) abort();
    last = before;
  }
}

std::shared_ptr<const yardmaster::rules::CheckSet> Pack() {
  yardmaster::Problems problems;
  auto set = yardmaster::rules::LoadChecks(
      {{"p/pack.json", R"({"name": "p", "title": "t"})"}, {"p/checks/a.json", R"json({"checks": [
          {"id": "C1", "title": "t", "severity": "MAJOR", "languages": ["python"], "each": "call", "message": "{name}", "good": [""], "bad": ["f()"]},
          {"id": "C2", "title": "t", "severity": "MAJOR", "languages": ["python"], "each": "function",
           "where": {"change": "changed"}, "message": "{name} {former.line}", "good": [""], "bad": ["f()"]},
          {"id": "C3", "title": "t", "severity": "MAJOR", "languages": ["python"], "each": {"each": "parameter", "side": "base"},
           "where": {"change": ["removed", "renamed"]}, "message": "{name}", "good": [""], "bad": ["f()"]}]})json"}},
      "p", problems);
  if (set == nullptr) abort();
  return set;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 64 * 1024) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t nul = text.find('\0');
  const std::string base = text.substr(0, nul);
  const std::string head = nul == std::string::npos ? base : text.substr(nul + 1);
  CheckLines(base, head);

  static const auto pack = Pack();
  yardmaster::testing::MemoryChange change({{"a.py", base}}, {{"a.py", head}});
  const auto report = yardmaster::ReviewChange({pack}, change, {});
  if (!report.ok()) abort();
  for (const yardmaster::ReportedFinding& one : report->findings) {
    if (one.status == yardmaster::FindingStatus::kNone || one.finding.fingerprint.size() != 16) abort();
  }
  return 0;
}
