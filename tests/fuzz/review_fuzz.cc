// Any bytes as a file of any language through facts and checks: findings, never a crash, and every finding points into
// the text. The first byte chooses the language; a NUL byte parts the text from its base.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/fact_listing.h"
#include "rules/engine/checks/fields.h"
#include "rules/engine/checks/line_diff.h"
#include "rules/engine/checks/review.h"
#include "rules/engine/code/parse_memory.h"
#include "rules/engine/code/tree_edit.h"

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
    {"id": "F6", "title": "t", "severity": "S1", "message": "{cells} {last} {cell.0} {cell.a} {cell.-1}", "each": "table_row", "good": ["x"], "bad": ["x"]},
    {"id": "F7", "title": "t", "severity": "S1", "message": "{callee}", "query": "(call function: (_) @callee (#match? @callee \"e.*l\")) @place", "languages": ["python"], "good": ["x"], "bad": ["x"]},
    {"id": "F8", "title": "t", "severity": "S1", "message": "{f}", "query": "(call_expression function: (_) @f (#not-eq? @f \"a\"))", "languages": ["cpp", "cuda"], "good": ["x"], "bad": ["x"]},
    {"id": "F9", "title": "t", "severity": "S1", "message": "{k}", "query": "(block_mapping_pair key: (_) @k value: (_) @v (#eq? @k @v))", "languages": ["yaml"], "good": ["x"], "bad": ["x"]},
    {"id": "F10", "title": "t", "severity": "S1", "message": "{k}", "query": "(pair key: (_) @k value: (_)?)", "languages": ["json"], "good": ["x"], "bad": ["x"]},
    {"id": "F11", "title": "t", "severity": "S1", "message": "{n}", "each": "function", "let": {"n": {"count": {"each": "name", "scope": "inside"}, "distinct": "name"}}, "where": {"exists": {"each": "call", "as": "c", "scope": "reachable", "where": {"all": [{"n": {"at_least": 1}}, {"target": {"where": {"name": {"same": "c.attr"}}}}]}}}, "good": ["x"], "bad": ["x"]},
    {"id": "F12", "title": "t", "severity": "S1", "message": "{text|upper} {line}", "each": "line", "where": {"added": true, "absent": {"each": "line", "side": "base", "where": {"text": {"same": "row.text", "size": {"above": 3}}}}}, "good": ["x"], "bad": ["x"]}
  ]})json";

constexpr std::string_view kScopes[] = {"file",  "inside",   "body",      "around",  "before",
                                        "after", "children", "reachable", "reaching"};

// Besides those: every field of every kind, and every scope between some of them.
std::string MoreChecks() {
  namespace rules = yardmaster::rules;
  const auto check = [](const std::string& id, std::string_view kind, const std::string& message,
                        const std::string& where) {
    return R"({"id": ")" + id + R"(", "title": "t", "severity": "S3", "each": ")" + std::string(kind) +
           R"(", "where": )" + where + R"(, "message": ")" + message + R"(", "good": ["x"], "bad": ["x"]})";
  };
  std::string out;
  size_t number = 0;
  for (const std::string_view kind : rules::KindNames()) {
    const rules::KindInfo* info = rules::FindKind(kind);
    if (info == nullptr || info->table == rules::FactTable::kValue || info->table == rules::FactTable::kMatch) continue;
    if (info->select != rules::KindInfo::Select::kAll) continue;
    std::string message = "m";
    for (const std::string_view field : rules::FieldNames(info->table)) message += " {" + std::string(field) + "}";
    out += (out.empty() ? "" : ",") + check("K" + std::to_string(++number), kind, message, "true");
  }
  for (const std::string_view outer : {"function", "call", "loop", "section", "entry", "statement"}) {
    for (const std::string_view inner : {"expr", "function", "section", "entry", "statement"}) {
      for (const std::string_view scope : kScopes) {
        const std::string query = R"({"count": {"each": ")" + std::string(inner) + R"(", "scope": ")" +
                                  std::string(scope) + R"(", "above": 2}})";
        out += "," + check("S" + std::to_string(++number), outer, "{text|or:x}", query);
      }
    }
  }
  return R"({"checks": [)" + out + "]}";
}

const CheckSet& Checks() {
  static const std::shared_ptr<const CheckSet> checks = [] {
    yardmaster::Problems problems;
    auto out = yardmaster::rules::LoadChecks({{"p/pack.json", R"({"name": "p", "title": "t"})"},
                                              {"p/checks/a.json", kChecks},
                                              {"p/checks/b.json", MoreChecks()}},
                                             "p", problems);
    for (const auto& problem : problems) fprintf(stderr, "%s\n", problem.message.c_str());
    if (out == nullptr) abort();
    return out;
  }();
  return *checks;
}

}  // namespace

// The tree of head is the same whether it is parsed from that of base or alone.
void CompareTrees(const std::string& path, std::string_view base, std::string_view head) {
  using namespace yardmaster::rules;
  const Language language = LanguageOfPath(path);
  if (std::max(base.size(), head.size()) > 10'000 || GrammarOf(language) == nullptr) return;
  constexpr std::chrono::milliseconds kLimit(2'000);
  SyntaxTree former = ParseSource(language, base, kLimit);
  const SyntaxTree alone = ParseSource(language, head, kLimit);
  if (!former || !alone || ts_node_has_error(ts_tree_root_node(former.get()))) return;
  EditTree(former, base, head, MatchLines(base, head).base_of);
  const SyntaxTree after = ParseSourceAfter(former.get(), language, head, kLimit);
  const auto written = [](const SyntaxTree& tree) {
    char* const text = ts_node_string(ts_tree_root_node(tree.get()));
    std::string copy(text);
    yard_parse_free(text);
    return copy;
  };
  if (!after || written(after) != written(alone)) abort();
}

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
  if (file.base) CompareTrees(file.path, *file.base, file.text);
  const auto result = yardmaster::rules::Review(Checks(), {file}, options);
  size_t lines = 1;
  for (const char c : file.text) lines += c == '\n';
  for (const auto& finding : result.findings) {
    if (finding.line > lines || finding.end_line > lines || finding.end_line < finding.line) abort();
    // What is said of the set has its folder.
    if ((finding.path != file.path && finding.path != ".") ||
        (finding.message.empty() && finding.rule_id.starts_with("YM-")))
      abort();
  }
  // What people are shown of the file is JSON, whatever bytes it has.
  const auto source = yardmaster::rules::SourceFile::Read(file.path, file.text, options.parse_limit);
  yardmaster::rules::ListFacts(source, nullptr, "", [](const yardmaster::rules::ListedFact& fact) {
    if (fact.fields.dump().empty()) abort();
  });
  return 0;
}
