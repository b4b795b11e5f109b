#include "services/yardmasterd/options.h"

#include <iostream>

#include "clients/command_line/parse.h"
#include "services/core/version.h"

namespace yardmaster {
namespace {

constexpr char kFooter[] = R"(
Without --config the daemon listens on loopback only, decides in dry-run with the shipped packs, has no forge
credentials, keeps its data in a temporary folder, and lets anonymous callers on loopback read and make dry runs.

Signals: SIGTERM and SIGINT end it after the calls in flight; a second one ends it at once. SIGHUP reads packs and
secrets again; if anything is wrong, what was in service stays.

Exit: 0 ended as asked; 2 usage, config or packs are wrong, or another daemon has the data directory; 4 the system
(a port in use, a folder that can't be written); 130 ended at once by a second signal.

Examples:
  yardmasterd
      loopback, dry run: gRPC on 127.0.0.1:9090, health and metrics on http://127.0.0.1:8080
  yardmasterd --config /etc/yardmaster/config.json
      everything by configuration; check it first: yard config check /etc/yardmaster/config.json
  yardmasterd --listen-http 127.0.0.1:0 --listen-grpc 127.0.0.1:0 --ready-file /tmp/yard.json
      any free ports; the file gets {"pid", "http", "grpc"} as soon as calls are answered
  yardmasterd --config config.json --mode dry-run
      whatever the config says, nothing is written to a forge
)";

}  // namespace

std::optional<DaemonOptions> ParseOptions(int argc, const char* const* argv, int& exit_code) {
  DaemonOptions options;
  std::string mode;
  std::string level;
  std::string format;
  command_line::Command program("yardmasterd",
                                "yardmasterd: triages issues and reviews pull requests under rule packs, over gRPC.");
  program.footer = kFooter;
  // So scripts can add to a command.
  program.last_value_wins = true;
  program.Help("-h,--help", "Print this help and exit");
  program.Version("--version", "yardmasterd " + std::string(kVersion), "Print the version and exit");
  program.Value("--config", &options.config, "FILE", "Configuration file (JSON)");
  program.Value("--data-dir", &options.data_dir, "DIR", "Where data is kept; one daemon at a time");
  program.Value("--listen-http", &options.listen_http,
                "Address of webhooks, health and metrics (default 127.0.0.1:8080)");
  program.Value("--listen-grpc", &options.listen_grpc, "Address of gRPC (default 127.0.0.1:9090)");
  program.Value("--mode", &mode, "dry-run or apply; overrides the config's mode").OneOf({"dry-run", "apply"});
  program.Value("--packs", &options.packs, "DIR", "Folder with rule packs (also YARD_PACKS)");
  program.Value("--ready-file", &options.ready_file, "FILE",
                "Written when calls are answered: {\"pid\", \"http\", \"grpc\"}");
  program.Value("--with-worker", &options.with_worker, "N", "Start a yard-worker of its own with N processors; 0: none")
      .Between(0, 1024);
  program.Value("--log-level", &level, "debug, info, warning or error").OneOf({"debug", "info", "warning", "error"});
  program.Value("--log-format", &format, "json, or human (the default on a terminal)").OneOf({"json", "human"});

  const command_line::Parsed parsed = command_line::Parse(program, {argv + 1, argv + argc});
  if (parsed.command == nullptr) {
    if (parsed.error.empty()) {
      std::cout << parsed.answer;
    } else {
      std::cerr << parsed.error << "\nRun with --help for more information.\n";
    }
    exit_code = parsed.error.empty() ? kExitDone : kExitUsage;
    return std::nullopt;
  }
  options.mode = RunModeFromName(mode);
  options.log_level = LogLevelFromName(level);
  if (format == "json") options.log_format = LoggerOptions::Format::kJson;
  if (format == "human") options.log_format = LoggerOptions::Format::kHuman;
  return options;
}

void ApplyOptions(const DaemonOptions& options, Config& config) {
  if (!options.data_dir.empty()) config.data_dir = options.data_dir;
  if (!options.packs.empty()) config.packs_dir = options.packs;
  if (options.listen_http.has_value()) config.http = *options.listen_http;
  if (options.listen_grpc.has_value()) config.grpc = *options.listen_grpc;
  if (options.mode.has_value()) config.mode = *options.mode;
  if (options.log_level.has_value()) config.log.level = *options.log_level;
  if (options.log_format.has_value()) config.log.format = *options.log_format;
}

}  // namespace yardmaster
