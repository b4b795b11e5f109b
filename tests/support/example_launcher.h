// A launcher as somebody would add one: all that is particular to it stands in this file. In services/worker/launch it
// would be fork.cc, with a line in the table of launchers.cc and its name in rules/schema/suites.schema.json.
#ifndef YARDMASTER_TESTS_SUPPORT_EXAMPLE_LAUNCHER_H_
#define YARDMASTER_TESTS_SUPPORT_EXAMPLE_LAUNCHER_H_

#include <re2/re2.h>

#include <string>
#include <vector>

#include "services/worker/launch/launcher.h"

namespace yardmaster::testing {

// Starts the ranks as background jobs of a shell, and says at its end how each of them ended.
inline worker::Launcher Fork() {
  constexpr auto kCommand = [](const worker::LauncherInput& input) -> std::vector<std::string> {
    return {"bash",
            "-c",
            R"(for ((rank = 0; rank < $1; rank++)); do FORK_RANK=$rank bash "$2" & ranks+=($!); done
               worst=0
               for ((rank = 0; rank < $1; rank++)); do
                 wait "${ranks[rank]}" || { code=$?; worst=$code; echo "fork: rank $rank ended with $code"; }
               done
               exit "$worst")",
            "fork",
            std::to_string(input.world_size),
            input.rank_script.native()};
  };
  constexpr auto kRead = [](const std::vector<worker::LogLine>& lines) {
    static const RE2 kEnd(R"(^fork: rank (\d{1,4}) ended with (\d{1,3})$)");
    worker::LauncherReport report;
    int rank = 0;
    int code = 0;
    for (const worker::LogLine& line : lines) {
      if (RE2::PartialMatch(line.text, kEnd, &rank, &code)) report.AddEnd(rank, {code, 0});
    }
    return report;
  };
  return {.name = "fork", .rank_variable = "FORK_RANK", .sets_rank = false, .command = kCommand, .read = kRead};
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_EXAMPLE_LAUNCHER_H_
