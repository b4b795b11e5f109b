#include "services/core/store/sql_chat_links.h"

#include <soci/soci.h>

#include <string>

#include "services/core/status_macros.h"
#include "services/core/store/codec.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

constexpr std::string_view kLinkColumns = "select platform, chat_user, forge, login from chat_links";

struct LinkRow {
  ChatLink link;
  void Into(Select& query) {
    query.Into(link.account.platform).Into(link.account.user).Into(link.account.forge).Into(link.login);
  }
};

std::vector<ChatLink> ReadLinks(Select& query) {
  LinkRow row;
  row.Into(query);
  std::vector<ChatLink> links;
  while (query.Next()) {
    if (!row.link.login.empty()) links.push_back(row.link);
  }
  return links;
}

}  // namespace

absl::Status SqlChatLinks::Offer(const ChatAccount& account, std::string_view code_digest,
                                 std::chrono::system_clock::time_point until) {
  RETURN_IF_ERROR(CheckStoredName("platform", account.platform));
  RETURN_IF_ERROR(CheckStoredName("user", account.user));
  RETURN_IF_ERROR(CheckStoredName("forge", account.forge));
  RETURN_IF_ERROR(CheckStoredName("code", code_digest));
  return writer_.Run(WriteKind::kNew, [&](Transaction& transaction) {
    const std::string digest(code_digest);
    const long long ends = ToMicros(until);
    // Codes that nobody brought are of no use to anybody.
    transaction.sql << "delete from chat_links where login = '' and code_until < :now",
        soci::use(transaction.now, "now");
    transaction.sql
        << "insert into chat_links (platform, chat_user, forge, code, code_until) values (:platform, :user, "
           ":forge, :code, :until) on conflict (platform, chat_user, forge) do update set code = "
           "excluded.code, code_until = excluded.code_until, code_used_by = ''",
        soci::use(account.platform, "platform"), soci::use(account.user, "user"), soci::use(account.forge, "forge"),
        soci::use(digest, "code"), soci::use(ends, "until");
    return absl::OkStatus();
  });
}

absl::StatusOr<std::optional<ChatAccount>> SqlChatLinks::FindCode(std::string_view code_digest, std::string_view forge,
                                                                  std::string_view login,
                                                                  std::chrono::system_clock::time_point now) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::optional<ChatAccount>> {
    const std::string digest(code_digest);
    const std::string at(forge);
    const std::string name(login);
    const long long time = ToMicros(now);
    ChatAccount account;
    Select query(sql);
    query.Add(
        "select platform, chat_user, forge from chat_links where code = :code and forge = :forge and ((code_used_by = "
        "'' "
        "and code_until >= :now) or lower(code_used_by) = lower(:login))");
    query.Bind("code", digest).Bind("forge", at).Bind("now", time).Bind("login", name);
    query.Into(account.platform).Into(account.user).Into(account.forge);
    if (!query.Next()) return std::nullopt;
    return account;
  });
}

absl::StatusOr<std::optional<ChatLink>> SqlChatLinks::Redeem(std::string_view code_digest, std::string_view forge,
                                                             std::string_view login) {
  RETURN_IF_ERROR(CheckStoredName("code", code_digest));
  RETURN_IF_ERROR(CheckStoredName("login", login));
  std::optional<ChatLink> linked;
  const absl::Status status = writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    linked.reset();
    const std::string digest(code_digest);
    const std::string at(forge);
    const std::string name(login);
    ChatLink link;
    soci::statement update =
        (transaction.sql.prepare
             << "update chat_links set login = :login, code_used_by = :login, linked_at = :now where code = :code and "
                "forge = :forge and ((code_used_by = '' and code_until >= :now) or lower(code_used_by) = "
                "lower(:login)) returning platform, chat_user, forge, login",
         soci::use(name, "login"), soci::use(transaction.now, "now"), soci::use(digest, "code"), soci::use(at, "forge"),
         soci::into(link.account.platform), soci::into(link.account.user), soci::into(link.account.forge),
         soci::into(link.login));
    if (RunOne(update)) linked = link;
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return linked;
}

absl::StatusOr<std::vector<ChatLink>> SqlChatLinks::Remove(std::string_view platform, std::string_view user) {
  std::vector<ChatLink> gone;
  const absl::Status status = writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const std::string on(platform);
    const std::string who(user);
    {
      Select query(transaction.sql);
      query.Add(kLinkColumns).Add(" where platform = :platform and chat_user = :user");
      query.Bind("platform", on).Bind("user", who);
      gone = ReadLinks(query);
    }
    transaction.sql << "delete from chat_links where platform = :platform and chat_user = :user",
        soci::use(on, "platform"), soci::use(who, "user");
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return gone;
}

absl::StatusOr<std::vector<ChatLink>> SqlChatLinks::All() {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::vector<ChatLink>> {
    Select query(sql);
    query.Add(kLinkColumns).Add(" order by id");
    return ReadLinks(query);
  });
}

}  // namespace yardmaster::store
