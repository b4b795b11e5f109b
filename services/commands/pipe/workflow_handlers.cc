#include "services/commands/pipe/workflow_handlers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "services/commands/pipe/handler_tools.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"
#include "services/core/short_commit.h"
#include "services/core/status_macros.h"

namespace yardmaster::commands {
namespace {

using Kind = v1::PullOperation;

constexpr std::string_view kWorkflowPlanner = "workflow";
constexpr size_t kMaxDetailBytes = 600;
constexpr size_t kMaxHunkBytes = 2'000;

// Why nothing is done; "{}" is the detail.
struct RefusalText {
  std::string_view code;
  std::string_view en;
  std::string_view zh;
};
constexpr std::array kRefusalTexts = {
    RefusalText{"not-open", "the pull request {} is not open", "PR {} 不是打开状态"},
    RefusalText{"no-fork", "its branch is in no fork that the forge names", "找不到它的 fork 仓"},
    RefusalText{
        "no-permission",
        "the forge does not say that the bot may push to {}: allow edits by maintainers, or give its account write "
        "access there",
        "机器人没有向 {} 推送的权限：请允许维护者编辑，或给机器人账号写权限"},
    RefusalText{
        "protected-branch",
        "{} is a branch that others build on, by its name or as the default one: the bot never rewrites it, nor "
        "takes it back",
        "{} 是受保护的分支（按名称或默认分支），机器人不会改写或回退它"},
    RefusalText{"changed", "{} has changed since that was shown: nothing was done. Write the command again",
                "{} 在展示之后有了变化，没有执行，请重新发出命令"},
    RefusalText{"message-unused", "without `--amend` the commits keep their messages: leave out `-m`, or add `--amend`",
                "没有 `--amend` 时各 commit 保留自己的提交信息：请去掉 `-m`，或加上 `--amend`"},
    RefusalText{"not-theirs", "{} was opened by somebody else: only its author may add to it",
                "{} 不是你提的 PR，只有作者可以追加"},
    RefusalText{"same-pull", "{} is this pull request", "{} 就是当前 PR"},
    RefusalText{"no-git-server", "the git server of {} is not reached by HTTP here",
                "这里没有用 HTTP 访问 {} 的 git 服务器"},
    RefusalText{"git-failed", "the git server: {}", "git 服务器：{}"},
    RefusalText{"gate-runs", "the gate is running ({}), and a push would disturb it: write it again when that is over",
                "门禁正在运行（{}），推送会打断它，请等它结束后再试"},
    RefusalText{"one-commit", "it has only {} commit: there is nothing to squash", "只有 {} 个 commit，不需要压缩"},
    RefusalText{"no-commits", "there are no commits to work on: {}", "没有可以处理的 commit：{}"},
    RefusalText{"up-to-date", "nothing is left to do: {} is up to date", "没有需要做的：{} 已是最新"},
    RefusalText{"no-such-branch", "there is no branch {}", "没有分支 {}"},
    RefusalText{"branch-taken", "there is a branch {} already: remove it, if it is of no use",
                "分支 {} 已经存在，如果没用请先删除"},
    RefusalText{"merges", "a merge is among the commits, which is not made again: squash first ({})",
                "其中有 merge 提交，请先压缩（{}）"},
    RefusalText{"conflict", "this commit does not fit: {}", "这个 commit 有冲突：{}"},
    RefusalText{"bad-message", "the commit message must not be used: {}", "提交信息不符合要求：{}"},
    RefusalText{"diverged", "{} has commits of its own in the fork: bring it forward by hand",
                "fork 里的 {} 有自己的提交，请手工同步"},
    RefusalText{"too-large", "it is too large for the service: {}. `yard workflow` does it in a clone",
                "内容太大：{}。请在本地用 `yard workflow`"},
    RefusalText{"nothing-left", "{} has all of it already", "{} 已经包含全部改动"},
    RefusalText{"moved", "{} has moved since: nothing is taken back", "{} 之后又变了，没有撤销"},
    RefusalText{"nothing-to-undo", "nothing was done here within a week that could be taken back",
                "一周之内没有可以撤销的操作"},
};

std::string RefusalOf(const CommandRun& run, const v1::Plan& plan) {
  std::string code = WhyOfStep(plan, "refused");
  const std::string detail = EchoText(WhyOfStep(plan, "why"), kMaxDetailBytes);
  const auto text = std::find_if(kRefusalTexts.begin(), kRefusalTexts.end(),
                                 [&](const RefusalText& one) { return one.code == code; });
  if (text == kRefusalTexts.end()) return code;
  std::string out = absl::StrReplaceAll(Abs(run.asked.chinese ? text->zh : text->en), {{"{}", detail}});
  for (const std::string& hunk : WhysOfSteps(plan, "hunk")) {
    const size_t end = hunk.find('\n');
    absl::StrAppend(&out, "\n\n", EchoCode(hunk.substr(0, end)));
    if (end != std::string::npos && end + 1 < hunk.size())
      absl::StrAppend(&out, "\n", EchoBlock(hunk.substr(end + 1), kMaxHunkBytes));
  }
  return out;
}

std::string IdText(const std::string& id, const CommandRun& run) {
  return id.empty() ? Say(run, "nothing", "无") : EchoCode(ShortCommit(id));
}

// "owner/name:branch: `old` → `new`"
std::string MoveText(const CommandRun& run, const v1::Plan& plan) {
  return absl::StrCat(EchoCode(WhyOfStep(plan, "ref")), ": ", IdText(WhyOfStep(plan, "old"), run), " → ",
                      IdText(WhyOfStep(plan, "new"), run));
}

std::string UndoText(const CommandRun& run) {
  return Say(run, "\n\n`/undo` takes it back within a week.", "\n\n一周之内可以用 `/undo` 撤销。");
}

absl::StatusOr<CommandResult> Operate(const CommandRun& run, v1::PullOperation operation, std::string_view en,
                                      std::string_view zh) {
  AskOptions options;
  options.operation = std::move(operation);
  options.operation->set_chinese(run.asked.chinese);
  options.preview = run.preview;
  options.cause = EffectName(run.input);
  options.stands_on = run.stands_on;
  ASSIGN_OR_RETURN(const RequestedPlan asked, run.input.view.Ask(kWorkflowPlanner, options));
  CommandResult out;
  if (!asked.plan.has_value()) {
    out.done = false;
    out.text = Say(run, "it works on pull requests only", "只能用于 PR");
    out.outcome = absl::StrCat("skipped: ", asked.reason);
    return out;
  }
  const v1::Plan& plan = *asked.plan;
  if (const std::string refused = WhyOfStep(plan, "refused"); !refused.empty()) {
    out.done = false;
    out.text = RefusalOf(run, plan);
    out.outcome = absl::StrCat("refused: ", refused);
    return out;
  }
  std::string text = absl::StrReplaceAll(Abs(run.asked.chinese ? zh : en), {{"{}", WhyOfStep(plan, "commits")}});
  if (!WhyOfStep(plan, "ref").empty()) absl::StrAppend(&text, text.empty() ? "" : ". ", MoveText(run, plan));
  if (const std::string title = WhyOfStep(plan, "title"); !title.empty()) {
    absl::StrAppend(&text, "\n\n", Say(run, "Title: ", "标题："), EchoText(title, kMaxDetailBytes));
  }
  for (const std::string& gap : WhysOfSteps(plan, "gap")) {
    absl::StrAppend(&text, "\n* ", EchoText(gap, kMaxDetailBytes));
  }
  const bool can_undo = options.operation->kind() != Kind::KIND_UNDO && WhyOfStep(plan, "lasts").empty();
  if (!run.preview && can_undo) absl::StrAppend(&text, UndoText(run));
  out.stands_on = WhyOfStep(plan, "stands-on");
  out.text = std::move(text);
  const std::string tip = WhyOfStep(plan, "new");
  out.outcome = tip.empty() ? "done" : absl::StrCat("done: ", tip);
  return out;
}

v1::PullOperation OperationOf(Kind::Kind kind) {
  v1::PullOperation operation;
  operation.set_kind(kind);
  return operation;
}

absl::StatusOr<CommandResult> Squash(const CommandRun& run) {
  v1::PullOperation operation = OperationOf(Kind::KIND_SQUASH);
  operation.set_message(OneSlot(run.command, "message"));
  return Operate(run, std::move(operation), "{} commits into one", "{} 个 commit 压成一个");
}

absl::StatusOr<CommandResult> Rebase(const CommandRun& run) {
  return Operate(run, OperationOf(Kind::KIND_REBASE), "{} commits onto the tip of the target branch",
                 "{} 个 commit 移到目标分支的最新提交上");
}

absl::StatusOr<CommandResult> Update(const CommandRun& run) {
  v1::PullOperation operation = OperationOf(Kind::KIND_UPDATE);
  operation.set_title(OneSlot(run.command, "title"));
  operation.set_body(OneSlot(run.command, "body"));
  return Operate(run, std::move(operation), "title and description anew, by the commits",
                 "按 commit 重新生成标题和描述");
}

absl::StatusOr<CommandResult> Backport(const CommandRun& run) {
  v1::PullOperation operation = OperationOf(Kind::KIND_BACKPORT);
  operation.set_branch(OneSlot(run.command, "branch"));
  return Operate(run, std::move(operation), "{} commits on another branch, as a pull request of its own",
                 "{} 个 commit 合到另一个分支，并单独提 PR");
}

absl::StatusOr<CommandResult> Sync(const CommandRun& run) {
  v1::PullOperation operation = OperationOf(Kind::KIND_SYNC);
  operation.set_branch(OneSlot(run.command, "branch"));
  return Operate(run, std::move(operation), "the fork's branch forward", "fork 的分支快进");
}

absl::StatusOr<CommandResult> Append(const CommandRun& run) {
  v1::PullOperation operation = OperationOf(Kind::KIND_APPEND);
  operation.set_message(OneSlot(run.command, "message"));
  operation.set_amend(HasFlag(run.command, "amend"));
  const auto rebase = run.command.slots.find("rebase");
  operation.set_keep_base(rebase != run.command.slots.end() && !HasFlag(run.command, "rebase"));
  if (const auto to = run.command.slots.find("pr"); to != run.command.slots.end()) {
    if (const auto* number = std::get_if<int64_t>(&to->second)) operation.set_target(*number);
  }
  return Operate(run, std::move(operation), "{} commits added", "追加 {} 个 commit");
}

absl::StatusOr<CommandResult> Undo(const CommandRun& run) {
  return Operate(run, OperationOf(Kind::KIND_UNDO), "taken back", "撤销");
}

}  // namespace

CommandHandlers WorkflowHandlers() {
  return {{"squash", Squash}, {"rebase", Rebase}, {"update", Update},   {"backport", Backport},
          {"sync", Sync},     {"undo", Undo},     {"pr_append", Append}};
}

}  // namespace yardmaster::commands
