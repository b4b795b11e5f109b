// What the verbs of `yard` run with.
#ifndef YARDMASTER_CLIENTS_CLI_SESSION_H_
#define YARDMASTER_CLIENTS_CLI_SESSION_H_

#include <string>
#include <vector>

#include "clients/cli/environment.h"
#include "clients/cli/output.h"

namespace yardmaster::cli {

inline constexpr const char* kDefaultServer = "127.0.0.1:9090";

// The options that may stand before or behind every verb.
struct GlobalOptions {
  std::string server;              // --server, else YARD_SERVER, else kDefaultServer
  bool server_given = false;       // by --server: verbs that are local by default then ask the server
  std::string token_file;          // --token-file
  std::string ca_file;             // --ca, else YARD_CA
  bool plaintext = false;          // --plaintext: no TLS even to another host
  bool local = false;              // --local
  std::vector<std::string> packs;  // --packs, as often as given; YARD_PACKS and the usual places come after it
  bool json = false;               // --json
  bool quiet = false;              // --quiet
};

struct Session {
  const Environment& env;
  const GlobalOptions& options;
  Output& output;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_SESSION_H_
