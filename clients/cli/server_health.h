// What a server says about itself.
#ifndef YARDMASTER_CLIENTS_CLI_SERVER_HEALTH_H_
#define YARDMASTER_CLIENTS_CLI_SERVER_HEALTH_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/cli/connection.h"
#include "yardmaster/v1/intake.pb.h"

namespace yardmaster::cli {

struct ServerHealth {
  bool serving = false;
  // What an operator has to fix.
  std::vector<v1::Notice> notices;
  // Why the notices could not be had, for people: they need the role viewer. Empty: they could.
  std::string notices_hidden;
};

// UNAVAILABLE if nobody answers. Whether it serves needs no token.
absl::StatusOr<ServerHealth> AskHealth(const ServerConnection& server);

nlohmann::ordered_json NoticeJson(const v1::Notice& notice);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_SERVER_HEALTH_H_
