#include "services/dispatch/pulls/suite_choice.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/suites/asked_names.h"
#include "rules/suites/device_words.h"
#include "rules/suites/suite_names.h"
#include "services/core/absl_view.h"

namespace yardmaster::dispatch {
namespace {

constexpr std::string_view kLevelAxis = "level";
constexpr std::string_view kSmoke = "smoke";
constexpr std::string_view kCompile = "compile";

std::vector<std::string> LayersOf(const rules::SuiteModel& suite, std::initializer_list<rules::LayerKind> kinds) {
  std::vector<std::string> layers;
  for (const rules::SuiteLayer& layer : suite.layers) {
    if (absl::c_linear_search(kinds, layer.kind)) layers.push_back(layer.id);
  }
  return layers;
}

bool HasLevel(const rules::SuiteModel& suite, const std::string& level) {
  return absl::c_any_of(suite.matrix.axes, [&](const auto& axis) {
    return axis.first == kLevelAxis && absl::c_linear_search(axis.second, level);
  });
}

std::string NamesOf(const std::vector<ChosenSuite>& suites) {
  return absl::StrJoin(suites, ", ",
                       [](std::string* out, const ChosenSuite& one) { absl::StrAppend(out, one.suite.name); });
}

// All words by which suites may be asked for.
std::string WordsOf(const std::vector<ShelvedSuite>& all) {
  std::vector<std::string> words;
  for (const ShelvedSuite& one : all) {
    words.push_back(one.name);
    for (const rules::SuiteName& name : one.suite->commands.names) words.push_back(name.name);
  }
  return words.empty() ? "-" : absl::StrJoin(words, ", ");
}

// Those that the word names by themselves.
std::vector<ChosenSuite> Named(const std::vector<ShelvedSuite>& all, const std::string& word) {
  std::vector<ChosenSuite> chosen;
  if (word.empty()) return chosen;
  for (const ShelvedSuite& one : all) {
    if (rules::IsSuiteId(*one.suite, word)) chosen.push_back({one, {}});
  }
  if (!chosen.empty()) return chosen;
  for (const ShelvedSuite& one : all) {
    const std::optional<rules::NamedPart> named = rules::PartByName(*one.suite, word);
    if (!named.has_value()) continue;
    ChosenSuite& suite = chosen.emplace_back(ChosenSuite{one, {}});
    for (const std::string& layer : named->layers) suite.part.add_layers(layer);
    for (const auto& [name, value] : named->variables) suite.part.add_variables(absl::StrCat(name, "=", value));
  }
  return chosen;
}

// Those of the kind that the word is. What a pack has of its own stands in for those of the packs that it extends,
// which are made for other sources.
std::vector<ChosenSuite> OfKind(const std::vector<ShelvedSuite>& all, const std::string& pack,
                                const std::string& word) {
  const bool is_smoke = word == kSmoke;
  const bool is_compile = word == kCompile;
  const std::string_view kind = is_smoke ? "st" : is_compile ? "" : std::string_view(word);
  std::vector<ChosenSuite> chosen;
  for (const ShelvedSuite& one : all) {
    if (kind.empty() ? !rules::IsUsual(*one.suite) : rules::KindOfSuite(*one.suite) != kind) continue;
    ChosenSuite suite{one, {}};
    using Kind = rules::LayerKind;
    std::vector<std::string> layers;
    if (is_smoke) layers = LayersOf(*one.suite, {Kind::kSmoke});
    if (is_compile) layers = LayersOf(*one.suite, {Kind::kBuild, Kind::kImport});
    // No layers would be all of them.
    if ((is_smoke || is_compile) && layers.empty()) continue;
    for (const std::string& layer : layers) suite.part.add_layers(layer);
    chosen.push_back(std::move(suite));
  }
  const auto is_own = [&](const ChosenSuite& one) { return one.suite.suite->pack == pack; };
  if (absl::c_any_of(chosen, is_own)) std::erase_if(chosen, std::not_fn(is_own));
  return chosen;
}

// Gives the device to those that it is for, and leaves out those that could do nothing with it.
void GiveDevice(const v1::TestRequest& request, bool several, std::vector<ChosenSuite>& chosen) {
  std::erase_if(chosen, [&](ChosenSuite& one) {
    const rules::DeviceKind needs = one.suite.suite->devices.kind;
    const std::optional<rules::DeviceWord> word = rules::ReadDeviceWord(request.device(), needs);
    const bool takes_none = several && needs == rules::DeviceKind::kCpu && word.has_value() && word->kind != needs;
    if (takes_none) return false;
    if (several && word.has_value() && word->kind != needs) return true;
    v1::DeviceDemand& devices = *one.part.mutable_devices();
    if (word.has_value()) {
      devices.set_kind(std::string(rules::DeviceKindKey(word->kind)));
      for (const std::string& model : word->models) devices.add_models(model);
      if (!word->architecture.empty()) one.part.add_labels(absl::StrCat("arch:", word->architecture));
    }
    devices.set_count(request.cards());
    return false;
  });
}

}  // namespace

SuiteChoice ChooseSuites(const std::vector<ShelvedSuite>& all, const std::string& pack,
                         const v1::TestRequest& request) {
  const std::string& word = request.suite();
  const auto refused = [](std::string code, std::string detail) {
    return SuiteChoice{{}, Refusal{std::move(code), std::move(detail)}};
  };
  SuiteChoice choice{Named(all, word), std::nullopt};
  const bool several = choice.suites.empty();
  if (several) {
    if (!word.empty() && word != "ut" && word != "st" && word != kSmoke && word != kCompile) {
      return refused("unknown-suite", WordsOf(all));
    }
    choice.suites = OfKind(all, pack, word);
    if (choice.suites.empty()) return refused("no-usual-suites", pack);
  }
  if (const std::string& level = request.level(); !level.empty()) {
    const std::string names = NamesOf(choice.suites);
    // Of several those without levels are left out: nobody meant them.
    const auto lacks_it = [&](const ChosenSuite& one) { return !HasLevel(*one.suite.suite, level); };
    if (several) std::erase_if(choice.suites, lacks_it);
    if (choice.suites.empty() || absl::c_any_of(choice.suites, lacks_it)) {
      return refused("no-level", absl::StrCat(level, " (", names, ")"));
    }
    for (ChosenSuite& one : choice.suites) one.part.add_select(absl::StrCat(Abs(kLevelAxis), "=", level));
  }
  const std::string names = NamesOf(choice.suites);
  GiveDevice(request, several, choice.suites);
  if (choice.suites.empty()) return refused("no-device", absl::StrCat(request.device(), " (", names, ")"));
  return choice;
}

}  // namespace yardmaster::dispatch
