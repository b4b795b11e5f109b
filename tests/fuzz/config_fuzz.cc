// Any bytes as a config file: problems or a config, never a crash, and every problem names a place inside of the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "services/core/config/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using yardmaster::Config;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  yardmaster::ConfigOptions options;
  options.getenv = [](const std::string& name) -> std::optional<std::string> {
    if (name.size() % 2 == 0) return std::nullopt;
    return "secret-" + name;
  };
  // First without secrets, so that no file outside is touched; secrets from files stay unresolved.
  options.resolve_secrets = false;
  yardmaster::Problems problems;
  const std::optional<Config> config = yardmaster::ParseConfig("config.json", text, "/nonexistent", problems, options);
  if (config.has_value() != problems.empty()) abort();
  const size_t lines = 1 + static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  for (const yardmaster::Problem& problem : problems) {
    if (problem.message.empty() || problem.line > lines) abort();
  }
  if (config.has_value()) {
    // What follows from a good config holds without surprises.
    for (const auto& entry : config->repositories) {
      if (config->FindRepository(entry.forge, entry.repository) == nullptr && !entry.repository.ends_with("/*"))
        abort();
    }
  }
  return 0;
}
