// How GitHub says that something went wrong.
#ifndef YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_DIALECT_H_
#define YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_DIALECT_H_

#include "clients/forge/dialect.h"

namespace yardmaster {

class GitHubDialect final : public ForgeDialect {
 public:
  std::string_view name() const override { return "github"; }
  std::vector<HttpHeader> Headers() const override;
  HttpHeader TokenHeader() const override { return {"Authorization", "Bearer "}; }
  // 403 is a limit and not a lack of rights if the answer names a time, has no requests left, or says so.
  std::optional<ForgeVerdict> Judge(const OutgoingResponse& response,
                                    std::chrono::system_clock::time_point now) const override;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_GITHUB_GITHUB_DIALECT_H_
