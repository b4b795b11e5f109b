#include "services/core/store/sql_operators.h"

#include <soci/soci.h>

#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"
#include "services/core/store/codec.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {

absl::Status SqlOperators::Put(std::string_view pack, std::string_view name, std::string_view state) {
  RETURN_IF_ERROR(CheckStoredName("pack", pack));
  RETURN_IF_ERROR(CheckStoredName("operator", name));
  if (state.size() > kMaxOperatorStateBytes) {
    return errors::OverLimit("operator's state", state.size(), kMaxOperatorStateBytes, "bytes");
  }
  if (CleanText(state, kMaxOperatorStateBytes) != state) return errors::NotUtf8("operator's state");
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const std::string bound_pack(pack);
    const std::string bound_name(name);
    const std::string text(state);
    transaction.sql << "insert into operators (pack, name, updated_at, state) values (:pack, :name, :now, :state) on "
                       "conflict (pack, name) do update set updated_at = excluded.updated_at, state = excluded.state",
        soci::use(bound_pack, "pack"), soci::use(bound_name, "name"), soci::use(transaction.now, "now"),
        soci::use(text, "state");
    return absl::OkStatus();
  });
}

absl::StatusOr<std::optional<std::string>> SqlOperators::Get(std::string_view pack, std::string_view name) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::optional<std::string>> {
    std::string text;
    Select query(sql);
    query.Add("select state from operators where pack = :pack").Bind("pack", pack);
    query.Add(" and name = :name").Bind("name", name);
    query.Into(text);
    std::optional<std::string> state;
    while (query.Next()) state = text;
    return state;
  });
}

}  // namespace yardmaster::store
