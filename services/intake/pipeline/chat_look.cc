#include "services/intake/pipeline/chat_look.h"

#include <optional>

#include "clients/forge/forge_error.h"

namespace yardmaster {
namespace {

constexpr ChatSaying kAnotherRepository{
    "That is not this channel's repository: only people whose account is known and may read it can ask about it here.",
    "这不是本频道的仓库；只有已关联账号、且能读取该仓库的人可以问。"};
constexpr ChatSaying kNotForEverybody{
    "This platform does not prove who asks or where the answer goes, and the repository is not public. With "
    "`app_key` in the platform's configuration, answers go to the channel alone.",
    "这个聊天平台无法证明是谁在问、回答会发到哪里，而这个仓库不是公开的。运维在该平台的配置中加上 `app_key` "
    "后，回答只发到本频道。"};

// What a read that failed means: an outcome that passes, or done where the forge will not say it.
Outcome Unanswered(const absl::Status& error) {
  const std::optional<ForgeError> why = ForgeErrorOf(error);
  const bool hidden =
      why.has_value() && (why->reason == ForgeReason::kNotFound || why->reason == ForgeReason::kForbidden ||
                          why->reason == ForgeReason::kMoved || why->reason == ForgeReason::kUnsupported);
  return hidden ? Outcome() : Outcome::OfForge(error);
}

}  // namespace

Outcome FindChatLookBar(SubjectRun& run, const v1::ChatOrigin& chat, const ChatSaying*& bar) {
  const bool for_everybody = chat.unproved() && chat.open_answer();
  bar = nullptr;
  if (!chat.other_repository() && !for_everybody) return {};
  bar = chat.other_repository() ? &kAnotherRepository : &kNotForEverybody;
  if (chat.other_repository() && chat.login().empty()) return {};
  const std::string& repository = run.subject().repository();
  const absl::StatusOr<ForgeRepository> seen = run.forge().GetRepository(run.ReadCall(), repository);
  if (!seen.ok()) return Unanswered(seen.status());
  if (!seen->is_private) {
    bar = nullptr;
    return {};
  }
  if (for_everybody) return {};
  const absl::StatusOr<ForgeAccess> access = run.forge().GetPermission(run.ReadCall(), repository, chat.login());
  if (!access.ok()) return Unanswered(access.status());
  if (access->permission != ForgePermission::kNone) bar = nullptr;
  return {};
}

}  // namespace yardmaster
