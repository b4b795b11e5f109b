#include "rules/engine/signal_forms.h"

#include <re2/re2.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

// A boundary only where a word byte stands at the edge: "c++" or "--nproc" have none on their outer side, nor have
// words in scripts without ASCII letters.
bool StartsWithWordByte(std::string_view text) { return !text.empty() && IsWordByte(text.front()); }
bool EndsWithWordByte(std::string_view text) { return !text.empty() && IsWordByte(text.back()); }

SignalLiteral Word(const std::string& word, bool fold_case) {
  return {{word, fold_case, StartsWithWordByte(word), EndsWithWordByte(word)}, {}};
}

SignalLiteral Phrase(std::string_view phrase) {
  const std::vector<std::string> words = absl::StrSplit(Abs(phrase), absl::ByAnyChar(" \t\n"), absl::SkipEmpty());
  const bool starts = StartsWithWordByte(phrase);
  const bool ends = EndsWithWordByte(phrase);
  if (words.size() < 2) return {{words.empty() ? std::string() : words[0], true, starts, ends}, {}};
  return {{words[0], true, starts, false}, {{words.begin() + 1, words.end()}, ends}};
}

bool IsSeparator(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '_' || c == '-';
}

// The words of a phrase from number `word` on, behind text[at].
size_t EndOfWords(const PhraseRest& rest, std::string_view text, size_t at, size_t word) {
  if (word == rest.words.size()) {
    return rest.ends_at_word && !IsWordBoundary(text, at) ? std::string_view::npos : at;
  }
  size_t between = at;
  while (between < text.size() && IsSeparator(text[between])) ++between;
  // A word may itself begin with what separates words.
  for (; between > at; --between) {
    if (!absl::StartsWithIgnoreCase(Abs(text.substr(between)), Abs(rest.words[word]))) continue;
    const size_t end = EndOfWords(rest, text, between + rest.words[word].size(), word + 1);
    if (end != std::string_view::npos) return end;
  }
  return std::string_view::npos;
}

void AppendAlternative(std::string& all, const std::string& pattern) {
  absl::StrAppend(&all, all.empty() ? "(?:" : "|(?:", pattern, ")");
}

// A module by itself is imported by name; one of a package is also just used, or imported from its parent.
void AddImport(const std::string& module, SignalForms& out) {
  const size_t dot = module.rfind('.');
  if (dot == std::string::npos) {
    const std::string name = absl::StrCat(RE2::QuoteMeta(module), EndsWithWordByte(module) ? "\\b" : "");
    AppendAlternative(out.import_pattern, absl::StrCat("\\b(?:import|from)[ \\t]+", name));
    for (std::vector<SignalLiteral>& group : out.imported) group.push_back(Word(module, /*fold_case=*/false));
    return;
  }
  out.literals.push_back(Word(module, /*fold_case=*/false));
  const std::string parent = module.substr(0, dot);
  const std::string name = module.substr(dot + 1);
  AppendAlternative(out.import_pattern, absl::StrCat("\\bfrom[ \\t]+", RE2::QuoteMeta(parent),
                                                     "[ \\t]+import[ \\t][^\\n]*\\b", RE2::QuoteMeta(name), "\\b"));
  out.imported[0].push_back({{parent, false, false, false}, {{"import"}, false}});
  out.imported[1].push_back({{name, false, true, true}, {}});
}

}  // namespace

SignalForms FormsOf(const SignalModel& signal) {
  SignalForms out;
  out.literals.reserve(signal.words.size() + signal.exact.size() + signal.errors.size() + signal.phrases.size() +
                       signal.frames.size() + signal.imports.size());
  for (const std::string& word : signal.words) out.literals.push_back(Word(word, /*fold_case=*/true));
  for (const std::string& word : signal.exact) out.literals.push_back(Word(word, /*fold_case=*/false));
  for (const std::string& error : signal.errors) out.literals.push_back(Word(error, /*fold_case=*/false));
  for (const std::string& phrase : signal.phrases) out.literals.push_back(Phrase(phrase));
  for (const std::string& path : signal.frames) out.literals.push_back(Word(path, /*fold_case=*/false));
  for (const std::string& module : signal.imports) AddImport(module, out);
  return out;
}

char FirstByteOf(const PhraseRest& rest) {
  const char first = rest.words.front().front();
  return IsSeparator(first) ? '\0' : absl::ascii_tolower(static_cast<unsigned char>(first));
}

bool IsNextWord(std::string_view text, size_t at, char first) {
  size_t next = at;
  while (next < text.size() && IsSeparator(text[next])) ++next;
  return next > at && next < text.size() && absl::ascii_tolower(static_cast<unsigned char>(text[next])) == first;
}

size_t EndOf(const PhraseRest& rest, std::string_view text, size_t at) { return EndOfWords(rest, text, at, 0); }

}  // namespace yardmaster::rules
