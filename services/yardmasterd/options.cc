#include "services/yardmasterd/options.h"

#include <CLI/CLI.hpp>
#include <iostream>

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
  std::string listen_http;
  std::string listen_grpc;
  std::string mode;
  std::string level;
  std::string format;
  const CLI::Validator address(
      [](std::string& text) {
        return ParseHostPort(text).has_value() ? std::string() : "expected HOST:PORT, found \"" + text + "\"";
      },
      "HOST:PORT");

  CLI::App app("yardmasterd: triages issues and reviews pull requests under rule packs, over gRPC.", "yardmasterd");
  app.footer(kFooter);
  // Given twice, the last one counts: so scripts can add to a command.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_version_flag("--version", "yardmasterd " + std::string(kVersion));
  app.add_option("--config", options.config, "Configuration file (JSON)")->type_name("FILE");
  app.add_option("--data-dir", options.data_dir, "Where data is kept; one daemon at a time")->type_name("DIR");
  app.add_option("--listen-http", listen_http, "Address of health and metrics (default 127.0.0.1:8080)")
      ->check(address);
  app.add_option("--listen-grpc", listen_grpc, "Address of gRPC (default 127.0.0.1:9090)")->check(address);
  app.add_option("--mode", mode, "dry-run or apply; replaces the config's mode")
      ->check(CLI::IsMember({"dry-run", "apply"}));
  app.add_option("--packs", options.packs, "Folder with rule packs (also YARD_PACKS)")->type_name("DIR");
  app.add_option("--ready-file", options.ready_file, "Written when calls are answered: {\"pid\", \"http\", \"grpc\"}")
      ->type_name("FILE");
  app.add_option("--with-worker", options.with_worker, "Worker processes to start beside the daemon (a later version)")
      ->type_name("N")
      ->check(CLI::Range(0, 64));
  app.add_option("--log-level", level, "debug, info, warning or error")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
  app.add_option("--log-format", format, "json, or human (the default on a terminal)")
      ->check(CLI::IsMember({"json", "human"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version come here as well, with the code 0.
    exit_code = app.exit(error) == 0 ? kExitDone : kExitUsage;
    return std::nullopt;
  }
  if (!listen_http.empty()) options.listen_http = ParseHostPort(listen_http);
  if (!listen_grpc.empty()) options.listen_grpc = ParseHostPort(listen_grpc);
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
