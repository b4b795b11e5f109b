#include "services/commands/pipe/test_handlers.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "services/commands/pipe/handler_tools.h"
#include "services/core/absl_view.h"
#include "services/core/defang.h"
#include "services/core/short_commit.h"
#include "services/core/status_macros.h"
#include "services/intake/chat_bridge.h"

namespace yardmaster::commands {
namespace {

constexpr std::string_view kTestPlanner = "tests";
constexpr size_t kMaxDetail = 600;
// Fewer digits of a commit could be another's, too.
constexpr size_t kLeastCommit = 7;

constexpr int64_t kMostCards = 4096;
constexpr int64_t kMostShards = 64;

// Why nothing is done; "{}" is the detail.
struct TestRefusal {
  std::string_view code;
  std::string_view en;
  std::string_view zh;
};
constexpr TestRefusal kTestRefusals[] = {
    {"not-open", "the pull request is not open", "PR 不是打开状态"},
    {"needs-approval",
     "its author has no rights here, and nobody has let the commit {} be tested: somebody with rights looks at it and "
     "writes `/ok-to-test`. It holds for that commit only",
     "作者没有仓库权限，还没有人允许测试提交 {}：请有权限的人检视后写 `/ok-to-test`，只对该提交有效"},
    {"forks-never", "code of people without rights is not tested here ({})", "这里不测试没有权限的人的代码（{}）"},
    {"suites-unreadable", "the suites can't be read: {}", "测试套读取失败：{}"},
    {"no-usual-suites", "the pack {} has no such suites that a gate runs: name one, as in `/test SUITE`",
     "规则包 {} 没有门禁用的这类测试套：请写出名字，例如 `/test SUITE`"},
    {"unknown-suite", "there is no such suite for this repository. There are: {}",
     "这个仓库没有这个测试套，可用的有：{}"},
    {"no-level", "no suite that was meant has the level {}: leave it out, or name a suite that has it",
     "所指的测试套没有级别 {}：请去掉级别，或写出有该级别的测试套"},
    {"no-device", "no suite that was meant runs on {}: leave the device out, or name a suite that does",
     "所指的测试套都不在 {} 上运行：请去掉设备，或写出用该设备的测试套"},
    {"no-git-server", "the git server of {} is not reached by HTTP here", "这里没有用 HTTP 访问 {} 的 git 服务器"},
    {"git-failed", "the git server: {}", "git 服务器：{}"},
    {"not-runnable", "it can't run: {}", "无法运行：{}"},
    {"too-large", "the tree is too large: {}", "代码树太大：{}"},
    {"nothing-to-retest", "no tests of the commit {} have ended without passing: `/test` runs them",
     "提交 {} 没有未通过的测试：用 `/test` 开始测试"},
    {"nothing-failed", "no tests of the commit {} have failed", "提交 {} 没有失败的测试"},
    {"no-jobs", "no tests of this pull request wait or run", "这个 PR 没有等待中或运行中的测试"},
    {"unknown-job", "no job {} of this pull request waits or runs", "这个 PR 没有等待中或运行中的任务 {}"},
};

std::string RefusedText(const CommandRun& run, const v1::Plan& plan, const std::string& code) {
  const auto* const text = absl::c_find_if(kTestRefusals, [&](const TestRefusal& one) { return one.code == code; });
  if (text == std::end(kTestRefusals)) return code;
  return absl::StrReplaceAll(Abs(run.asked.chinese ? text->zh : text->en),
                             {{"{}", EchoCode(WhyOfStep(plan, "why"), kMaxDetail)}});
}

// A number of things, at most so many; 0 where it is not given.
uint32_t CountSlot(const ParsedCommand& command, std::string_view slot, int64_t most) {
  const auto it = command.slots.find(slot);
  const int64_t* const count = it == command.slots.end() ? nullptr : std::get_if<int64_t>(&it->second);
  return count == nullptr ? 0 : static_cast<uint32_t>(std::clamp<int64_t>(*count, 0, most));
}

// A number, as text; empty where it is not given.
std::string NumberSlot(const ParsedCommand& command, std::string_view slot) {
  const auto it = command.slots.find(slot);
  const int64_t* const number = it == command.slots.end() ? nullptr : std::get_if<int64_t>(&it->second);
  return number == nullptr ? OneSlot(command, slot) : absl::StrCat(*number);
}

// Asks the planner; `out` where that is the answer already.
// `told_as`: sets the message in chat that tells of the jobs apart from another one of the same command.
absl::StatusOr<std::optional<v1::Plan>> AskAboutTests(const CommandRun& run, v1::TestRequest request,
                                                      CommandResult& out, std::string_view told_as = {}) {
  AskOptions options;
  options.test = std::move(request);
  options.preview = run.preview;
  options.cause = EffectName(run.input);
  options.told = FollowInChat(run.input.event, absl::StrCat(options.cause, Abs(told_as)), run.asked.chinese);
  ASSIGN_OR_RETURN(RequestedPlan asked, run.input.view.Ask(kTestPlanner, options));
  out.done = false;
  if (!asked.plan.has_value()) {
    out.text = Say(run, "suites are run for pull requests only, and where the daemon runs them",
                   "测试套只能用于 PR，并且需要服务端启用");
    out.outcome = absl::StrCat("skipped: ", asked.reason);
    return std::nullopt;
  }
  if (const std::string refused = WhyOfStep(*asked.plan, "refused"); !refused.empty()) {
    out.text = RefusedText(run, *asked.plan, refused);
    out.outcome = absl::StrCat("refused: ", refused);
    return std::nullopt;
  }
  out.done = true;
  return std::move(asked.plan);
}

// What a plan with jobs tells.
std::string JobsTold(const CommandRun& run, const v1::Plan& plan, std::string_view en, std::string_view zh) {
  const std::vector<std::string> jobs = WhysOfSteps(plan, "job");
  const std::vector<std::string> suites = WhysOfSteps(plan, "suite");
  std::string text = absl::StrCat(Say(run, en, zh), EchoCode(ShortCommit(WhyOfStep(plan, "head"))));
  if (WhyOfStep(plan, "pool") == "untrusted") {
    absl::StrAppend(&text, Say(run, ", contained, since its author has no rights here", "（作者没有权限，隔离运行）"));
  }
  for (size_t i = 0; i < jobs.size() && i < suites.size(); ++i) {
    absl::StrAppend(&text, "\n* ", EchoCode(suites[i]));
    if (!run.preview) absl::StrAppend(&text, Say(run, ", job ", "，任务 "), EchoCode(jobs[i]));
  }
  return text;
}

absl::StatusOr<CommandResult> TryOnBase(const CommandRun& run) {
  v1::TestRequest request;
  request.set_kind(v1::TestRequest::KIND_TRUNK);
  request.set_suite(OneSlot(run.command, "suite"));
  CommandResult out;
  ASSIGN_OR_RETURN(const std::optional<v1::Plan> plan, AskAboutTests(run, std::move(request), out));
  if (!plan.has_value()) return out;
  out.text = JobsTold(run, *plan, "what failed is tried on the base commit ", "在基线提交上重试失败的用例：");
  out.goes_on = !run.preview;
  out.outcome = absl::StrCat("done: ", absl::StrJoin(WhysOfSteps(*plan, "job"), ", "));
  return out;
}

absl::StatusOr<CommandResult> Test(const CommandRun& run) {
  if (HasFlag(run.command, "base")) return TryOnBase(run);
  v1::TestRequest request;
  request.set_kind(v1::TestRequest::KIND_RUN);
  request.set_suite(OneSlot(run.command, "suite"));
  request.set_device(OneSlot(run.command, "device"));
  request.set_level(NumberSlot(run.command, "level"));
  request.set_cards(CountSlot(run.command, "cards", kMostCards));
  request.set_shards(CountSlot(run.command, "shards", kMostShards));
  CommandResult out;
  ASSIGN_OR_RETURN(const std::optional<v1::Plan> plan, AskAboutTests(run, std::move(request), out));
  if (!plan.has_value()) return out;
  const std::vector<std::string> jobs = WhysOfSteps(*plan, "job");
  out.text = JobsTold(run, *plan, "tests of ", "测试提交 ");
  const std::vector<std::string> ended = WhysOfSteps(*plan, "cancelled");
  if (!ended.empty()) {
    absl::StrAppend(&out.text, Say(run, "\n\nOf earlier commits nothing more is tested: ", "\n\n不再测试更早的提交："),
                    EchoText(absl::StrJoin(ended, ", "), kMaxDetail));
  }
  if (run.preview) return out;
  absl::StrAppend(&out.text, Say(run, "\n\nWhat comes of it is told here; `/cancel` ends it.",
                                 "\n\n结果会在这里给出；`/cancel` 可取消。"));
  out.outcome = absl::StrCat("done: ", absl::StrJoin(jobs, ", "));
  out.goes_on = true;
  return out;
}

absl::StatusOr<CommandResult> Cancel(const CommandRun& run) {
  v1::TestRequest request;
  request.set_kind(v1::TestRequest::KIND_CANCEL);
  request.set_job(OneSlot(run.command, "job"));
  CommandResult out;
  ASSIGN_OR_RETURN(const std::optional<v1::Plan> plan, AskAboutTests(run, std::move(request), out));
  if (!plan.has_value()) return out;
  const std::vector<std::string> ended = WhysOfSteps(*plan, "cancelled");
  out.text = run.preview ? Say(run, "cancels: ", "取消：") : Say(run, "cancelled: ", "已取消：");
  absl::StrAppend(&out.text, EchoText(absl::StrJoin(ended, ", "), kMaxDetail));
  out.outcome = "done";
  return out;
}

// Not done, with a code for the record.
CommandResult NotApproved(std::string text, std::string_view code) {
  CommandResult out;
  out.done = false;
  out.text = std::move(text);
  out.outcome = absl::StrCat("refused: ", Abs(code));
  return out;
}

absl::StatusOr<CommandResult> OkToTest(const CommandRun& run) {
  ASSIGN_OR_RETURN(const ForgePull* const pull, run.input.view.Pull());
  if (pull->state != ForgeState::kOpen) {
    return NotApproved(Say(run, "the pull request is not open", "PR 不是打开状态"), "not-open");
  }
  const std::string commit = EchoCode(ShortCommit(pull->head_sha));
  const std::string again = EchoCode(absl::StrCat("/ok-to-test ", ShortCommit(pull->head_sha)));
  const std::string named = absl::AsciiStrToLower(OneSlot(run.command, "commit"));
  const bool is_commit =
      named.size() >= kLeastCommit && absl::c_all_of(named, [](unsigned char c) { return absl::ascii_isxdigit(c); });
  if (!named.empty() && !(is_commit && absl::StartsWith(pull->head_sha, named))) {
    return NotApproved(
        Say(run, absl::StrCat(EchoCode(named), " is not the head, which is ", commit, ": look at that one first"),
            absl::StrCat(EchoCode(named), " 不是最新提交，最新的是 ", commit, "：请先检视它")),
        "other-commit");
  }
  // Whoever wrote this may not have seen what came since; a commit that is named was seen.
  bool may_be_newer = false;
  if (named.empty()) {
    ASSIGN_OR_RETURN(may_be_newer, run.input.view.HeadMovedSince(pull->head_sha));
  }
  if (may_be_newer) {
    return NotApproved(
        Say(run,
            absl::StrCat("the head is ", commit, ", of which nothing was known here before this was written: look at ",
                         "that one, and write ", again),
            absl::StrCat("最新提交是 ", commit, "，写这条命令之前这里还不知道它：请检视后写 ", again)),
        "head-moved");
  }
  CommandResult out;
  if (!run.preview) {
    v1::ApproveTests& approve = *run.plan.add_actions()->mutable_approve_tests();
    approve.set_head(pull->head_sha);
    approve.set_by(run.input.event.actor());
    approve.set_cause(EffectName(run.input));
  }
  out.text = Say(run, absl::StrCat("the commit ", commit, " may be tested, and no other: `/test` starts it"),
                 absl::StrCat("允许测试提交 ", commit, "，其他提交不在内：用 `/test` 开始"));
  out.outcome = absl::StrCat("done: ", pull->head_sha);
  return out;
}

}  // namespace

absl::StatusOr<CommandResult> RetestJobs(const CommandRun& run, std::string_view told_as) {
  v1::TestRequest request;
  request.set_kind(v1::TestRequest::KIND_RETEST);
  CommandResult out;
  ASSIGN_OR_RETURN(const std::optional<v1::Plan> plan, AskAboutTests(run, std::move(request), out, told_as));
  if (!plan.has_value()) return out;
  out.text = JobsTold(run, *plan, "again the tests of ", "重跑测试，提交 ");
  out.goes_on = !run.preview;
  out.outcome = absl::StrCat("done: ", absl::StrJoin(WhysOfSteps(*plan, "job"), ", "));
  return out;
}

CommandHandlers TestHandlers() { return {{"test", Test}, {"cancel", Cancel}, {"ok_to_test", OkToTest}}; }

}  // namespace yardmaster::commands
