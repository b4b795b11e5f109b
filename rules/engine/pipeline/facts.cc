#include "rules/engine/pipeline/facts.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/pipeline/result_table.h"
#include "services/core/absl_view.h"
#include "services/core/lines.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

constexpr size_t kMaxEvidenceBytes = 300;

bool AnyMatches(const std::vector<Pattern>& patterns, std::string_view text) {
  return absl::c_any_of(patterns, [text](const Pattern& pattern) { return pattern.Matches(text); });
}

class FactReader {
 public:
  FactReader(const PipelineProfile& profile, const PipelineSignals& signals, PipelineFacts& facts)
      : p_(profile), s_(signals), f_(facts) {}

  void Read() {
    if (!s_.head.empty() || s_.head_at.has_value()) Note("head", s_.head, s_.head_at);
    SortComments();
    ReadLabels();
    ReadTriggers();
    ReadVerdicts();
    ReadBuilds();
    ReadChecks();
  }

 private:
  void Note(std::string signal, std::string_view value, std::optional<PipelineTime> at, bool trusted = true) {
    f_.evidence.push_back({std::move(signal), Readable(value, kMaxEvidenceBytes), at, trusted});
  }
  bool OlderThanHead(std::optional<PipelineTime> at) const {
    return at.has_value() && s_.head_at.has_value() && *at < *s_.head_at;
  }
  bool Trusted(const PipelineComment& comment) const {
    return absl::c_any_of(p_.trusted_authors,
                          [&](const std::string& login) { return absl::EqualsIgnoreCase(login, comment.author); });
  }

  // The server's order is no order. What has no time comes first: it proves nothing about what came later.
  void SortComments() {
    for (const PipelineComment& comment : s_.comments) comments_.push_back(&comment);
    absl::c_stable_sort(comments_, [](const PipelineComment* a, const PipelineComment* b) { return a->at < b->at; });
  }

  // Since when a label is on: the latest time at which it was put there.
  std::optional<PipelineTime> Since(const std::string& label) const {
    std::optional<PipelineTime> since;
    for (const PipelineLabelEvent& event : s_.label_events) {
      if (event.added && event.label == label && (!since.has_value() || event.at > *since)) since = event.at;
    }
    return since;
  }

  // By exact name, never by a part of it.
  LabelFact Label(const std::vector<std::string>& names) {
    LabelFact fact;
    for (const std::string& name : names) {
      if (!absl::c_linear_search(s_.labels, name)) continue;
      const std::optional<PipelineTime> since = Since(name);
      const bool stale = OlderThanHead(since);
      Note("label", stale ? absl::StrCat(name, " (older than the head commit)") : name, since);
      // Of several that mean the same the one that holds counts.
      if (!fact.on || (fact.stale && !stale)) fact = {true, name, since, stale};
    }
    return fact;
  }

  void ReadLabels() {
    if (p_.description_gate.has_value()) {
      f_.description_passed = Label({p_.description_gate->passed});
      if (!p_.description_gate->failed.empty()) f_.description_failed = Label({p_.description_gate->failed});
    }
    f_.passed = Label(p_.build_gate.passed);
    f_.failed = Label(p_.build_gate.failed);
    f_.running = Label(p_.build_gate.running);
    f_.working = Label(p_.build_gate.working);
    if (p_.merge_queue.has_value()) Label(p_.merge_queue->running);
  }

  TriggerFact Trigger(const std::string& trigger) {
    TriggerFact fact;
    if (trigger.empty()) return fact;
    for (const PipelineComment* comment : comments_) {
      if (TrimBlanks(comment->body) != trigger || OlderThanHead(comment->at)) continue;
      fact.all.push_back(comment->at);
      if (comment->at.has_value()) fact.last = comment->at;
      Note("trigger", trigger, comment->at);
    }
    return fact;
  }

  void ReadTriggers() {
    if (p_.description_gate.has_value()) f_.check_pr = Trigger(p_.description_gate->trigger);
    f_.retest = Trigger(p_.build_gate.trigger);
  }

  // The newest trusted comment that says it; what others say is noted and not believed.
  std::optional<VerdictFact> Newest(const std::vector<Pattern>& patterns, const char* signal) {
    std::optional<VerdictFact> fact;
    for (const PipelineComment* comment : comments_) {
      if (!AnyMatches(patterns, comment->body)) continue;
      const bool trusted = Trusted(*comment);
      Note(signal, comment->body, comment->at, trusted);
      if (trusted) fact = {comment->body, comment->at};
    }
    return fact;
  }

  // Whether a verdict is no longer one: the head is newer, or what `since` tells of came later. A label supersedes a
  // comment; where its time is not known, too.
  bool Superseded(const VerdictFact& verdict, const LabelFact& passed) const {
    if (OlderThanHead(verdict.at)) return true;
    if (!passed.holds()) return false;
    return !passed.since.has_value() || !verdict.at.has_value() || *passed.since >= *verdict.at;
  }

  void ReadVerdicts() {
    if (p_.description_gate.has_value()) {
      const DescriptionGate& gate = *p_.description_gate;
      std::optional<VerdictFact> failure = Newest(gate.failed_comments, "check_pr_failure");
      const std::optional<VerdictFact> pass = Newest(gate.passed_comments, "check_pr_pass");
      const bool passed_later = failure.has_value() && pass.has_value() && pass->at >= failure->at;
      if (failure.has_value() && !passed_later && !Superseded(*failure, f_.description_passed)) {
        f_.description_failure = std::move(failure);
      }
      std::optional<VerdictFact> blocked = Newest(p_.build_gate.blocked_comments, "gate_trigger_blocked");
      const bool unblocked = blocked.has_value() && pass.has_value() && pass->at >= blocked->at;
      if (blocked.has_value() && !unblocked && !Superseded(*blocked, f_.description_passed)) {
        f_.blocked = std::move(blocked);
      }
      // The label alone says so, too, unless that of the opposite is there.
      if (!f_.description_failure.has_value() && f_.description_failed.holds() && !f_.description_passed.holds()) {
        f_.description_failure = VerdictFact{f_.description_failed.name, f_.description_failed.since};
      }
    }
    if (p_.merge_queue.has_value() && p_.merge_queue->of_forge) ReadQueue();
    if (p_.merge_queue.has_value() && !p_.merge_queue->of_forge) {
      f_.merge_started = Newest(p_.merge_queue->started_comments, "merge_started");
      f_.merge_failed = Newest(p_.merge_queue->failed_comments, "merge_failed");
    }
  }

  // What the forge's own merge queue did: in it now, or out of it again without a merge.
  void ReadQueue() {
    const PipelineQueueEvent* newest = nullptr;
    for (const PipelineQueueEvent& event : s_.queue_events) {
      Note(event.added ? "merge_started" : "merge_ended",
           event.added ? "added to the merge queue" : "left the merge queue", event.at);
      if (newest == nullptr || event.at >= newest->at) newest = &event;
    }
    if (newest == nullptr) return;
    const VerdictFact fact{newest->added ? "added to the merge queue" : "left the merge queue", newest->at};
    (newest->added ? f_.merge_started : f_.merge_failed) = fact;
    f_.in_queue = newest->added;
  }

  // A build that ended after the first gate's label was taken off and began before it came back never gets its label.
  bool LostItsGate(const PipelineBuild& build) const {
    if (!p_.description_gate.has_value() || IsBuilding(build) || !build.started.has_value()) return false;
    const std::optional<PipelineTime> back = f_.description_passed.since;
    if (!back.has_value() || *build.started >= *back) return false;
    const PipelineTime ended = *build.started + build.duration;
    return absl::c_any_of(s_.label_events, [&](const PipelineLabelEvent& event) {
      return !event.added && event.label == p_.description_gate->passed && event.at <= ended && event.at < *back;
    });
  }

  void ReadBuilds() {
    if (s_.builds.has_value()) {
      for (const PipelineBuild& build : *s_.builds) {
        const bool ended_by_itself = build.result != "ABORTED" && build.result != "NOT_BUILT";
        if (IsBuildOfPull(p_, build.description, s_.number) && (IsBuilding(build) || ended_by_itself))
          f_.builds.push_back(&build);
      }
      absl::c_sort(f_.builds, [](const PipelineBuild* a, const PipelineBuild* b) { return a->number > b->number; });
    } else {
      TellBuild();
    }
    for (const PipelineBuild* build : f_.builds) {
      Note("build", absl::StrCat("#", build->number, " ", IsBuilding(*build) ? "BUILDING" : build->result),
           build->started);
    }
    if (f_.builds.empty()) return;
    // The newest counts or none does: an older one says less.
    const PipelineBuild& newest = *f_.builds.front();
    if (!OlderThanHead(newest.started) && !LostItsGate(newest)) f_.newest = &newest;
  }

  // Without Jenkins, comments of bots tell of a build.
  void TellBuild() {
    for (const PipelineComment* comment : comments_) {
      if (!Trusted(*comment)) continue;
      for (const Pattern& pattern : p_.build_gate.started_comments) {
        const auto groups = pattern.Find(comment->body);
        if (!groups.has_value()) continue;
        PipelineBuild build;
        if (!absl::SimpleAtoi(GroupOf(*groups, "number"), &build.number)) continue;
        build.building = true;
        build.started = comment->at;
        f_.told = std::move(build);
      }
      TellResults(*comment);
    }
    if (!f_.told.has_value()) return;
    if (const auto log = s_.consoles.find(f_.told->number); log != s_.consoles.end()) f_.told->console = log->second;
    f_.builds.push_back(&*f_.told);
  }

  void TellResults(const PipelineComment& comment) {
    const std::vector<ResultRow> rows = ReadResultTable(p_.build_gate, comment.body);
    if (rows.empty()) return;
    PipelineBuild build;
    const bool failed = absl::c_any_of(rows, [](const ResultRow& row) { return row.failed(); });
    for (const ResultRow& row : rows) {
      if (build.number == 0) build.number = row.number;
      if (build.url.empty()) build.url = row.url;
    }
    build.result = failed ? "FAILURE" : "SUCCESS";
    build.started = comment.at;
    f_.told = std::move(build);
  }

  void ReadChecks() {
    if (!p_.checks.has_value() || !s_.checks.has_value()) return;
    f_.has_checks = true;
    // What the profile names, then what the forge does.
    std::vector<bool> seen(p_.checks->required.size(), false);
    std::map<std::string, bool, std::less<>> wanted;
    for (const std::string& name : s_.required_checks) {
      if (!AnyMatches(p_.checks->ignored, name)) wanted[name] = false;
    }
    bool running = false;
    size_t counted = 0;
    std::vector<const PipelineCheck*> held;
    for (const PipelineCheck& check : *s_.checks) {
      if (AnyMatches(p_.checks->ignored, check.name)) continue;
      // Its name is not that of the checks that it will bring.
      if (check.state == PipelineCheck::State::kHeld) {
        held.push_back(&check);
        Note("check", absl::StrCat(check.name, ": waits to be allowed"), std::nullopt);
        continue;
      }
      bool counts = p_.checks->required.empty() && wanted.empty();
      for (size_t i = 0; i < seen.size(); ++i) {
        if (!p_.checks->required[i].Matches(check.name)) continue;
        seen[i] = true;
        counts = true;
      }
      if (const auto named = wanted.find(check.name); named != wanted.end()) {
        named->second = true;
        counts = true;
      }
      if (!counts) continue;
      ++counted;
      running = running || check.state == PipelineCheck::State::kRunning;
      const bool failed =
          check.state == PipelineCheck::State::kFailed || check.state == PipelineCheck::State::kCancelled;
      if (failed) f_.failed_checks.push_back(&check);
      if (failed || check.state == PipelineCheck::State::kRunning) {
        Note("check", absl::StrCat(check.name, failed ? ": failed" : ": running"), std::nullopt);
      }
    }
    bool missing = absl::c_linear_search(seen, false);
    for (const auto& [name, there] : wanted) {
      missing = missing || !there;
      if (!there) Note("check", absl::StrCat(name, ": missing"), std::nullopt);
    }
    // Where only some checks are required, they may all be there.
    const bool awaited = missing || (p_.checks->required.empty() && wanted.empty());
    if (!held.empty() && awaited && !running && f_.failed_checks.empty()) {
      f_.held_checks = std::move(held);
      missing = true;
    }
    if (counted == 0) {
      f_.checks = BuildState::kNone;
    } else if (running) {
      f_.checks = BuildState::kRunning;
    } else if (!f_.failed_checks.empty()) {
      f_.checks = BuildState::kFailed;
    } else {
      f_.checks = missing ? BuildState::kRunning : BuildState::kPassed;
      f_.only_missing = missing;
    }
    Note("checks",
         absl::StrCat(counted, " count, ", f_.failed_checks.size(), " failed", missing ? ", some missing" : ""),
         std::nullopt);
  }

  const PipelineProfile& p_;
  const PipelineSignals& s_;
  PipelineFacts& f_;
  std::vector<const PipelineComment*> comments_;  // oldest first
};

}  // namespace

std::optional<int64_t> PullOfBuild(const PipelineProfile& profile, std::string_view description) {
  if (!profile.jenkins.has_value()) return std::nullopt;
  const auto groups = profile.jenkins->pull_request.Find(description);
  int64_t found = 0;
  // The whole number: that of pull request 12 is also the start of 123.
  if (!groups.has_value() || !absl::SimpleAtoi(GroupOf(*groups, "number"), &found)) return std::nullopt;
  return found;
}

bool IsBuildOfPull(const PipelineProfile& profile, std::string_view description, int64_t number) {
  return !profile.jenkins.has_value() || PullOfBuild(profile, description) == number;
}

bool IsBuilding(const PipelineBuild& build) { return build.building || build.result.empty(); }

BuildState StateOf(const PipelineBuild& build) {
  if (IsBuilding(build)) return BuildState::kRunning;
  return build.result == "SUCCESS" ? BuildState::kPassed : BuildState::kFailed;
}

void ReadFacts(const PipelineProfile& profile, const PipelineSignals& signals, PipelineFacts& facts) {
  FactReader(profile, signals, facts).Read();
}

}  // namespace yardmaster::rules
