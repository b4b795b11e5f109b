#include "services/chat/link_handlers.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/forge/forge_event.h"
#include "services/core/defang.h"
#include "services/core/messages/timestamps.h"
#include "services/core/repository_name.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

using commands::CommandResult;
using commands::CommandRun;

CommandResult Linked(bool done, std::string text, std::string outcome) {
  CommandResult out;
  out.done = done;
  out.text = std::move(text);
  out.outcome = std::move(outcome);
  return out;
}

std::string CodeOf(const commands::ParsedCommand& command) {
  const auto slot = command.slots.find("code");
  if (slot == command.slots.end()) return {};
  const auto* code = std::get_if<std::string>(&slot->second);
  return code == nullptr ? std::string() : *code;
}

v1::ChatLinkChange& AddChange(v1::ChatLinkChange::Kind kind, const CommandRun& run) {
  v1::ChatLinkChange& change = *run.plan.add_actions()->mutable_chat_link();
  change.set_kind(kind);
  change.set_cause(commands::EffectName(run.input));
  return change;
}

absl::StatusOr<CommandResult> OfferCode(const AccountLinks& links, const CommandRun& run) {
  const v1::ChatOrigin& chat = run.input.event.chat();
  const v1::Subject& subject = run.input.snapshot.subject();
  const bool zh = run.asked.chinese;
  if (chat.unproved()) {
    return Linked(false,
                  zh ? "这个聊天平台无法证明是谁说的，因此不能自行关联。请运维在该平台的 `users` 中加入你的账号"
                     : "this platform does not prove who said it, so nobody can link themselves here. Ask the operator "
                       "to add you to the platform's `users`",
                  "refused: unproved");
  }
  if (!CodeOf(run.command).empty()) {
    return Linked(false,
                  zh ? "验证码要用你的账号在代码平台上以评论发出，而不是在这里"
                     : "the code is to be posted on the forge, in a comment by your account, and not here",
                  "refused: not on the forge");
  }
  const std::string linked = links.Find(chat.platform(), chat.user(), subject.forge());
  if (!chat.login().empty() && linked.empty()) {
    return Linked(true,
                  absl::StrCat(zh ? "运维已把你关联为 " : "the operator's configuration says that you are ",
                               EchoCode(chat.login())),
                  "done");
  }
  if (run.input.mode != v1::MODE_APPLY) {
    return Linked(
        false,
        zh ? "这个仓库处于演习模式，不会记录评论中的验证码。请在其他仓库的频道中使用，或请运维在 `users` 中加入你的账号"
           : "this repository is in a dry run, where no comment is acted upon. Say it in a channel of another "
             "one, or ask the operator to add you to the platform's `users`",
        "refused: dry run");
  }
  const LinkCode code = NewLinkCode();
  v1::ChatLinkChange& offer = AddChange(v1::ChatLinkChange::KIND_OFFER, run);
  offer.set_platform(chat.platform());
  offer.set_user(chat.user());
  offer.set_forge(subject.forge());
  offer.set_code_digest(code.digest);
  *offer.mutable_until() = ToTimestamp(run.input.now + kLinkCodeLife);
  const std::string at = QualifiedName(subject.forge(), subject.repository());
  const std::string line = absl::StrCat("`/yard link ", code.code, "`");
  std::string text = zh ? absl::StrCat("请在 ", kLinkCodeLife.count(), " 分钟内，用你的账号在 ", EchoCode(at),
                                       " 的任一 issue 或 PR 下发表评论 ", line, "。验证码只能用一次，不要转给别人")
                        : absl::StrCat("post ", line, " as a comment on any issue or pull request of ", EchoCode(at),
                                       ", with the account that is yours, within ", kLinkCodeLife.count(),
                                       " minutes. The code works once; don't pass it on");
  if (!linked.empty()) {
    absl::StrAppend(&text, zh ? "。在此之前仍关联 " : ". Until then you stay ", EchoCode(linked));
  }
  return Linked(true, std::move(text), "done");
}

absl::StatusOr<CommandResult> UseCode(const AccountLinks& links, const CommandRun& run) {
  const v1::Event& event = run.input.event;
  const bool zh = run.asked.chinese;
  const std::string code = CodeOf(run.command);
  if (code.empty()) {
    return Linked(false,
                  zh ? "请先在聊天中对机器人说 `/yard link`，再把得到的验证码写在这里"
                     : "say `/yard link` to the bot in chat first, and write the code that it gives you behind it here",
                  "refused: no code");
  }
  // Who edits another's comment would link somebody else's name.
  if (!event.text_author().empty() && !SameLogin(event.text_author(), event.actor())) {
    return Linked(false, zh ? "这条评论不是你写的" : "the comment was written by somebody else: write one of your own",
                  "refused: another's comment");
  }
  const std::string digest = DigestOfLinkCode(code);
  const std::string& forge = run.input.snapshot.subject().forge();
  ASSIGN_OR_RETURN(const std::optional<store::ChatAccount> account, links.FindCode(digest, forge, event.actor()));
  if (!account.has_value()) {
    return Linked(false,
                  zh ? "这个验证码无效：可能已用过、已过期，或属于另一个代码平台。请在聊天中重新说 `/yard link`"
                     : "that code is not good: it was used, it is over its time, or it is another forge's. Say `/yard "
                       "link` in chat again",
                  "refused: code");
  }
  v1::ChatLinkChange& redeem = AddChange(v1::ChatLinkChange::KIND_REDEEM, run);
  redeem.set_forge(forge);
  redeem.set_code_digest(digest);
  redeem.set_login(event.actor());
  return Linked(true,
                zh ? absl::StrCat("已关联：你在 ", EchoCode(account->platform),
                                  " 上发出的命令今后使用你在这里的权限。在那里说 `/yard unlink` 即可解除")
                   : absl::StrCat("linked: what you ask for on ", EchoCode(account->platform),
                                  " is done with your rights here from now on. `/yard unlink` there ends it"),
                "done");
}

absl::StatusOr<CommandResult> EndLink(const AccountLinks& links, const CommandRun& run) {
  const v1::ChatOrigin& chat = run.input.event.chat();
  const bool zh = run.asked.chinese;
  if (!run.input.event.has_chat()) {
    return Linked(false, zh ? "请在聊天中使用" : "it works in chat, where the account is that is linked",
                  "refused: not in chat");
  }
  if (chat.unproved()) {
    return Linked(false, zh ? "这个聊天平台无法证明是谁说的" : "this platform does not prove who said it",
                  "refused: unproved");
  }
  const std::vector<store::ChatLink> gone = links.LinksOf(chat.platform(), chat.user());
  if (gone.empty()) {
    return Linked(false,
                  chat.login().empty()
                      ? std::string(zh ? "你没有关联账号" : "you are not linked with any account")
                      : absl::StrCat(zh ? "关联来自运维的配置：" : "the operator's configuration links you: ",
                                     EchoCode(chat.login())),
                  "refused: not linked");
  }
  v1::ChatLinkChange& end = AddChange(v1::ChatLinkChange::KIND_END, run);
  end.set_platform(chat.platform());
  end.set_user(chat.user());
  std::string text = zh ? "已解除关联：" : "no longer linked: ";
  for (size_t i = 0; i < gone.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", EchoCode(absl::StrCat(gone[i].account.forge, ":", gone[i].login)));
  }
  return Linked(true, std::move(text), "done");
}

}  // namespace

commands::CommandHandlers LinkHandlers(const AccountLinks& links) {
  return {{"link",
           [&links](const CommandRun& run) {
             return run.input.event.has_chat() ? OfferCode(links, run) : UseCode(links, run);
           }},
          {"unlink", [&links](const CommandRun& run) { return EndLink(links, run); }}};
}

}  // namespace yardmaster
