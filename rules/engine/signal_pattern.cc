#include "rules/engine/signal_pattern.h"

#include <re2/re2.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

bool IsWordByte(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// `\b` only where a word byte stands at the edge: "c++" or "--nproc" have no boundary on their outer side, nor have
// words in scripts without ASCII letters.
std::string WithBoundaries(std::string_view text, std::string pattern) {
  if (!text.empty() && IsWordByte(text.front())) pattern.insert(0, "\\b");
  if (!text.empty() && IsWordByte(text.back())) pattern += "\\b";
  return pattern;
}

void AppendAlternative(std::string& all, const std::string& pattern) {
  absl::StrAppend(&all, all.empty() ? "(?:" : "|(?:", pattern, ")");
}

}  // namespace

std::string WordPattern(std::string_view word, bool fold_case) {
  std::string pattern = WithBoundaries(word, RE2::QuoteMeta(word));
  return fold_case ? "(?i:" + pattern + ")" : pattern;
}

std::string PhrasePattern(std::string_view phrase) {
  const auto quote = [](std::string* out, absl::string_view word) {
    out->append(RE2::QuoteMeta(re2::StringPiece(word.data(), word.size())));
  };
  const std::string pattern =
      absl::StrJoin(absl::StrSplit(Abs(phrase), absl::ByAnyChar(" \t\n"), absl::SkipEmpty()), "[\\s_-]+", quote);
  return "(?i:" + WithBoundaries(phrase, pattern) + ")";
}

std::string ImportPattern(std::string_view module) {
  const std::string whole = WithBoundaries(module, RE2::QuoteMeta(module));
  const size_t dot = module.rfind('.');
  if (dot == std::string_view::npos) {
    return "\\bimport[ \\t]+" + whole + "|\\bfrom[ \\t]+" + whole;
  }
  const std::string parent = RE2::QuoteMeta(module.substr(0, dot));
  const std::string last = RE2::QuoteMeta(module.substr(dot + 1));
  return whole + "|\\bfrom[ \\t]+" + parent + "[ \\t]+import[ \\t][^\\n]*\\b" + last + "\\b";
}

std::string FramePattern(std::string_view path) { return WithBoundaries(path, RE2::QuoteMeta(path)); }

std::string SignalPattern(const SignalModel& signal) {
  std::string all;
  for (const std::string& word : signal.words) AppendAlternative(all, WordPattern(word, /*fold_case=*/true));
  for (const std::string& word : signal.exact) AppendAlternative(all, WordPattern(word, /*fold_case=*/false));
  for (const std::string& error : signal.errors) AppendAlternative(all, WordPattern(error, /*fold_case=*/false));
  for (const std::string& phrase : signal.phrases) AppendAlternative(all, PhrasePattern(phrase));
  for (const std::string& module : signal.imports) AppendAlternative(all, ImportPattern(module));
  for (const std::string& path : signal.frames) AppendAlternative(all, FramePattern(path));
  for (const std::string& pattern : signal.patterns) AppendAlternative(all, pattern);
  return all;
}

}  // namespace yardmaster::rules
