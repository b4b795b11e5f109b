#include "rules/engine/signal_pattern.h"

#include <re2/re2.h>

namespace yardmaster::rules {
namespace {

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// `\b` only where a word byte stands at the edge: "c++" or "--nproc" have no boundary on their outer side, nor have
// words in scripts without ASCII letters.
std::string WithBoundaries(std::string_view text, std::string pattern) {
  if (!text.empty() && IsWordByte(text.front())) pattern.insert(0, "\\b");
  if (!text.empty() && IsWordByte(text.back())) pattern += "\\b";
  return pattern;
}

void AppendAlternative(std::string& all, const std::string& pattern) {
  if (!all.empty()) all += '|';
  all += "(?:";
  all += pattern;
  all += ')';
}

}  // namespace

std::string WordPattern(std::string_view word, bool fold_case) {
  std::string pattern = WithBoundaries(word, RE2::QuoteMeta(re2::StringPiece(word.data(), word.size())));
  return fold_case ? "(?i:" + pattern + ")" : pattern;
}

std::string PhrasePattern(std::string_view phrase) {
  std::string pattern;
  size_t i = 0;
  while (i < phrase.size()) {
    size_t end = i;
    while (end < phrase.size() && !IsBlank(phrase[end])) ++end;
    if (end > i) {
      if (!pattern.empty()) pattern += "[\\s_-]+";
      pattern += RE2::QuoteMeta(re2::StringPiece(phrase.data() + i, end - i));
    }
    i = end + 1;
  }
  return "(?i:" + WithBoundaries(phrase, pattern) + ")";
}

std::string ImportPattern(std::string_view module) {
  const std::string whole = WithBoundaries(module, RE2::QuoteMeta(re2::StringPiece(module.data(), module.size())));
  const size_t dot = module.rfind('.');
  if (dot == std::string_view::npos) {
    return "\\bimport[ \\t]+" + whole + "|\\bfrom[ \\t]+" + whole;
  }
  const std::string parent = RE2::QuoteMeta(re2::StringPiece(module.data(), dot));
  const std::string last = RE2::QuoteMeta(re2::StringPiece(module.data() + dot + 1, module.size() - dot - 1));
  return whole + "|\\bfrom[ \\t]+" + parent + "[ \\t]+import[ \\t][^\\n]*\\b" + last + "\\b";
}

std::string FramePattern(std::string_view path) {
  return WithBoundaries(path, RE2::QuoteMeta(re2::StringPiece(path.data(), path.size())));
}

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
