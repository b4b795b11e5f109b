// Any bytes as a file of any language through facts and checks: findings, never a crash, and every finding points into
// the text. The first byte chooses the language; a NUL byte parts the text from its base.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/review.h"

namespace {

using yardmaster::rules::CheckSet;

// A little of everything: kinds of every table, scopes, definitions that ask for themselves, base and head, a query.
constexpr char kChecks[] = R"json({
  "roles": [{"role": "code", "path": "(?P<op>[a-z]+)\\.(?:py|cc|cu)", "example": "a.py"}],
  "lists": {"names": ["exec", "eval", "print"]},
  "definitions": {
    "made": {"each": "expr", "where": {"any": [{"type": "call"}, {"type": "name", "binding.value": {"is": "made"}}]}},
    "far": {"each": "function", "where": {"exists": {"each": "call", "scope": "reachable", "where": {"name": {"in": "names"}}}}}
  },
  "checks": [
    {"id": "F1", "title": "t", "severity": "S1", "message": "{name} {resolved} {attr|nearest:names} {numbers} {keywords}", "each": ["call", "attribute"], "where": {"any": [{"is": "made"}, {"parameter": {"missing": false}}]}, "good": ["x"], "bad": ["x"]},
    {"id": "F2", "title": "t", "severity": "S1", "message": "{qualified} {params} {doc}", "each": "function", "where": {"any": [{"is": "far"}, {"exists": {"each": "function", "scope": "reaching"}}, {"added": true}]}, "good": ["x"], "bad": ["x"]},
    {"id": "F3", "title": "t", "severity": "S1", "message": "{json} {values}", "each": "entry", "where": {"count": {"each": "entry", "scope": "children", "at_least": 1}}, "good": ["x"], "bad": ["x"]},
    {"id": "F4", "title": "t", "severity": "S1", "message": "{title} {own}", "each": "section", "where": {"exists": {"each": ["checkbox"], "scope": "inside"}}, "good": ["x"], "bad": ["x"]},
    {"id": "F5", "title": "t", "severity": "S1", "message": "{name}", "each": {"each": "function", "side": "base"}, "where": {"absent": {"each": "function", "files": "code", "where": {"name": {"same": "row.name"}}}}, "good": ["x"], "bad": ["x"]},
    {"id": "F6", "title": "t", "severity": "S1", "message": "{cells} {last}", "each": "table_row", "good": ["x"], "bad": ["x"]},
    {"id": "F7", "title": "t", "severity": "S1", "message": "{callee}", "query": "(call function: (_) @callee (#match? @callee \"e.*l\")) @place", "languages": ["python"], "good": ["x"], "bad": ["x"]}
  ]})json";

const CheckSet& Checks() {
  static const std::shared_ptr<const CheckSet> checks = [] {
    yardmaster::rules::Problems problems;
    auto out = yardmaster::rules::LoadChecks(
        {{"p/pack.json", R"({"name": "p", "title": "t"})"}, {"p/checks/a.json", kChecks}}, "p", problems);
    if (out == nullptr) abort();
    return out;
  }();
  return *checks;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static constexpr const char* kPaths[] = {"a.py", "a.cc", "a.cu", "a.yaml", "a.json", "a.md", "a.txt"};
  yardmaster::rules::ReviewFile file;
  file.path = kPaths[data[0] % 7];
  file.text.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (const size_t end = file.text.find('\0'); end != std::string::npos) {
    file.base = file.text.substr(end + 1);
    file.text.resize(end);
  }
  yardmaster::rules::ReviewOptions options;
  options.check_limit = std::chrono::milliseconds(500);
  const auto result = yardmaster::rules::Review(Checks(), {file}, options);
  size_t lines = 1;
  for (const char c : file.text) lines += c == '\n';
  for (const auto& finding : result.findings) {
    if (finding.line > lines || finding.end_line > lines || finding.end_line < finding.line) abort();
    if (finding.path != file.path || (finding.message.empty() && finding.rule_id.starts_with("YM-"))) abort();
  }
  return 0;
}
