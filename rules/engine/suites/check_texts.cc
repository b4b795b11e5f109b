#include "rules/engine/suites/check_texts.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "rules/suites/placeholders.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

// Memory of the states of one pattern.
constexpr int64_t kPatternMemory = 4 << 20;

// Set by what hands out devices.
constexpr std::string_view kLeased[] = {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES",
                                        "ASCEND_VISIBLE_DEVICES"};
// Set for each rank.
constexpr std::string_view kRanked[] = {"RANK",        "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE",
                                        "MASTER_ADDR", "MASTER_PORT"};
constexpr std::string_view kSecretWords[] = {"TOKEN",      "SECRET",  "PASSWORD",    "PASSWD",
                                             "CREDENTIAL", "API_KEY", "PRIVATE_KEY", "ACCESS_KEY"};

template <size_t size>
bool Contains(const std::string_view (&list)[size], std::string_view name) {
  return absl::c_linear_search(list, name);
}

bool IsVariableName(std::string_view name) {
  static const RE2 kName("[a-zA-Z_][a-zA-Z0-9_]*");
  return RE2::FullMatch(name, kName);
}

bool LooksSecret(std::string_view name) {
  const std::string upper = absl::AsciiStrToUpper(Abs(name));
  return absl::c_any_of(kSecretWords, [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

bool CheckVariableName(const std::string& name, const Place& place) {
  if (IsVariableName(name)) return true;
  place.Add("expected the name of a variable, got " + Quoted(name));
  return false;
}

std::vector<std::string> NamesOf(const KnownPlaceholders& known) {
  std::vector<std::string> names(std::begin(kGeneralPlaceholders), std::end(kGeneralPlaceholders));
  if (known.of_steps) names.insert(names.end(), std::begin(kStepPlaceholders), std::end(kStepPlaceholders));
  for (const std::string& axis : known.axes) names.push_back(std::string(kMatrixPrefix) + axis);
  return names;
}

// Why a placeholder that is not known here is not.
std::string WhyUnknown(std::string_view name) {
  if (Contains(kStepPlaceholders, name)) return "; it is known in the steps of layers only";
  if (name.starts_with(kMatrixPrefix)) return "; expected an axis over which the step is repeated";
  return "; \"$${\" is a plain \"${\"";
}

}  // namespace

void CheckPlaceholders(std::string_view text, const KnownPlaceholders& known, const Place& place) {
  const std::vector<std::string> names = NamesOf(known);
  const std::vector<std::string_view> views(names.begin(), names.end());
  PlaceholderValues values;
  for (const std::string& name : names) values[name];
  for (const std::string& name : PlaceholderNames(text)) {
    if (!values.emplace(name, "").second) continue;
    const std::string_view nearest = NearestName(name, views);
    place.Add(
        "unknown placeholder " + Quoted("${" + name + "}") +
        (nearest.empty() ? WhyUnknown(name) : "; did you mean " + Quoted("${" + std::string(nearest) + "}") + "?"));
  }
  // All names are there now: what is left is one that is not closed.
  std::string error;
  if (!Substitute(text, values, error)) place.Add(error);
}

bool HasPlaceholder(std::string_view text, std::string_view name) {
  const std::vector<std::string> names = PlaceholderNames(text);
  return absl::c_linear_search(names, name);
}

void CheckPattern(const std::string& pattern, const std::vector<std::string_view>& groups, bool case_sensitive,
                  const Place& place) {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(kPatternMemory);
  options.set_case_sensitive(case_sensitive);
  const RE2 compiled(pattern, options);
  if (!compiled.ok()) {
    place.Add("not a pattern that RE2 takes: " + Readable(compiled.error(), 200));
    return;
  }
  if (RE2::PartialMatch("", compiled)) place.Add("the pattern " + Quoted(pattern) + " matches an empty line");
  for (const std::string_view group : groups) {
    if (compiled.NamedCapturingGroups().count(std::string(group)) > 0) continue;
    place.Add("expected a group \"(?P<" + std::string(group) + ">…)\" in the pattern " + Quoted(pattern));
  }
}

void CheckRelativePath(std::string_view path, const Place& place) {
  bool inside = !path.empty() && path[0] != '/';
  for (std::string_view rest = path; !rest.empty();) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    inside = inside && rest.substr(0, slash) != "..";
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  if (!inside) place.Add("expected a relative path without \"..\", got " + Quoted(path));
}

void CheckVariables(const Variables& variables, const KnownPlaceholders& known, bool ranks, const Place& place) {
  for (const auto& [name, value] : variables) {
    const Place at = place / name;
    if (!CheckVariableName(name, at)) continue;
    if (Contains(kLeased, name)) at.Add(Quoted(name) + " is set by the worker, to the devices that are leased");
    if (ranks && Contains(kRanked, name)) at.Add(Quoted(name) + " is set by the launcher");
    CheckPlaceholders(value, known, at);
  }
}

void CheckVariableNames(const std::vector<std::string>& names, bool passed, const Place& place) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (!CheckVariableName(names[i], place / i)) continue;
    if (passed && LooksSecret(names[i])) {
      (place / i).Add(Quoted(names[i]) + " looks like a secret: these never reach a job");
    }
  }
}

}  // namespace yardmaster::rules
