#include "rules/engine/checks/fingerprint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "rules/engine/checks/normalized.h"
#include "services/core/hex.h"
#include "services/core/utf8.h"

namespace yardmaster::rules {
namespace {

// Of the code that a finding points at.
constexpr size_t kMaxAnchorBytes = 4096;

uint64_t Mix(uint64_t hash, char c) { return (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL; }

uint64_t Hash(std::string_view text, uint64_t hash, char end = 0x1f) {
  for (const char c : text) hash = Mix(hash, c);
  return Mix(hash, end);
}

// Of what RuleAndPart gives, which is not made.
uint64_t HashRule(const Finding& finding) {
  constexpr uint64_t kBasis = 14695981039346656037ULL;
  if (finding.part.empty()) return Hash(finding.rule_id, kBasis);
  return Hash(finding.part, Hash(finding.rule_id, kBasis, '.'));
}

// The byte of a place; columns count code points.
uint32_t OffsetOf(const FileFacts& facts, uint32_t line, uint32_t column) {
  if (line == 0 || line > facts.line_starts.size()) return static_cast<uint32_t>(facts.text.size());
  const std::string_view before = FirstCodePoints(facts.LineText(line), column > 0 ? column - 1 : 0);
  return facts.line_starts[line - 1] + static_cast<uint32_t>(before.size());
}

// The innermost function or class around a byte.
std::string_view SymbolAt(const FileFacts& facts, uint32_t offset) {
  std::string_view name;
  uint32_t begin = 0;
  const auto look = [&](const auto& rows) {
    for (const auto& row : rows) {
      if (row.span.begin > offset) break;
      if (offset < row.span.end && row.span.begin >= begin) {
        begin = row.span.begin;
        name = row.qualified;
      }
    }
  };
  look(facts.classes);
  look(facts.functions);
  return name;
}

std::string AnchorOf(const Finding& finding, const FileFacts* facts) {
  if (facts == nullptr || finding.line == 0) return finding.message;
  const uint32_t begin = OffsetOf(*facts, finding.line, finding.column);
  const uint32_t end = OffsetOf(*facts, finding.end_line, finding.end_column);
  std::string_view code = end > begin ? facts->Text({begin, end}) : facts->LineText(finding.line);
  code = code.substr(0, kMaxAnchorBytes);
  std::string anchor = Normalized(code);
  anchor += '\x1f';
  anchor += SymbolAt(*facts, begin);
  return anchor;
}

}  // namespace

void SetFingerprints(std::vector<Finding>& findings,
                     absl::FunctionRef<const FileFacts*(std::string_view path)> facts_of) {
  std::map<std::pair<std::string_view, uint64_t>, size_t> seen;
  for (Finding& finding : findings) {
    finding.anchor = Hash(AnchorOf(finding, facts_of(finding.path)), HashRule(finding));
    const size_t before = seen[{finding.path, finding.anchor}]++;
    finding.fingerprint = Hex(Hash(std::to_string(before), finding.anchor));
  }
}

}  // namespace yardmaster::rules
