#include "rules/suites/asked_names.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

constexpr size_t kMaxWordBytes = 64;

std::string PlainName(std::string_view name) {
  std::string plain = absl::AsciiStrToLower(Abs(name));
  absl::c_replace(plain, '_', '-');
  return plain;
}

// What stands at the place of `name` in `word`; empty where nothing does; nullopt: `word` is another name.
std::optional<std::string> WordIn(std::string_view name, std::string_view word) {
  const size_t place = name.find(kWordPlace);
  if (place == std::string_view::npos) {
    return PlainName(name) == PlainName(word) ? std::optional<std::string>("") : std::nullopt;
  }
  const std::string_view before = name.substr(0, place);
  const std::string_view after = name.substr(place + kWordPlace.size());
  if (word.size() <= before.size() + after.size() || word.size() > before.size() + after.size() + kMaxWordBytes ||
      PlainName(word.substr(0, before.size())) != PlainName(before) ||
      PlainName(word.substr(word.size() - after.size())) != PlainName(after)) {
    return std::nullopt;
  }
  std::string inside =
      absl::AsciiStrToLower(Abs(word.substr(before.size(), word.size() - before.size() - after.size())));
  const bool plain = absl::c_all_of(inside, [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; });
  return plain ? std::optional<std::string>(std::move(inside)) : std::nullopt;
}

}  // namespace

bool IsSuiteId(const SuiteModel& suite, std::string_view word) {
  const std::string plain = PlainName(word);
  return plain == PlainName(suite.id) || plain == PlainName(absl::StrCat(suite.pack, "/", suite.id));
}

std::optional<NamedPart> PartByName(const SuiteModel& suite, std::string_view word) {
  for (const SuiteName& one : suite.commands.names) {
    const std::optional<std::string> inside = WordIn(one.name, word);
    if (!inside.has_value()) continue;
    NamedPart part{one.layers, one.variables};
    for (auto& [name, value] : part.variables) value = absl::StrReplaceAll(value, {{Abs(kWordPlace), *inside}});
    return part;
  }
  return std::nullopt;
}

std::string_view KindOfSuite(const SuiteModel& suite) {
  return suite.commands.kind.empty() ? suite.gate.kind : suite.commands.kind;
}

bool IsUsual(const SuiteModel& suite) { return suite.commands.usual || !suite.gate.kind.empty(); }

}  // namespace yardmaster::rules
