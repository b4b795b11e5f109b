#include "services/worker/run/installs.h"

#include <re2/re2.h>

#include <initializer_list>
#include <string>
#include <system_error>

#include "absl/algorithm/container.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"

namespace yardmaster::worker {

bool MayInstall(const rules::CommandLine& command, std::string_view module) {
  static const RE2 kInstaller(
      R"((?:^|[\s/;&|('"])(?:pip[\d.]*|conda|mamba|uv|apt(?:-get)?|poetry|pdm)(?:$|[\s;&|)'"]))");
  static const RE2 kScript(R"([\w./-]\.sh(?:$|[\s;&|)'"]))");
  static const RE2 kName(R"(([\w-]+))");
  std::string text = command.shell;
  for (const std::string& word : command.words) text += " " + word;
  if (RE2::PartialMatch(text, kScript)) return true;
  if (RE2::PartialMatch(text, kInstaller) && !Contains(text, "--no-deps")) return true;
  // A package may be spelt with either.
  const auto normal = [](std::string_view name) {
    std::string out = LowerCase(name);
    for (char& c : out) c = c == '-' ? '_' : c;
    return out;
  };
  re2::StringPiece rest(text);
  std::string name;
  while (RE2::FindAndConsume(&rest, kName, &name)) {
    if (normal(name) == normal(module)) return true;
  }
  return false;
}

bool BuildMayBring(const rules::SuiteModel& suite, const std::filesystem::path& source, std::string_view module) {
  const std::string top(module.substr(0, module.find('.')));
  if (absl::c_any_of(suite.build, [&](const rules::SuiteStep& step) { return MayInstall(step.command, top); })) {
    return true;
  }
  if (suite.build.empty()) return false;
  if (source.empty()) {
    std::string name = suite.source.repository.substr(suite.source.repository.rfind('/') + 1);
    absl::c_replace(name, '-', '_');
    return name == top;
  }
  std::error_code error;
  return absl::c_any_of(std::initializer_list<std::string_view>{"", "src", "python"}, [&](std::string_view folder) {
    const std::filesystem::path at = source / folder;
    return std::filesystem::exists(at / top, error) || std::filesystem::exists(at / (top + ".py"), error);
  });
}

}  // namespace yardmaster::worker
