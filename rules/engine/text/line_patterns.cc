#include "rules/engine/text/line_patterns.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace yardmaster::rules {
namespace {

using PatternList = std::vector<std::string>;

RE2::Options MakeOptions() {
  RE2::Options options(RE2::Quiet);
  options.set_never_capture(true);
  return options;
}

// "(?:a)|(?:b)"; empty for no patterns.
std::string Alternation(std::initializer_list<const PatternList*> lists) {
  std::string joined;
  for (const PatternList* list : lists) {
    for (const std::string& pattern : *list) {
      if (!joined.empty()) joined += '|';
      joined += "(?:" + pattern + ")";
    }
  }
  return joined;
}

// What may stand around boilerplate: the marks of headings and emphasis, and a colon of either script.
std::string WholeLine(const std::string& alternation) {
  return alternation.empty() ? "" : "[\\s#*_]*(?:" + alternation + ")[\\s#*_:：]*$";
}

// Adds a problem for each pattern that RE2 refuses. Patterns are parsed but not compiled one by one, which would cost
// as much as all the rest of loading them. A set is what RE2 offers for that; it is never matched with.
void CheckPatterns(const PatternList& patterns, std::string_view key, Problems& problems) {
  RE2::Set parser(MakeOptions(), RE2::ANCHOR_START);
  for (size_t i = 0; i < patterns.size(); ++i) {
    std::string error;
    if (parser.Add(patterns[i], &error) >= 0) continue;
    problems.push_back({.file = "",
                        .pointer = "/" + std::string(key) + "/" + std::to_string(i),
                        .message = "not a valid RE2 pattern: " + error});
  }
}

// Adds a problem for each pattern that matches an empty line: it would match every line.
void CheckForEmptyMatches(const PatternList& patterns, std::string_view key, Problems& problems) {
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (!RE2::PartialMatch("", RE2(patterns[i], MakeOptions()))) continue;
    problems.push_back({.file = "",
                        .pointer = "/" + std::string(key) + "/" + std::to_string(i),
                        .message = "the pattern matches an empty line; expected one that needs some text"});
  }
}

// Compiles an alternation of patterns that are good one by one. nullptr for an empty one, which matches nothing.
std::unique_ptr<RE2> Compile(const std::string& alternation, std::string_view key, Problems& problems) {
  if (alternation.empty()) return nullptr;
  auto compiled = std::make_unique<RE2>(alternation, MakeOptions());
  if (compiled->ok()) return compiled;
  problems.push_back(
      {.file = "",
       .pointer = "/" + std::string(key),
       .message = "the patterns are too large together, expected fewer or simpler ones: " + compiled->error()});
  return nullptr;
}

bool Matches(const std::unique_ptr<RE2>& pattern, std::string_view line) {
  return pattern != nullptr && pattern->Match(line, 0, line.size(), RE2::ANCHOR_START, nullptr, 0);
}

}  // namespace

LinePatterns::LinePatterns() = default;
LinePatterns::~LinePatterns() = default;

void LinePatterns::Check(const ZoneRules& rules, Problems& problems) {
  for (const auto& [key, list] : kZoneRuleLists) CheckPatterns(rules.*list, key, problems);
}

std::unique_ptr<LinePatterns> LinePatterns::Create(const ZoneRules& rules, Problems& problems) {
  const size_t problems_before = problems.size();
  Check(rules, problems);
  if (problems.size() != problems_before) return nullptr;

  const std::string boilerplate = WholeLine(Alternation({&rules.boilerplate}));
  std::string special = Alternation({&rules.trace_starts, &rules.error_lines, &rules.environment_starts});
  if (!boilerplate.empty()) special += (special.empty() ? "" : "|") + ("(?:" + boilerplate + ")");

  std::unique_ptr<LinePatterns> patterns(new LinePatterns);
  patterns->trace_starts_ = Compile(Alternation({&rules.trace_starts}), "trace_starts", problems);
  patterns->errors_ = Compile(Alternation({&rules.error_lines}), "error_lines", problems);
  patterns->environment_starts_ = Compile(Alternation({&rules.environment_starts}), "environment_starts", problems);
  patterns->boilerplate_ = Compile(boilerplate, "boilerplate", problems);
  patterns->in_trace_ =
      Compile(Alternation({&rules.trace_lines, &rules.trace_starts, &rules.error_lines}), "trace_lines", problems);
  patterns->in_environment_ =
      Compile(Alternation({&rules.environment_lines, &rules.environment_starts}), "environment_lines", problems);
  patterns->special_ = Compile(special, "", problems);
  if (problems.size() != problems_before) return nullptr;
  if (patterns->ContinuesTrace("") || patterns->ContinuesEnvironment("") || patterns->IsBoilerplate("")) {
    for (const auto& [key, list] : kZoneRuleLists) CheckForEmptyMatches(rules.*list, key, problems);
    return nullptr;
  }
  return patterns;
}

bool LinePatterns::IsSpecial(std::string_view line) const { return Matches(special_, line); }
bool LinePatterns::StartsTrace(std::string_view line) const { return Matches(trace_starts_, line); }
bool LinePatterns::IsError(std::string_view line) const { return Matches(errors_, line); }
bool LinePatterns::StartsEnvironment(std::string_view line) const { return Matches(environment_starts_, line); }
bool LinePatterns::IsBoilerplate(std::string_view line) const { return Matches(boilerplate_, line); }
bool LinePatterns::ContinuesTrace(std::string_view line) const { return Matches(in_trace_, line); }
bool LinePatterns::ContinuesEnvironment(std::string_view line) const { return Matches(in_environment_, line); }

}  // namespace yardmaster::rules
