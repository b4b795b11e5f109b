// What is read for a gate: from a forge in memory, a Jenkins that is scripted, git's own server and a real store.
#include "services/pipeline/gate_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "clients/forge/gitcode/gitcode_profile.h"
#include "clients/forge/http_curl.h"
#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/pipeline/diagnose.h"
#include "services/core/store/store.h"
#include "services/pipeline/test_reach.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/fake_waiter.h"
#include "tests/support/git_http_server.h"
#include "tests/support/memory_forge.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kRepository = "octo/repo";

constexpr const char* kProfile = R"json({"trusted_authors": ["gatebot"],
  "description_gate": {"trigger": "/look", "passed_label": "looked"},
  "build_gate": {"trigger": "/go", "passed_labels": ["built"], "bypass_seconds": 60,
                 "result_rows": ["^\\| (?P<stage>\\w+) \\| (?P<result>[A-Z]+) \\| \\[(?P<number>\\d+)\\]\\((?P<url>[^)]*)\\)"]
}
, "jenkins" : {"url" : "https://b.example", "jobs" : {"octo/repo" : "Gate"}, "pull_request" : "#(?P<number>\\d+)"},
              "log" : {
                "failures" : [
                  {"id" : "pytest", "pattern" : "FAILED (?P<file>[\\w./-]+)::(?P<test>\\S+)"},
                  {"id" : "design", "pattern" : "Function '(?P<function>\\w+)' (?P<message>is missing.*)"}
                ]
              },
                      "inert_files" : ["*.md"]
})json";

constexpr const char* kGitHubProfile = R"({"build_gate": {},
  "checks": {"required_by_forge": true}, "merge_queue": {"of_forge": true}})";

std::vector<std::string> UnreadIn(const rules::PipelineSignals& signals) {
  std::vector<std::string> texts;
  for (const SaidText& text : signals.unread) {
    EXPECT_FALSE(text.zh.empty()) << text.en;
    texts.push_back(text.en);
  }
  return texts;
}

class GateSourceTest : public ::testing::Test {
 protected:
  GateSourceTest() {
    store::StoreOptions options;
    options.data_dir = dir_.path() / "data";
    options.disk_floor_bytes = 1;
    options.single_threaded = true;
    store_ = *store::Store::Open(std::move(options), clock_, nullptr);
    ForgePull& pull = Pull();
    pull.number = 1;
    pull.author.login = "ann";
    pull.base_ref = "main";
    Push(std::string(40, 'a'), clock_.Now() - hours(1));
    forge_.Open(kRepository, 1, "A change", "", {});
    // No builds, unless a test says otherwise.
    http_.Otherwise([this](const OutgoingRequest& request) {
      const bool log = absl::StrContains(request.url, "consoleText");
      return HttpResult(OutgoingResponse{jenkins_status_, {}, log ? console_ : builds_});
    });
  }
  ForgePull& Pull() { return forge_.pulls[{kRepository, 1}]; }
  // A head that says that it was made then.
  void Push(const std::string& head, std::chrono::system_clock::time_point committed) {
    Pull().head_sha = head;
    forge_.pull_commits[{kRepository, 1}] = {{head, Text(committed)}};
  }
  void Label(const std::string& label) {
    Pull().labels.push_back(label);
    ForgeHistoryEntry entry;
    entry.kind = ForgeHistoryEntry::Kind::kLabelsAdded;
    entry.content = "add label " + label;
    entry.at = Text(clock_.Now());
    forge_.pull_history[{kRepository, 1}].push_back(entry);
  }
  void Failed(const std::string& console) {
    builds_ =
        R"({"builds": [{"number": 5, "result": "FAILURE", "building": false, "description": "#1", "timestamp": )" +
        std::to_string(absl::ToUnixMillis(absl::FromChrono(clock_.Now()))) +
        R"(, "duration": 900000, "url": "https://b.example/job/Gate/5/"}]})";
    console_ = console;
  }
  void Changes(const std::string& path, const std::string& patch = "",
               ForgeFileStatus status = ForgeFileStatus::kModified) {
    ForgePullFile file;
    file.path = path;
    file.status = status;
    if (!patch.empty()) file.patch = patch;
    forge_.pull_files[{kRepository, 1}].files.push_back(file);
  }
  static std::string Text(std::chrono::system_clock::time_point time) { return rules::PipelineTimeText(time); }

  rules::PipelineSignals Read(const std::string& profile = kProfile) {
    Problems problems;
    profile_ = rules::LoadPipeline({{"p/pack.json", R"({"name": "p", "title": "t"})"}, {"p/pipeline.json", profile}},
                                   "p", problems);
    for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
    v1::Subject subject;
    subject.set_forge("gitcode");
    subject.set_repository(kRepository);
    subject.set_number(1);
    absl::StatusOr<rules::PipelineSignals> signals = source_.Read(subject, *profile_);
    EXPECT_TRUE(signals.ok()) << signals.status();
    return signals.value_or(rules::PipelineSignals());
  }
  std::string Phase() {
    const rules::PipelineSignals signals = Read();
    return std::string(rules::PipelinePhaseName(rules::Diagnose(*profile_, signals, clock_.Now()).phase));
  }
  static LoggerOptions Silent() {
    LoggerOptions options;
    options.level = LogLevel::kError;
    options.async = false;
    return options;
  }

  const testing::TempDir dir_;
  testing::FakeClock clock_;
  testing::MemoryForge forge_{clock_, "gitcode"};
  Logger logger_{Silent()};
  Notices notices_{clock_, logger_};
  ConfiguredForge account_{forge_, GitCodeProfile(), {}, "yardbot", clock_, notices_};
  const ConfiguredForges forges_ = {{"gitcode", &account_}};
  testing::FakeHttpClient http_;
  testing::VirtualWaiter waiter_{clock_};
  std::unique_ptr<store::Store> store_;
  std::map<std::string, GitCache*, std::less<>> caches_;
  ForgeGateSource source_{[this] {
    GateSourceEnvironment environment{forges_, http_, clock_, waiter_};
    environment.caches = &caches_;
    return environment;
  }()};
  std::shared_ptr<const rules::PipelineProfile> profile_;
  std::string builds_ = R"({"builds": []})";
  std::string console_;
  int jenkins_status_ = 200;
};

// With a store: it remembers since when heads are there.
class HeadAgeTest : public GateSourceTest {
 protected:
  std::string Phase() {
    GateSourceEnvironment environment{forges_, http_, clock_, waiter_};
    environment.subjects = &store_->subjects();
    ForgeGateSource source(environment);
    Read();
    v1::Subject subject;
    subject.set_forge("gitcode");
    subject.set_repository(kRepository);
    subject.set_number(1);
    const auto signals = source.Read(subject, *profile_);
    EXPECT_TRUE(signals.ok()) << signals.status();
    return std::string(rules::PipelinePhaseName(rules::Diagnose(*profile_, *signals, clock_.Now()).phase));
  }
};

TEST_F(HeadAgeTest, APushThatIsDatedBackKeepsNoLabelAlive) {
  Label("looked");
  Label("built");
  clock_.Advance(minutes(1));
  EXPECT_EQ(Phase(), "GREEN");
  clock_.Advance(minutes(1));
  Push(std::string(40, 'b'), clock_.Now() - hours(24 * 30));
  EXPECT_EQ(Phase(), "INVALIDATED");
  // Labels that come after it count.
  clock_.Advance(minutes(1));
  Label("looked");
  Label("built");
  clock_.Advance(minutes(1));
  EXPECT_EQ(Phase(), "GREEN");
}

TEST_F(HeadAgeTest, ADateInTheFutureMakesLabelsStaleNoLongerThanTillTheyAreRenewed) {
  Push(std::string(40, 'b'), clock_.Now() + hours(24 * 365));
  Label("looked");
  clock_.Advance(minutes(1));
  Phase();
  clock_.Advance(minutes(1));
  Label("looked");
  Label("built");
  clock_.Advance(minutes(1));
  EXPECT_EQ(Phase(), "GREEN");
}

TEST_F(HeadAgeTest, ACommitThatWasMadeLongBeforeItWasPushedIsNoTrick) {
  Phase();
  clock_.Advance(hours(9));
  // Made in the morning, pushed now; then the bots look at it.
  Push(std::string(40, 'b'), clock_.Now() - hours(20));
  clock_.Advance(minutes(5));
  Label("looked");
  Label("built");
  clock_.Advance(minutes(5));
  EXPECT_EQ(Phase(), "GREEN");
}

TEST_F(GateSourceTest, TheHistoryOfLabelsIsKnownByWholeNames) {
  Label("looked");
  ForgeHistoryEntry other;
  other.kind = ForgeHistoryEntry::Kind::kLabelsRemoved;
  other.content = "remove label not-looked";
  other.at = Text(clock_.Now());
  forge_.pull_history[{kRepository, 1}].push_back(other);
  const rules::PipelineSignals signals = Read();
  ASSERT_EQ(signals.label_events.size(), 1U);
  EXPECT_EQ(signals.label_events[0].label, "looked");
  EXPECT_EQ(signals.head_at, clock_.Now() - hours(1));
}

TEST_F(GateSourceTest, PatchesShowWhereATestIs) {
  Failed("Function 'test_sum' is missing: Feature:\n");
  Changes("tests/a.py", "@@ -1,0 +7,1 @@\n+def test_sum():\n");
  const rules::PipelineSignals signals = Read();
  const rules::PipelineReport report = rules::Diagnose(*profile_, signals, clock_.Now());
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_EQ(report.failures[0].failure.file, "tests/a.py");
  EXPECT_EQ(report.failures[0].failure.line, 7U);
}

TEST_F(GateSourceTest, ALogIsFoundByWhatABotSaysWhereJenkinsListsNothing) {
  // The list is forbidden, the log is not.
  http_.Otherwise([](const OutgoingRequest& request) {
    const bool log = absl::StrContains(request.url, "/job/Gate/5/consoleText");
    return HttpResult(OutgoingResponse{log ? 200 : 403, {}, log ? "FAILED tests/a.py::test_x\n" : ""});
  });
  Label("looked");
  forge_.Comment(forge_.At(kRepository, 1), "gatebot",
                 "| UT | FAILURE | [5](https://b.example/blue/organizations/jenkins/Gate/detail/Gate/5/pipeline)");
  const rules::PipelineSignals signals = Read();
  EXPECT_THAT(signals.consoles, ElementsAre(::testing::Pair(5, "FAILED tests/a.py::test_x\n")));
  EXPECT_EQ(rules::Diagnose(*profile_, signals, clock_.Now()).failures[0].failure.test, "test_x");
}

TEST_F(GateSourceTest, NoOtherServerIsContactedForALog) {
  jenkins_status_ = 403;
  forge_.Comment(forge_.At(kRepository, 1), "gatebot", "| UT | FAILURE | [5](https://evil.example/job/Gate/5/)");
  EXPECT_THAT(Read().consoles, IsEmpty());
  for (const std::string& line : http_.lines()) EXPECT_THAT(line, Not(HasSubstr("evil")));
  // Nor for what anybody writes.
  forge_.Comment(forge_.At(kRepository, 1), "mallory", "| UT | FAILURE | [6](https://b.example/job/Other/6/)");
  Read();
  for (const std::string& line : http_.lines()) EXPECT_THAT(line, Not(HasSubstr("/job/Other/6/")));
}

TEST_F(GateSourceTest, WhatTestsImportIsNotReadWithoutAGitServer) {
  Failed("FAILED tests/test_ring.py::test_ring\n");
  Changes("core/mesh.py");
  const rules::PipelineSignals signals = Read();
  EXPECT_THAT(signals.reach, IsEmpty());
  EXPECT_THAT(UnreadIn(signals), Contains(HasSubstr("no git server is reached")));
}

TEST_F(GateSourceTest, QueueAndRequiredChecksOfGitHub) {
  forge_.required_checks = {"build"};
  const auto queue = [this](ForgeHistoryEntry::Kind kind) {
    ForgeHistoryEntry entry;
    entry.kind = kind;
    entry.at = Text(clock_.Now());
    forge_.pull_history[{kRepository, 1}].push_back(entry);
    clock_.Advance(minutes(1));
  };
  queue(ForgeHistoryEntry::Kind::kQueued);
  queue(ForgeHistoryEntry::Kind::kUnqueued);
  const rules::PipelineSignals signals = Read(kGitHubProfile);
  EXPECT_THAT(signals.required_checks, ElementsAre("build"));
  ASSERT_EQ(signals.queue_events.size(), 2U);
  EXPECT_TRUE(signals.queue_events[0].added);
  EXPECT_FALSE(signals.queue_events[1].added);
  EXPECT_TRUE(signals.head_at.has_value()) << "what the queue did may be older";
}

TEST_F(GateSourceTest, CheckSuitesCountWhereTheyHaveNoCheckRuns) {
  const auto suite = [this](const std::string& app, ForgeCheckState state, int64_t runs) {
    forge_.check_suites.push_back({std::to_string(forge_.check_suites.size()), app, state, runs});
  };
  suite("Actions", ForgeCheckState::kActionRequired, 0);
  suite("Actions", ForgeCheckState::kActionRequired, 0);  // another workflow
  suite("Actions", ForgeCheckState::kFailure, 0);
  suite("Actions", ForgeCheckState::kFailure, 3);        // its runs tell
  suite("Coverage", ForgeCheckState::kQueued, 0);        // it will never say anything
  suite("Other", ForgeCheckState::kActionRequired, -1);  // its runs may tell
  const rules::PipelineSignals signals = Read(kGitHubProfile);
  ASSERT_TRUE(signals.checks.has_value());
  ASSERT_EQ(signals.checks->size(), 2U);
  EXPECT_EQ((*signals.checks)[0].name, "Actions");
  EXPECT_EQ((*signals.checks)[0].state, rules::PipelineCheck::State::kHeld);
  EXPECT_EQ((*signals.checks)[1].state, rules::PipelineCheck::State::kFailed);
  EXPECT_THAT((*signals.checks)[1].failed, ElementsAre(HasSubstr("could not be started")));
}

// With the repository behind it.
class GateReachTest : public GateSourceTest {
 protected:
  GateReachTest() {
    server_.Create(kRepository, {"uploadpack.allowFilter true"});
    Write("core/ring.py", "x = 1\n");
    Write("core/mesh.py", "x = 1\n");
    Write("tests/test_ring.py", "from core.ring import x\n");
    Write("core/__init__.py", "");
    Push(server_.Commit(kRepository), clock_.Now() - hours(1));
    CurlHttpOptions options;
    options.origins = {server_.url()};
    git_http_ = *MakeCurlHttpClient(options);
    cache_ = std::make_unique<GitCache>(
        GitEnvironment{*git_http_, {server_.url(), "git"}, [](auto) { return absl::StatusOr<Secret>(Secret()); }, {}},
        dir_.path() / "cache");
    caches_["gitcode"] = cache_.get();
    Failed("FAILED tests/test_ring.py::test_ring\n");
  }
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = server_.Work(kRepository) / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string Verdict(const rules::PipelineSignals& signals) {
    const rules::PipelineReport report = rules::Diagnose(*profile_, signals, clock_.Now());
    return report.failures.empty() ? "none" : report.failures[0].triage.verdict;
  }

  testing::GitHttpServer server_;
  std::unique_ptr<HttpClient> git_http_;
  std::unique_ptr<GitCache> cache_;
};

TEST_F(GateReachTest, ATestThatImportsNothingOfItIsNotThePullRequests) {
  Changes("core/mesh.py");
  rules::PipelineSignals signals = Read();
  EXPECT_THAT(signals.reach.at("tests/test_ring.py"),
              ElementsAre("core/__init__.py", "core/ring.py", "tests/test_ring.py"));
  EXPECT_EQ(Verdict(signals), "needs_evidence") << "how it ends on the base branch is not known";
  signals.baseline["tests/test_ring.py::test_ring"] = true;
  EXPECT_EQ(Verdict(signals), "flaky");
  // Files that nobody looks at are not fetched.
  EXPECT_THAT(signals.unread, IsEmpty());
}

TEST_F(GateReachTest, ATestThatImportsItIs) {
  Changes("core/ring.py");
  EXPECT_EQ(Verdict(Read()), "pr_induced");
}

TEST_F(GateReachTest, NothingIsReadWhereItDecidesNothing) {
  Changes("core/mesh.py");
  Changes("core/gone.py", "", ForgeFileStatus::kRemoved);
  EXPECT_THAT(Read().reach, IsEmpty()) << "somebody may miss what is gone";
  forge_.pull_files.clear();
  Changes("core/kernel.cc");
  EXPECT_THAT(Read().reach, IsEmpty());
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(GateReachTest, WhyItIsNotKnownIsSaid) {
  Write("tests/test_ring.py", "import importlib\nimportlib.import_module(name)\n");
  Push(server_.Commit(kRepository), clock_.Now() - hours(1));
  Changes("core/mesh.py");
  const rules::PipelineSignals signals = Read();
  EXPECT_THAT(UnreadIn(signals), Contains(HasSubstr("tests/test_ring.py calls import_module")));
  EXPECT_EQ(Verdict(signals), "needs_evidence");
  // A head that the server does not have.
  Push(std::string(40, 'e'), clock_.Now() - hours(1));
  EXPECT_THAT(UnreadIn(Read()), Contains(HasSubstr("what tests import")));
}

}  // namespace
}  // namespace yardmaster
