// Any bytes as a repository's file: problems or a file, never a crash; every problem names a place inside of the text;
// what was accepted can be merged and asked for rights; what people wrote can be echoed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "services/commands/permission.h"
#include "services/commands/repository_file.h"
#include "services/core/defang.h"
#include "services/core/readable.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace commands = yardmaster::commands;
  namespace rules = yardmaster::rules;
  using namespace yardmaster;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Problems problems;
  const std::optional<commands::RepositoryFile> file =
      commands::ParseRepositoryFile(".github/yardmaster.json", text, {{"common", "pypto"}, nullptr}, problems);
  if (file.has_value() != problems.empty()) abort();
  const size_t lines = 1 + static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  for (const Problem& problem : problems) {
    if (problem.message.empty() || problem.line > lines || !IsValidUtf8(problem.message)) abort();
  }
  if (file.has_value()) {
    const commands::RepositoryFile merged = commands::MergeRepositoryFiles(&*file, &*file);
    if (merged.dry_run != file->dry_run ||
        commands::PacksOf(merged, {"common"}) != std::vector<std::string>{"common"}) {
      abort();
    }
    for (const auto& [id, setting] : file->commands.commands) {
      rules::CommandModel command;
      command.id = id;
      command.places = rules::kFromPull;
      commands::SettingLayers layers;
      layers.repository = &file->commands;
      const auto decision = commands::Decide({&command, rules::kFromPull, "author"}, {"author", "admin", {}}, layers);
      // Without rights in the table only the file lets anybody in.
      if (decision.allowed() && !setting.who.has_value()) abort();
    }
  }
  for (const std::string& echo : {EchoCode(text), EchoText(text)}) {
    if (!IsValidUtf8(echo) || echo.find('\n') != std::string::npos || echo.size() > 4096) abort();
    // Behind every "@" stands the joiner.
    for (size_t at = echo.find('@'); at != std::string::npos; at = echo.find('@', at + 1)) {
      if (echo.compare(at + 1, 3, "\xe2\x81\xa0") != 0) abort();
    }
  }
  return 0;
}
