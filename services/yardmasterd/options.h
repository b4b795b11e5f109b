// The daemon's command line.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_OPTIONS_H_
#define YARDMASTER_SERVICES_YARDMASTERD_OPTIONS_H_

#include <filesystem>
#include <optional>
#include <string>

#include "services/core/address.h"
#include "services/core/config/config.h"

namespace yardmaster {

// What was given; unset members leave the config's value.
struct DaemonOptions {
  std::filesystem::path config;
  std::filesystem::path data_dir;
  std::filesystem::path packs;
  std::filesystem::path ready_file;
  std::optional<HostPort> listen_http;
  std::optional<HostPort> listen_grpc;
  std::optional<RunMode> mode;
  std::optional<LogLevel> log_level;
  std::optional<LoggerOptions::Format> log_format;
  int with_worker = 0;
};

// Exit codes of the programs.
inline constexpr int kExitDone = 0;
inline constexpr int kExitUsage = 2;   // usage, config, packs, data directory in use
inline constexpr int kExitSystem = 4;  // the environment: ports, disks
inline constexpr int kExitInterrupted = 130;

// Reads the command line. If the program is to end here (--help, --version, or an error, all of them printed), returns
// nullopt and sets `exit_code`.
std::optional<DaemonOptions> ParseOptions(int argc, const char* const* argv, int& exit_code);

// Puts the options over the config.
void ApplyOptions(const DaemonOptions& options, Config& config);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_OPTIONS_H_
