// The options of `yard` that may stand before or after the verb, and what a verb is.
#ifndef YARDMASTER_CLIENTS_CLI_OPTIONS_H_
#define YARDMASTER_CLIENTS_CLI_OPTIONS_H_

#include <functional>
#include <string>

#include "clients/cli/environment.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/output.h"

namespace yardmaster::cli {

inline constexpr const char* kDefaultServer = "127.0.0.1:9090";

struct GlobalOptions {
  std::string server;  // --server, else YARD_SERVER, else kDefaultServer
  bool server_given =
      false;               // --server stands on the command line: verbs that are local by default then ask the server
  std::string token_file;  // --token-file
  std::string ca_file;     // --ca, else YARD_CA
  bool plaintext = false;  // --plaintext: no TLS even to another host
  bool local = false;      // --local
  std::string packs;       // --packs; YARD_PACKS and the usual places come after it
  bool json = false;       // --json
  bool quiet = false;      // --quiet
};

// What a verb runs with.
struct Session {
  const Environment& env;
  const GlobalOptions& options;
  Output& output;
};

// The work of the verb that the command line names.
using Verb = std::function<ExitCode(Session&)>;

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_OPTIONS_H_
