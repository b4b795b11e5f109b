// What the ranks of a launcher run and leave behind, since the worker does not start them itself. All of it lies in a
// folder of the step's own; RANK in a name stands for the number.
#ifndef YARDMASTER_SERVICES_WORKER_LAUNCH_RANK_SCRIPT_H_
#define YARDMASTER_SERVICES_WORKER_LAUNCH_RANK_SCRIPT_H_

#include <filesystem>
#include <string>
#include <string_view>

namespace yardmaster::worker {

inline constexpr std::string_view kRankStdout = "rank.RANK.out";   // a named pipe, made by the caller
inline constexpr std::string_view kRankStderr = "rank.RANK.err";   // the same
inline constexpr std::string_view kRankBegin = "rank.RANK.begin";  // "SECONDS.MICROS" since 1970
inline constexpr std::string_view kRankEnd = "rank.RANK.end";      // "SECONDS.MICROS CODE"
inline constexpr std::string_view kRankCommand = "rank.RANK.sh";   // the rank's own part of the step, for bash
inline constexpr std::string_view kRankScript = "rank.sh";         // what each rank runs
std::string RankFile(std::string_view pattern, int rank);

// The text of kRankScript: it takes the rank from `rank_variable`, sends its output to the rank's pipes, notes begin
// and end, and runs kRankCommand.
std::string RankScript(const std::filesystem::path& control, std::string_view rank_variable);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_LAUNCH_RANK_SCRIPT_H_
