#include "services/pipeline/gate_source.h"

#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/pull_ref.h"
#include "clients/jenkins/build_url.h"
#include "rules/engine/pipeline/changed_files.h"
#include "rules/engine/pipeline/facts.h"
#include "rules/engine/pipeline/reach.h"
#include "rules/engine/pipeline/trunk.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/intake/event.h"
#include "services/pipeline/head_time.h"
#include "services/pipeline/test_reach.h"

namespace yardmaster {
namespace {

using rules::PipelineBuild;
using rules::PipelineCheck;
using rules::PipelineProfile;
using rules::PipelineSignals;

// For everything of one reading together.
constexpr std::chrono::seconds kGateReadTime{150};
// Logs are read of the newest failed build and of the one before.
constexpr size_t kConsoles = 2;
// Runs of a forge's CI of which is asked what failed in them.
constexpr size_t kRunDetails = 3;
// And of the newest failed build of so many other pull requests.
constexpr size_t kTrunkConsoles = 4;

bool IsNamePart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '/';
}

// Whether a sentence names a label: not as a part of another one.
bool NamesLabel(std::string_view text, const std::string& label) {
  for (size_t at = text.find(label); at != std::string_view::npos; at = text.find(label, at + 1)) {
    const size_t end = at + label.size();
    if ((at == 0 || !IsNamePart(text[at - 1])) && (end == text.size() || !IsNamePart(text[end]))) return true;
  }
  return false;
}

std::set<std::string> LabelsOf(const PipelineProfile& profile) {
  std::set<std::string> labels;
  if (profile.description_gate.has_value()) {
    labels.insert({profile.description_gate->passed, profile.description_gate->failed});
  }
  const rules::BuildGate& gate = profile.build_gate;
  for (const auto* list : {&gate.passed, &gate.failed, &gate.running, &gate.working}) {
    labels.insert(list->begin(), list->end());
  }
  labels.erase("");
  return labels;
}

PipelineCheck::State CheckStateOf(ForgeCheckState state) {
  switch (state) {
    case ForgeCheckState::kQueued:
    case ForgeCheckState::kInProgress:
      return PipelineCheck::State::kRunning;
    case ForgeCheckState::kSuccess:
    case ForgeCheckState::kNeutral:
    case ForgeCheckState::kSkipped:
      return PipelineCheck::State::kPassed;
    case ForgeCheckState::kFailure:
    case ForgeCheckState::kActionRequired:
      return PipelineCheck::State::kFailed;
    case ForgeCheckState::kCancelled:
      return PipelineCheck::State::kCancelled;
  }
  return PipelineCheck::State::kRunning;
}

// One reading.
class GateReading {
 public:
  GateReading(Forge& forge, const v1::Subject& subject, const PipelineProfile& profile,
              std::chrono::steady_clock::time_point deadline, const Clock& clock, store::Subjects* subjects)
      : forge_(forge),
        subject_(subject),
        address_(ForgeSubjectOf(subject)),
        profile_(profile),
        deadline_(deadline),
        clock_(clock),
        subjects_(subjects) {
    address_.pull_request = true;
    subject_.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  }

  absl::Status ReadPull() {
    ASSIGN_OR_RETURN(const ForgePull pull, forge_.GetPull(Call(), address_));
    const size_t slash = address_.repository.find('/');
    out_.owner = address_.repository.substr(0, slash);
    out_.repo = slash == std::string::npos ? "" : address_.repository.substr(slash + 1);
    out_.number = address_.number;
    out_.url = pull.url;
    out_.author = pull.author.login;
    out_.closed = !MayBeOpen(pull.state);
    out_.head = pull.head_sha;
    out_.labels = pull.labels;
    base_ref_ = pull.base_ref;
    SeeHead();
    ASSIGN_OR_RETURN(const ForgeCommentList comments, forge_.ListComments(Call(), address_));
    for (const ForgeComment& comment : comments.comments) {
      out_.comments.push_back(
          {comment.author.login, comment.body, rules::ParsePipelineTime(comment.created_at), comment.id});
    }
    if (!comments.complete) out_.unread.push_back({"there are more comments than were read", "还有评论没有读取"});
    return absl::OkStatus();
  }

  // Since when it has this head, as far as anybody looked.
  void SeeHead() {
    if (subjects_ == nullptr || out_.head.empty()) return;
    const auto seen = subjects_->SeeHead(subject_, out_.head, clock_.Now(), store::HeadSource::kAnswer);
    if (!seen.ok()) return Unread({"since when it has this head", "这个提交是什么时候推上来的"}, seen.status());
    if (seen->head == out_.head) seen_ = *seen;
  }

  // When the head was made, and what happened since. Check runs belong to a commit, which makes their age no question.
  void ReadAges() {
    const bool by_labels = !profile_.checks.has_value() || !profile_.build_gate.passed.empty();
    const bool by_queue = profile_.merge_queue.has_value() && profile_.merge_queue->of_forge;
    if (!by_labels && !by_queue) return;
    if (!ReadHistory() && Job() == nullptr) return;
    const auto commits = forge_.ListPullCommits(Call(), address_);
    std::optional<rules::PipelineTime> committed;
    if (commits.ok()) {
      for (const ForgeCommit& commit : *commits) {
        if (commit.sha == out_.head) committed = rules::ParsePipelineTime(commit.committed_at);
      }
    }
    if (!committed.has_value()) Unread({"when the head was committed", "最新提交的提交时间"}, commits.status());
    out_.head_at = HeadTime(committed, seen_, clock_.Now());
  }

  // When labels were put on, and what the merge queue did. False: the forge keeps no history that we read.
  bool ReadHistory() {
    using Kind = ForgeHistoryEntry::Kind;
    const auto history = forge_.ListPullHistory(Call(), address_);
    if (absl::IsUnimplemented(history.status())) return false;
    if (!history.ok()) Unread({"when labels were put on", "标签是什么时候打上的"}, history.status());
    if (!history.ok()) return true;
    const std::set<std::string> labels = LabelsOf(profile_);
    for (const ForgeHistoryEntry& entry : *history) {
      const auto at = rules::ParsePipelineTime(entry.at);
      if (!at.has_value()) continue;
      if (entry.kind == Kind::kQueued || entry.kind == Kind::kUnqueued) {
        out_.queue_events.push_back({entry.kind == Kind::kQueued, *at});
      }
      if (entry.kind != Kind::kLabelsAdded && entry.kind != Kind::kLabelsRemoved) continue;
      for (const std::string& label : labels) {
        if (!NamesLabel(entry.content, label)) continue;
        out_.label_events.push_back({label, entry.kind == Kind::kLabelsAdded, *at});
      }
    }
    return true;
  }

  void ReadChecks() {
    if (!profile_.checks.has_value() || out_.head.empty()) return;
    std::vector<PipelineCheck> checks;
    const auto own = forge_.ListPullRuns(Call(), address_);
    if (!absl::IsUnimplemented(own.status())) {
      if (!own.ok()) return Unread({"runs of the forge's CI", "代码平台 CI 的运行"}, own.status());
      out_.checks = ChecksOf(*own);
      return;
    }
    const auto runs = forge_.ListCheckRuns(Call(), address_.repository, out_.head, /*name=*/"");
    if (runs.ok()) {
      AddNewest(*runs, checks, [](const ForgeCheckRun& run) { return run.name; });
    } else {
      Unread({"check runs", "check run"}, runs.status());
    }
    const bool suites = AddSuites(checks);
    const auto statuses = forge_.ListCommitStatuses(Call(), address_.repository, out_.head);
    if (statuses.ok()) {
      AddNewest(*statuses, checks, [](const ForgeCommitStatus& status) { return status.context; });
    } else {
      Unread({"commit statuses", "提交状态"}, statuses.status());
    }
    if (runs.ok() || statuses.ok() || suites) out_.checks = std::move(checks);
    ReadRequired();
  }

  // Those that have no check runs to tell of them: nobody has allowed them yet, or they could not begin. Those that are
  // only queued say nothing: every app that could check something has one. False: they can't be read.
  bool AddSuites(std::vector<PipelineCheck>& checks) {
    const auto suites = forge_.ListCheckSuites(Call(), address_.repository, out_.head);
    if (absl::IsUnimplemented(suites.status())) return false;
    if (!suites.ok()) {
      Unread({"check suites", "check suite"}, suites.status());
      return false;
    }
    std::set<std::string> seen;
    for (const ForgeCheckSuite& suite : *suites) {
      const bool held = suite.state == ForgeCheckState::kActionRequired;
      if (suite.check_runs != 0 || (!held && suite.state != ForgeCheckState::kFailure)) continue;
      if (!seen.insert(absl::StrCat(suite.app, held)).second) continue;
      PipelineCheck check{suite.app, held ? PipelineCheck::State::kHeld : PipelineCheck::State::kFailed, /*url=*/""};
      if (!held) check.failed = {"a workflow could not be started: is its file valid?"};
      checks.push_back(std::move(check));
    }
    return true;
  }

  // What the forge requires of the branch that it goes to.
  void ReadRequired() {
    if (!profile_.checks->required_by_forge || base_ref_.empty()) return;
    auto required = forge_.ListRequiredChecks(Call(), address_.repository, base_ref_);
    if (required.ok()) {
      out_.required_checks = *std::move(required);
    } else if (!absl::IsUnimplemented(required.status())) {
      Unread({"the checks that are required", "必需的检查项"}, required.status());
    }
  }

  // Of the runs of this head the newest of each workflow; of the first that failed also what failed in them.
  std::vector<PipelineCheck> ChecksOf(const std::vector<ForgePullRun>& runs) {
    std::vector<PipelineCheck> checks;
    std::set<std::string> seen;
    size_t details = 0;
    for (const ForgePullRun& run : runs) {
      if (run.head != out_.head || !seen.insert(run.name).second) continue;
      PipelineCheck check{run.name, CheckStateOf(run.state), run.url};
      if (check.state == PipelineCheck::State::kFailed && run.has_details && details++ < kRunDetails) {
        const auto detail = forge_.GetPullRun(Call(), address_.repository, run.id);
        if (detail.ok()) {
          check.failed = detail->failed;
        } else {
          Unread({absl::StrCat("what failed in '", run.name, "'"), absl::StrCat("'", run.name, "' 中失败的内容")},
                 detail.status());
        }
      }
      checks.push_back(std::move(check));
    }
    return checks;
  }

  void ReadBuilds(JenkinsClient& jenkins) {
    const std::string* const job = Job();
    if (job == nullptr) {
      out_.unread.push_back(
          {absl::StrCat("the profile of '", profile_.pack, "' names no job of ", address_.repository),
           absl::StrCat("规则包 '", profile_.pack, "' 的配置没有写 ", address_.repository, " 的任务")});
      return ReadTold(jenkins);
    }
    const auto builds = jenkins.Builds(*job, profile_.jenkins->builds, deadline_);
    if (!builds.ok()) {
      Unread({"builds", "构建"}, builds.status());
      return ReadTold(jenkins);
    }
    size_t consoles = 0;
    out_.builds.emplace();
    for (const JenkinsBuild& read : *builds) {
      const bool own = rules::IsBuildOfPull(profile_, read.description, address_.number);
      PipelineBuild build{read.number, read.result,  read.building, read.description,
                          read.url,    read.started, read.duration, std::nullopt};
      const bool failed = rules::StateOf(build) == rules::BuildState::kFailed && build.result != "ABORTED";
      if (own && failed && consoles < kConsoles) {
        ++consoles;
        absl::StatusOr<std::string> console = jenkins.Console(*job, build.number, deadline_);
        if (console.ok()) {
          build.console = *std::move(console);
        } else {
          Unread(LogOf(build.number), console.status());
        }
      }
      out_.builds->push_back(std::move(build));
    }
  }

  // The log of a failed build that a bot tells of by an address on the profile's own server.
  void ReadTold(JenkinsClient& jenkins) {
    rules::PipelineFacts facts;
    rules::ReadFacts(profile_, out_, facts);
    if (!facts.told.has_value() || rules::StateOf(*facts.told) != rules::BuildState::kFailed) return;
    const auto build = ParseBuildUrl(profile_.jenkins->url, facts.told->url);
    if (!build.has_value()) return;
    absl::StatusOr<std::string> console = jenkins.Console(build->job, build->number, deadline_);
    if (console.ok()) {
      out_.consoles[facts.told->number] = *std::move(console);
    } else {
      Unread(LogOf(build->number), console.status());
    }
  }

  // Whether others' builds fail in the same tests; their logs are read only where that can matter.
  void ReadTrunk(JenkinsClient& jenkins) {
    if (!rules::WantsTrunk(profile_, out_)) return;
    std::set<int64_t> seen = {address_.number};
    for (PipelineBuild& build : *out_.builds) {
      const std::optional<int64_t> pull = rules::PullOfBuild(profile_, build.description);
      const bool failed = rules::StateOf(build) == rules::BuildState::kFailed && build.result != "ABORTED";
      if (!pull || !failed || seen.size() > kTrunkConsoles || !seen.insert(*pull).second) continue;
      absl::StatusOr<std::string> console = jenkins.Console(*Job(), build.number, deadline_);
      if (console.ok()) {
        build.console = *std::move(console);
      } else {
        Unread(LogOf(build.number), console.status());
      }
    }
  }

  // What the pull request changes matters only where something failed.
  void ReadFiles() {
    const bool failed = !out_.consoles.empty() ||
                        (out_.builds.has_value() && absl::c_any_of(*out_.builds, [](const PipelineBuild& build) {
                           return build.console.has_value();
                         }));
    if (!failed) return;
    const auto files = forge_.ListPullFiles(Call(), address_);
    if (!files.ok()) return Unread({"the files that it changes", "改动的文件"}, files.status());
    // A part of them proves nothing.
    if (!files->complete) {
      out_.unread.push_back({"it changes more files than were read", "改动的文件多于所读取的"});
      return;
    }
    out_.files.emplace();
    for (const ForgePullFile& file : files->files) {
      out_.files->push_back(file.path);
      if (file.patch.has_value()) out_.patches[file.path] = *file.patch;
      // Nobody imports it any more, whoever needs it.
      const bool gone = file.status == ForgeFileStatus::kRemoved || file.status == ForgeFileStatus::kRenamed;
      takes_away_ = takes_away_ || (gone && !rules::IsInert(profile_, file.path));
    }
  }

  // Which files the failed tests reach.
  void ReadReach(GitCache* cache, const std::string& pull_ref) {
    const std::set<std::string> tests = rules::TestsToReach(profile_, out_);
    if (tests.empty() || takes_away_) return;
    if (cache == nullptr) {
      out_.unread.push_back(
          {"what tests import is not read: no git server is reached", "没有读取测试导入了什么：连不上 git 服务器"});
      return;
    }
    absl::StatusOr<TestReach> reach = ReadTestReach(*cache, address_.repository, {out_.head, pull_ref}, tests);
    if (!reach.ok()) return Unread({"what tests import", "测试导入了什么"}, reach.status());
    out_.reach = std::move(reach->files);
    for (SaidText& why : reach->unknown) out_.unread.push_back(std::move(why));
  }

  PipelineSignals Take() { return std::move(out_); }

 private:
  // The job that builds the repository; null if the profile names none.
  const std::string* Job() const {
    if (!profile_.jenkins.has_value()) return nullptr;
    const auto job = profile_.jenkins->jobs.find(address_.repository);
    return job == profile_.jenkins->jobs.end() ? nullptr : &job->second;
  }
  ForgeCall Call() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - clock_.Monotonic());
    return {ForgePriority::kCommand, std::max(left, std::chrono::milliseconds(1))};
  }
  static SaidText LogOf(int64_t build) {
    return {absl::StrCat("the log of build #", build), absl::StrCat("构建 #", build, " 的日志")};
  }
  void Unread(const SaidText& what, const absl::Status& status) {
    SaidText text{absl::StrCat("not read: ", what.en), absl::StrCat("没有读取：", what.zh)};
    if (!status.ok()) {
      text.Append(absl::StrCat(" (", status.message(), ")"), absl::StrCat("（", status.message(), "）"));
    }
    out_.unread.push_back(std::move(text));
  }
  // Lists are newest first: what comes later under the same name is over.
  template <typename Item, typename Name>
  static void AddNewest(const std::vector<Item>& items, std::vector<PipelineCheck>& checks, Name name) {
    std::set<std::string> seen;
    for (const Item& item : items) {
      // Our own says what we found, not whether it builds.
      if (name(item) == kReviewCheckName || !seen.insert(name(item)).second) continue;
      checks.push_back({name(item), CheckStateOf(item.state), item.url});
    }
  }

  Forge& forge_;
  v1::Subject subject_;
  ForgeSubject address_;
  const PipelineProfile& profile_;
  const std::chrono::steady_clock::time_point deadline_;
  const Clock& clock_;
  store::Subjects* const subjects_;
  std::optional<store::SeenHead> seen_;
  std::string base_ref_;
  bool takes_away_ = false;  // it removes or renames code
  PipelineSignals out_;
};

}  // namespace

JenkinsClient& ForgeGateSource::Jenkins(const std::string& url) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<JenkinsClient>& client = jenkins_[url];
  if (client == nullptr) {
    client = std::make_unique<JenkinsClient>(
        url, JenkinsEnvironment{env_.http, env_.clock, env_.waiter, env_.metrics, env_.seed});
  }
  return *client;
}

absl::StatusOr<PipelineSignals> ForgeGateSource::Read(const v1::Subject& subject, const PipelineProfile& profile) {
  const auto account = env_.forges.find(subject.forge());
  if (account == env_.forges.end()) return errors::ForgeNotConfigured(subject.forge());
  GateReading reading(account->second->forge(), subject, profile, env_.clock.Monotonic() + kGateReadTime, env_.clock,
                      env_.subjects);
  RETURN_IF_ERROR(reading.ReadPull());
  reading.ReadAges();
  reading.ReadChecks();
  if (profile.jenkins.has_value()) reading.ReadBuilds(Jenkins(profile.jenkins->url));
  reading.ReadFiles();
  reading.ReadReach(CacheOf(subject.forge()), PullRefOf(account->second->profile().pull_ref, subject.number()));
  if (profile.jenkins.has_value()) reading.ReadTrunk(Jenkins(profile.jenkins->url));
  return reading.Take();
}

GitCache* ForgeGateSource::CacheOf(const std::string& forge) const {
  if (env_.caches == nullptr) return nullptr;
  const auto cache = env_.caches->find(forge);
  return cache == env_.caches->end() ? nullptr : cache->second;
}

void ForgeGateSource::Stop() {
  const std::lock_guard lock(mutex_);
  for (const auto& [url, client] : jenkins_) client->Stop();
}

}  // namespace yardmaster
