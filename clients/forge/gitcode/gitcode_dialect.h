// How GitCode says that something went wrong: by status, by a body of one of several shapes, or by such a body with
// 200.
#ifndef YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_DIALECT_H_
#define YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_DIALECT_H_

#include "clients/forge/dialect.h"

namespace yardmaster {

class GitCodeDialect final : public ForgeDialect {
 public:
  std::string_view name() const override { return "gitcode"; }
  std::vector<HttpHeader> Headers() const override;
  // A header, never the query: URLs end up in logs. Of the two headers this is the one that every call accepts.
  HttpHeader TokenHeader() const override { return {"PRIVATE-TOKEN", ""}; }
  std::optional<ForgeVerdict> Judge(const OutgoingResponse& response,
                                    std::chrono::system_clock::time_point now) const override;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_GITCODE_GITCODE_DIALECT_H_
