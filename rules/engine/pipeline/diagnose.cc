#include "rules/engine/pipeline/diagnose.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/pipeline/facts.h"
#include "rules/engine/pipeline/triage.h"
#include "services/core/readable.h"
#include "services/core/said_text.h"

namespace yardmaster::rules {
namespace {

// Triggers of one kind that nobody answered: the second one is the last.
constexpr size_t kMaxUnanswered = 2;
constexpr std::string_view kNeedsPerson = "needs-human-guidance";

// `more` behind it.
SaidText Adding(SaidText why, std::string_view en, std::string_view zh) {
  why.Append(en, zh);
  return why;
}

class Diagnosis {
 public:
  Diagnosis(const PipelineProfile& profile, const PipelineSignals& signals, PipelineTime now)
      : p_(profile), s_(signals), now_(now) {
    ReadFacts(p_, s_, f_);
    checked_ = !p_.description_gate.has_value() || f_.description_passed.holds();
    newest_ = f_.newest;
  }

  PipelineReport Make() {
    Describe();
    Decide();
    if (r_.action == PipelineAction::kRetest) LimitRetests();
    if (r_.action == PipelineAction::kCheckPr) LimitChecks();
    // A required check that has not begun may never begin: there is nothing yet that a push could end.
    if (r_.phase == PipelinePhase::kP2Running && OnlyMissing()) r_.under_way = false;
    r_.evidence = std::move(f_.evidence);
    for (const SaidText& unread : s_.unread) r_.AddNote(unread);
    return std::move(r_);
  }

 private:
  // Everything but the decision.
  void Describe() {
    r_.owner = s_.owner;
    r_.repo = s_.repo;
    r_.number = s_.number;
    r_.url = s_.url;
    r_.labels = s_.labels;
    r_.description_passed = checked_;
    AddBlockers(/*missing=*/false);
    if (f_.description_failure.has_value()) r_.check_pr_failure = f_.description_failure->body;
    if (f_.blocked.has_value()) r_.gate_trigger_blocked = f_.blocked->body;
    r_.max_retests = p_.max_retests;
    if (!f_.retest.all.empty()) r_.retests = static_cast<uint32_t>(f_.retest.all.size() - 1);
    r_.description_checks = static_cast<uint32_t>(f_.check_pr.all.size());
    r_.builds = static_cast<uint32_t>(f_.builds.size());
    r_.usual_duration_ms = UsualDuration();
    if (!f_.builds.empty()) DescribeBuild(*f_.builds.front());
    if (f_.builds.size() > 1) r_.previous_pipeline_number = f_.builds[1]->number;
    TriageFailures(p_, s_, f_, r_);
    r_.is_bypass_build = newest_ != nullptr && IsBypass(*newest_);
  }

  // Labels that stand in the way, or those that are wanted and missing.
  void AddBlockers(bool missing) {
    for (const Blocker& blocker : p_.blockers) {
      if (missing != (blocker.sign == Blocker::Sign::kMissing)) continue;
      if (missing) {
        if (!absl::c_linear_search(s_.labels, blocker.label)) {
          r_.blockers.push_back(absl::StrCat(blocker.label, " is missing: ", blocker.why));
        }
        continue;
      }
      for (const std::string& label : s_.labels) {
        const bool fits =
            blocker.sign == Blocker::Sign::kPattern ? blocker.pattern.Matches(label) : label == blocker.label;
        if (fits) r_.blockers.push_back(absl::StrCat(label, ": ", blocker.why));
      }
    }
  }

  void DescribeBuild(const PipelineBuild& build) {
    if (build.number > 0) r_.pipeline_number = build.number;
    r_.pipeline_url = build.url;
    r_.pipeline_result = IsBuilding(build) ? "BUILDING" : build.result;
    r_.pipeline_duration_ms = build.duration.count();
    if (newest_ == nullptr) {
      r_.AddNote({absl::StrCat("build #", build.number, " is of an earlier state"),
                  absl::StrCat("构建 #", build.number, " 属于更早的状态")});
    }
  }

  // How long builds of the job take, of any pull request.
  int64_t UsualDuration() const {
    std::vector<int64_t> durations;
    if (!s_.builds.has_value()) return 0;
    for (const PipelineBuild& build : *s_.builds) {
      const bool is_result = !IsBuilding(build) && build.result != "ABORTED" && build.result != "NOT_BUILT";
      if (is_result && build.duration > p_.build_gate.bypass) durations.push_back(build.duration.count());
    }
    if (durations.empty()) return 0;
    const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
    std::nth_element(durations.begin(), middle, durations.end());
    return *middle;
  }

  // A success so short that nothing can have been tested. With the label it is one: there was nothing to test.
  bool IsBypass(const PipelineBuild& build) const {
    return StateOf(build) == BuildState::kPassed && build.duration.count() > 0 &&
           build.duration < p_.build_gate.bypass && r_.failures.empty() && r_.failed_stages.empty() && !f_.passed.on;
  }

  void Set(PipelinePhase phase, PipelineAction action, SaidText why) {
    r_.phase = phase;
    r_.action = action;
    r_.why = std::move(why.en);
    r_.why_zh = std::move(why.zh);
    r_.terminal.clear();
    if (action == PipelineAction::kFix) r_.terminal = kNeedsPerson;
    if (action == PipelineAction::kStop) r_.terminal = phase == PipelinePhase::kGreen ? "ci-pipeline-passed" : "closed";
    r_.gate_ok = phase == PipelinePhase::kGreen;
  }

  // Something runs, or was asked for and will.
  void Wait(PipelinePhase phase, SaidText why) {
    Set(phase, PipelineAction::kWait, std::move(why));
    r_.under_way = true;
  }

  bool Young(std::optional<PipelineTime> at) const { return at.has_value() && now_ - *at < p_.trigger_wait; }
  // Whether `later` is known to have come after `earlier`.
  static bool After(std::optional<PipelineTime> later, std::optional<PipelineTime> earlier) {
    return later.has_value() && earlier.has_value() && *later >= *earlier;
  }

  BuildState Newest() const {
    if (f_.has_checks) return f_.checks;
    return newest_ == nullptr ? BuildState::kNone : StateOf(*newest_);
  }

  // Whether the second gate's label holds: not older than the head, and not the older one of two that contradict.
  bool Passed() const {
    // Where a project has labels for it, too, they decide.
    if (p_.checks.has_value() && p_.build_gate.passed.empty()) return f_.checks == BuildState::kPassed;
    return f_.passed.holds() && (!f_.failed.on || After(f_.passed.since, f_.failed.since));
  }

  // The label of a running gate, unless that of its end is newer. Nothing is started meanwhile: that would end what
  // runs.
  bool IsRunning() const {
    return f_.running.on && !After(f_.passed.since, f_.running.since) && !After(f_.failed.since, f_.running.since);
  }

  // The rows of the table in services/pipeline/README.md, in its order.
  void Decide() {
    if (s_.closed)
      return Set(PipelinePhase::kClosed, PipelineAction::kStop, {"it is closed or merged", "已关闭或已合入"});
    const bool running = IsRunning() || Newest() == BuildState::kRunning;
    if (checked_ && Passed() && !running) return Green();
    if (CheckUnderWay()) {
      return Wait(PipelinePhase::kP1Wait,
                  {absl::StrCat(p_.description_gate->trigger, " was asked for and not answered yet"),
                   absl::StrCat("已请求 ", p_.description_gate->trigger, "，还没有回应")});
    }
    if (f_.description_failure.has_value()) {
      const std::string& trigger = p_.description_gate->trigger;
      return Set(PipelinePhase::kP1Failed, PipelineAction::kFix,
                 {absl::StrCat("the description is refused: change it as the bot says, then ", trigger),
                  absl::StrCat("描述未通过检查：请按机器人的提示修改，然后 ", trigger)});
    }
    if (!f_.held_checks.empty() && !IsRunning()) return Held();
    if (running) return Wait(PipelinePhase::kP2Running, RunningWhy());
    if (Working()) {
      return Wait(
          checked_ ? PipelinePhase::kP2Queued : PipelinePhase::kP1Wait,
          {absl::StrCat("a bot is at it: ", f_.working.name), absl::StrCat("机器人正在处理：", f_.working.name)});
    }
    if (StartUnderWay()) {
      return Wait(PipelinePhase::kP2Queued,
                  {absl::StrCat(p_.build_gate.trigger, " was asked for, and no build tells of it yet"),
                   absl::StrCat("已请求 ", p_.build_gate.trigger, "，还没有对应的构建")});
    }
    if (!checked_) return Unchecked();
    Built();
  }

  void Green() {
    AddBlockers(/*missing=*/true);
    SaidText why{"both gates are passed", "两道门禁都已通过"};
    if (!p_.description_gate.has_value()) why = {"every check that counts is passed", "所有必需的检查都已通过"};
    if (!r_.blockers.empty()) {
      why = Adding(std::move(why), absl::StrCat("; what still blocks: ", absl::StrJoin(r_.blockers, "; ")),
                   absl::StrCat("；仍有阻塞：", absl::StrJoin(r_.blockers, "；")));
    }
    if (MergeRefused()) {
      return Set(PipelinePhase::kGreen, PipelineAction::kFix,
                 Adding(std::move(why), "; but merging it failed", "；但合入失败"));
    }
    if (Merging()) return Wait(PipelinePhase::kGreen, Adding(std::move(why), "; it is being merged", "；正在合入"));
    Set(PipelinePhase::kGreen, PipelineAction::kStop, std::move(why));
  }

  bool AfterHead(std::optional<PipelineTime> at) const { return !s_.head_at.has_value() || After(at, s_.head_at); }
  bool MergeRefused() const {
    return f_.merge_failed.has_value() && AfterHead(f_.merge_failed->at) &&
           !(f_.merge_started.has_value() && After(f_.merge_started->at, f_.merge_failed->at));
  }
  bool Merging() const {
    if (!p_.merge_queue.has_value()) return false;
    if (p_.merge_queue->of_forge) return f_.in_queue;
    const bool label = absl::c_any_of(p_.merge_queue->running,
                                      [&](const std::string& name) { return absl::c_linear_search(s_.labels, name); });
    return label || (f_.merge_started.has_value() && Young(f_.merge_started->at));
  }

  // The first gate was asked for, lately and after whatever answer there is.
  bool CheckUnderWay() const {
    if (!p_.description_gate.has_value() || !Young(f_.check_pr.last)) return false;
    const std::optional<PipelineTime> asked = f_.check_pr.last;
    if (f_.description_failure.has_value()) {
      return f_.description_failure->at.has_value() && *f_.description_failure->at < *asked;
    }
    // The label answers it, unless it is known to have been there before.
    return !checked_ || (f_.description_passed.since.has_value() && *f_.description_passed.since < *asked &&
                         !After(f_.retest.last, asked) && !f_.passed.on);
  }

  bool StartUnderWay() const {
    if (!Young(f_.retest.last)) return false;
    const PipelineTime asked = *f_.retest.last;
    if (f_.blocked.has_value() && After(f_.blocked->at, asked)) return false;
    if (After(f_.failed.since, asked) || After(f_.passed.since, asked)) return false;
    // A build that began afterwards is the answer.
    return newest_ == nullptr || !After(newest_->started, asked);
  }

  bool Working() const {
    if (!f_.working.holds()) return false;
    const std::optional<PipelineTime> since = std::max({f_.working.since, f_.check_pr.last, f_.retest.last});
    // Stuck: nothing came of it in all that time.
    return !since.has_value() || Young(since) || newest_ != nullptr;
  }

  // Nothing runs, and a required check has not begun.
  bool OnlyMissing() const { return f_.only_missing && !IsRunning() && (newest_ == nullptr || !IsBuilding(*newest_)); }

  SaidText RunningWhy() const {
    if (OnlyMissing()) return {"checks that are required have not begun", "必需的检查还没有开始"};
    if (f_.has_checks) return {"checks are running, or have not begun", "检查正在运行，或还没有开始"};
    if (newest_ != nullptr && IsBuilding(*newest_)) {
      return {absl::StrCat("build #", newest_->number, " is running"),
              absl::StrCat("构建 #", newest_->number, " 正在运行")};
    }
    return {absl::StrCat("the gate is running: ", f_.running.name), absl::StrCat("门禁正在运行：", f_.running.name)};
  }

  // Without the first gate's label.
  void Unchecked() {
    const std::string& trigger = p_.description_gate->trigger;
    const std::string& label = p_.description_gate->passed;
    const auto check = [&](PipelinePhase phase, SaidText why) { Set(phase, PipelineAction::kCheckPr, std::move(why)); };
    if (f_.passed.on) {
      return check(PipelinePhase::kInvalidated,
                   {absl::StrCat(f_.passed.name, " stands without ", label, ": it holds no more"),
                    absl::StrCat("有 ", f_.passed.name, " 而没有 ", label, "：已失效")});
    }
    if (f_.description_passed.on) {
      return check(PipelinePhase::kInvalidated,
                   {absl::StrCat(label, " is older than the head commit"), absl::StrCat(label, " 早于最新的提交")});
    }
    if (f_.blocked.has_value()) {
      return check(PipelinePhase::kNew, {absl::StrCat("the build was refused: ", trigger, " comes first"),
                                         absl::StrCat("构建请求被拒绝：要先 ", trigger)});
    }
    // Of an earlier head, too: it shows that the gate was passed before.
    const bool succeeded = !f_.builds.empty() && StateOf(*f_.builds.front()) == BuildState::kPassed;
    if (succeeded || newest_ != nullptr) {
      return check(
          PipelinePhase::kInvalidated,
          {absl::StrCat("build #", f_.builds.front()->number, " no longer counts without ", label, ": begin anew"),
           absl::StrCat("没有 ", label, "，构建 #", f_.builds.front()->number, " 已不算数：请重新开始")});
    }
    check(PipelinePhase::kNew, {"nothing was started for this head", "最新的提交还没有开始任何门禁"});
  }

  // Nothing but what waits for a person.
  void Held() {
    const std::string names = absl::StrJoin(f_.held_checks, ", ", [](std::string* out, const PipelineCheck* check) {
      absl::StrAppend(out, Readable(check->name, kMaxCheckNameBytes));
    });
    CallPerson(PipelinePhase::kP2Queued,
               {absl::StrCat("it waits for somebody with rights to allow its checks to run: ", names),
                absl::StrCat("需要有权限的人批准后，检查才会运行：", names)});
  }

  // With it: what the newest build says.
  void Built() {
    switch (Newest()) {
      case BuildState::kNone:
        return NotBuilt();
      case BuildState::kFailed:
        return Failed();
      case BuildState::kPassed:
        if (r_.is_bypass_build) {
          return Retest(PipelinePhase::kP2Bypass,
                        {absl::StrCat("build #", newest_->number, " ended after ", newest_->duration.count() / 1000,
                                      " s and tested nothing: no result"),
                         absl::StrCat("构建 #", newest_->number, " 只用了 ", newest_->duration.count() / 1000,
                                      " 秒，什么都没有测：不算结果")});
        }
        r_.AddNote({"LIKELY_GREEN_PENDING_LABEL", "LIKELY_GREEN_PENDING_LABEL"});
        return Set(
            PipelinePhase::kP2Aggregating, PipelineAction::kWait,
            {"the build succeeded; the label that says so is still to come", "构建已成功，对应的标签还没有出现"});
      case BuildState::kRunning:
        return;
    }
  }

  void NotBuilt() {
    // Labels stand in where builds can't be seen; an old one says nothing.
    if (!s_.builds.has_value() && f_.failed.holds() && f_.failed.since.has_value() && s_.head_at.has_value()) {
      return Failed();
    }
    if (p_.build_gate.trigger.empty()) {
      if (Young(s_.head_at) || !s_.head_at.has_value()) {
        return Set(PipelinePhase::kP2Queued, PipelineAction::kWait,
                   {"no check of the head has begun yet", "最新的提交还没有任何检查开始"});
      }
      CallPerson(PipelinePhase::kP2Queued, {"no check of the head has begun: somebody has to allow or start them",
                                            "最新的提交没有任何检查开始：需要有人批准或启动"});
      return;
    }
    if (f_.retest.all.size() >= kMaxUnanswered) {
      const size_t times = f_.retest.all.size();
      return CallPerson(PipelinePhase::kP1Ok,
                        {absl::StrCat(p_.build_gate.trigger, " was asked for ", times, " times and nothing came of it"),
                         absl::StrCat("已请求 ", p_.build_gate.trigger, " ", times, " 次，没有任何结果")});
    }
    Retest(PipelinePhase::kP1Ok, {"the description is taken, and nothing was built yet", "描述已通过，还没有构建"});
  }

  void Failed() {
    const SaidText what = FailureText();
    const std::string machine = InfrastructureText();
    switch (RouteFailures(p_, s_, f_, r_)) {
      case FailureRoute::kInfrastructure:
        return Retest(PipelinePhase::kP2Failed,
                      {absl::StrCat("not the code failed: ", machine), absl::StrCat("失败与代码无关：", machine)});
      case FailureRoute::kSameInfrastructure:
        return CallPerson(
            PipelinePhase::kP2Failed,
            {absl::StrCat("the same failed twice, and it is not the code: ", machine, "; building again won't help"),
             absl::StrCat("同样的失败出现了两次，与代码无关：", machine, "；重新构建没有用")},
            "infrastructure");
      case FailureRoute::kRetest:
        return Retest(PipelinePhase::kP2Failed, {absl::StrCat("what failed is not the pull request's: ", what.en),
                                                 absl::StrCat("失败不是本 PR 引起的：", what.zh)});
      case FailureRoute::kSticky:
        return CallPerson(PipelinePhase::kP2Failed,
                          {absl::StrCat("what failed is not the pull request's and does not go away: ", what.en),
                           absl::StrCat("失败不是本 PR 引起的，而且反复出现：", what.zh)},
                          "upstream-sticky-flake");
      case FailureRoute::kFix:
        return Set(PipelinePhase::kP2Failed, PipelineAction::kFix, what);
    }
  }

  SaidText FailureText() const {
    if (r_.failures.empty()) return {"the build failed; its log tells more", "构建失败，详见日志"};
    const ReportedFailure& first = r_.failures.front();
    std::string text = first.failure.stage;
    if (!first.failure.file.empty()) {
      absl::StrAppend(&text, text.empty() ? "" : ", ", first.failure.file);
      if (first.failure.line > 0) absl::StrAppend(&text, ":", first.failure.line);
    }
    if (!first.failure.test.empty()) absl::StrAppend(&text, text.empty() ? "" : ", ", first.failure.test);
    if (!first.failure.rule.empty()) absl::StrAppend(&text, ", ", first.failure.rule);
    if (!first.failure.message.empty()) absl::StrAppend(&text, text.empty() ? "" : ": ", first.failure.message);
    SaidText why{text, text};
    if (r_.failures.size() > 1) {
      const size_t more = r_.failures.size() - 1;
      why = Adding(std::move(why), absl::StrCat(" (and ", more, " more)"), absl::StrCat("（另有 ", more, " 个）"));
    }
    if (!first.fix.empty()) why = Adding(std::move(why), absl::StrCat(". ", first.fix), absl::StrCat("。", first.fix));
    return why;
  }

  std::string InfrastructureText() const {
    for (const InfrastructureRule& rule : p_.log.infrastructure) {
      if (absl::c_linear_search(r_.infrastructure, rule.id)) return rule.why;
    }
    return {};
  }

  void Retest(PipelinePhase phase, SaidText why) {
    if (!p_.build_gate.trigger.empty()) return Set(phase, PipelineAction::kRetest, std::move(why));
    CallPerson(phase, Adding(std::move(why), "; no comment starts it again here", "；这里没有可以重新启动的评论"));
  }

  void CallPerson(PipelinePhase phase, SaidText why, std::string_view terminal = kNeedsPerson) {
    Set(phase, PipelineAction::kStop, std::move(why));
    r_.call_person = true;
    r_.terminal = terminal;
  }

  void LimitRetests() {
    // The first start is none of them.
    if (f_.retest.all.size() < size_t{p_.max_retests} + 1) return;
    CallPerson(
        r_.phase,
        Adding(SoFar(), absl::StrCat("; it was started again ", r_.retests, " times for this head, which is enough"),
               absl::StrCat("；对这个提交已经重新启动 ", r_.retests, " 次，足够了")),
        "flake-ceiling");
  }

  void LimitChecks() {
    if (r_.phase != PipelinePhase::kNew || f_.check_pr.all.size() < kMaxUnanswered) return;
    const std::string& trigger = p_.description_gate->trigger;
    const size_t times = f_.check_pr.all.size();
    CallPerson(r_.phase,
               Adding(SoFar(), absl::StrCat("; but ", trigger, " was asked for ", times, " times and not answered"),
                      absl::StrCat("；但已请求 ", trigger, " ", times, " 次，没有回应")));
  }

  SaidText SoFar() const { return {r_.why, r_.why_zh}; }

  const PipelineProfile& p_;
  const PipelineSignals& s_;
  const PipelineTime now_;
  PipelineFacts f_;
  bool checked_ = false;
  const PipelineBuild* newest_ = nullptr;
  PipelineReport r_;
};

}  // namespace

PipelineReport Diagnose(const PipelineProfile& profile, const PipelineSignals& signals, PipelineTime now) {
  return Diagnosis(profile, signals, now).Make();
}

}  // namespace yardmaster::rules
