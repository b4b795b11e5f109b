// The whole pipe on a clock of its own, in one thread: a real store, a forge in memory, and the planner of triage under
// a small pack. It can die at any point and start again.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_INTAKE_WORLD_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_INTAKE_WORLD_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clients/forge/github/github_profile.h"
#include "services/core/executor.h"
#include "services/core/store/store.h"
#include "services/intake/effects/effect_runner.h"
#include "services/intake/effects/kinds.h"
#include "services/intake/marker.h"
#include "services/intake/pipeline/pipeline.h"
#include "services/intake/plans/long_work.h"
#include "services/triage/issue_planner.h"
#include "tests/support/crashing_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_forge.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_pack.h"

namespace yardmaster::testing {

inline constexpr const char* kRepository = "octo/repo";

// Thrown where a test wants the process to die.
struct Died {};

class World {
 public:
  World() : logger_(QuietLog()), forge_(clock_) {
    rules::PackFiles files = TinyPackFiles();
    files["tiny/pack.json"] =
        R"({"name": "tiny", "title": "A pack for tests", "entry_label": "queue", "waiting_labels": ["needs info"]})";
    pack_ = CompileTinyPack(files);
    config_.mode = RunMode::kApply;
    RepositoryConfig repository;
    repository.forge = "github";
    repository.repository = kRepository;
    repository.packs = {"tiny"};
    config_.repositories.push_back(repository);
    point_ = [this] {
      if (++points_ == die_at_) throw Died();
    };
    forge_.point = [this] { point_(); };
    git_.point = [this] { point_(); };
    Boot();
  }

  // The process is gone.
  void Down() {
    pipeline_.reset();
    work_.reset();
    effects_.reset();
    environment_.reset();
    inbox_.reset();
    ledger_.reset();
    decisions_.reset();
    subjects_.reset();
    commands_.reset();
    store_.reset();
    marks_.reset();
  }
  // A process starts on what the one before left behind.
  void Boot() {
    Down();
    store::StoreOptions options;
    options.data_dir = dir_.path() / "data";
    options.disk_floor_bytes = 1;
    options.single_threaded = true;
    auto store = store::Store::Open(std::move(options), clock_, nullptr);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    inbox_ = std::make_unique<CrashingInbox>(store_->inbox(), point_);
    ledger_ = std::make_unique<CrashingLedger>(store_->ledger(), point_);
    decisions_ = std::make_unique<CrashingDecisions>(store_->decisions(), point_);
    subjects_ = std::make_unique<CrashingSubjects>(store_->subjects(), point_);
    commands_ = std::make_unique<CrashingCommands>(store_->commands(), point_);
    auto marks = CrashMarks::Open(dir_.path() / "data" / "marks");
    ASSERT_TRUE(marks.ok()) << marks.status();
    marks_ = *std::move(marks);
    notices_ = std::make_unique<Notices>(clock_, logger_);
    account_ = std::make_unique<ConfiguredForge>(
        forge_, GitHubProfile(),
        std::vector<std::chrono::milliseconds>{std::chrono::milliseconds(2'000), std::chrono::milliseconds(10'000),
                                               std::chrono::milliseconds(30'000)},
        bot_login_, clock_, *notices_);
    account_->WriteWith(&forge_, &git_);
    recent_files_ = std::make_unique<RecentFiles>(clock_);
    recent_labels_ = std::make_unique<RecentLabels>(clock_);
    long_work_ = std::make_unique<LongWorkTable>(executor_, *marks_,
                                                 [this](const v1::Subject& subject) { pipeline_->Wake(subject); });
    environment_.emplace(IntakeEnvironment{
        .config = config_,
        .inbox = *inbox_,
        .ledger = *ledger_,
        .decisions = *decisions_,
        .subjects = *subjects_,
        .commands = *commands_,
        .marks = *marks_,
        .recent_files = *recent_files_,
        .recent_labels = *recent_labels_,
        .notices = *notices_,
        .clock = clock_,
        .logger = logger_,
        .forges = {{"github", account_.get()}},
        .find_pack =
            [this](std::string_view name) {
              const auto more = more_packs_.find(std::string(name));
              if (more != more_packs_.end()) return more->second;
              return name == "tiny" ? pack_ : std::shared_ptr<const rules::CompiledPack>();
            },
        .new_decision_id = [this] { return "d" + std::to_string(++decision_ids_); },
        .planners = {planner_},
        .command_planner = command_planner_,
        .command_parser = command_parser_,
        .find_choice = find_choice_,
        .find_pull = find_pull_,
        .long_work = long_work_.get(),
        .chat = chat_,
    });
    effects_ = std::make_unique<EffectRunner>(kinds_, *ledger_, clock_, logger_);
    work_ = std::make_unique<SubjectWork>(*environment_, *effects_);
    PipelineOptions pipeline_options;
    pipeline_options.seed = 1;
    pipeline_ = std::make_unique<Pipeline>(*environment_, *work_, pipeline_options);
    const absl::Status started = pipeline_->Start();
    ASSERT_TRUE(started.ok()) << started;
  }

  // A delivery, past the receiver.
  int64_t Deliver(const std::string& event, const nlohmann::json& body, const std::string& id = "") {
    store::NewDelivery delivery;
    delivery.forge = "github";
    delivery.delivery_id = id.empty() ? "delivery-" + std::to_string(++delivery_ids_) : id;
    delivery.event = event;
    delivery.body = body.dump();
    const auto added = store_->inbox().AddAndWait(std::move(delivery));
    EXPECT_TRUE(added.ok()) << added.status();
    return added.ok() ? added->id : 0;
  }
  // What the forge sends about an issue as it is now.
  nlohmann::json Body(const std::string& action, int64_t number, const std::string& sender = "alice") {
    const MemoryForge::Issue& issue = forge_.At(kRepository, number);
    nlohmann::json labels = nlohmann::json::array();
    for (const std::string& label : issue.issue.labels) labels.push_back({{"name", label}});
    return {{"action", action},
            {"issue",
             {{"number", number},
              {"title", issue.issue.title},
              {"body", issue.issue.body},
              {"state", issue.issue.state == ForgeState::kOpen ? "open" : "closed"},
              {"labels", labels},
              {"user", {{"login", "alice"}}}}},
            {"repository", {{"full_name", kRepository}}},
            {"sender", {{"login", sender}, {"type", "User"}}},
            // Two deliveries are never the same bytes.
            {"nonce", ++delivery_ids_}};
  }
  int64_t Opened(int64_t number) { return Deliver("issues", Body("opened", number)); }

  // Works until nothing is left, moving the clock to whatever is next. Dies where the test says so and starts again.
  // Returns how often it died.
  int Run(int64_t die_at = 0) {
    int deaths = 0;
    points_ = 0;
    die_at_ = die_at;
    for (int steps = 0; steps < 100'000; ++steps) {
      try {
        if (pipeline_->RunOne()) continue;
      } catch (const Died&) {
        ++deaths;
        die_at_ = 0;
        if (die_again != nullptr) die_at_ = points_ + die_again();
        Boot();
        continue;
      }
      const auto due = pipeline_->NextDue();
      if (!due.has_value()) {
        die_at_ = 0;
        return deaths;
      }
      if (*due > clock_.Now()) clock_.Advance(*due - clock_.Now());
    }
    ADD_FAILURE() << "the pipe does not come to an end";
    return deaths;
  }

  store::Delivery Get(int64_t id) {
    const auto delivery = store_->inbox().Get(id);
    EXPECT_TRUE(delivery.ok()) << delivery.status();
    return delivery.ok() ? *delivery : store::Delivery();
  }
  std::string StateOf(int64_t id) {
    const store::Delivery delivery = Get(id);
    return std::string(store::DeliveryStateName(delivery.state)) +
           (delivery.reason.empty() ? "" : " (" + delivery.reason + ")");
  }
  std::vector<store::Effect> Effects() {
    const auto page = store_->ledger().List({}, {0, 500});
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? page->items : std::vector<store::Effect>();
  }
  std::set<std::string> Labels(int64_t number) {
    const auto& labels = forge_.At(kRepository, number).issue.labels;
    return {labels.begin(), labels.end()};
  }
  // Comments with our marker, by template.
  std::map<std::string, int> Templates(int64_t number) {
    std::map<std::string, int> out;
    for (const ForgeComment& comment : forge_.At(kRepository, number).comments) {
      if (!MarkerKey(comment.body).has_value()) continue;
      const size_t begin = comment.body.find("template=") + 9;
      ++out[comment.body.substr(begin, comment.body.find(' ', begin) - begin)];
    }
    return out;
  }
  // Nothing is pending, and no label was put on twice.
  void ExpectSettled() {
    const auto counts = store_->inbox().Counts();
    ASSERT_TRUE(counts.ok());
    EXPECT_EQ(counts->received, 0);
    const auto pending = store_->ledger().CountPending();
    ASSERT_TRUE(pending.ok());
    EXPECT_EQ(*pending, 0);
    EXPECT_EQ(pipeline_->in_flight(), 0U);
  }

  static LoggerOptions QuietLog() {
    LoggerOptions options;
    options.level = LogLevel::kError;
    options.async = false;
    return options;
  }

  TempDir dir_;
  FakeClock clock_;
  Logger logger_;
  Config config_;
  MemoryForge forge_;
  MemoryGit git_;  // its git server
  std::shared_ptr<const rules::CompiledPack> pack_;
  std::map<std::string, std::shared_ptr<const rules::CompiledPack>> more_packs_;
  // What repositories' files choose; null: nothing. To be set before Boot.
  FindRepositoryChoice find_choice_;
  // To be set before Boot.
  std::function<absl::StatusOr<int64_t>(const v1::Subject&, std::string_view)> find_pull_;
  std::shared_ptr<const Planner> planner_ = std::make_shared<IssuePlanner>();
  // Plans commands and reads them; null: nobody does. To be set before Boot.
  std::shared_ptr<const Planner> command_planner_;
  std::shared_ptr<const CommandParser> command_parser_;
  // The chat platforms; null: there are none. To be set before Boot.
  ChatBridge* chat_ = nullptr;
  // To be set before Boot.
  EffectKinds kinds_ = ShippedEffectKinds();
  // As configured; empty: the forge is asked. To be set before Boot.
  std::string bot_login_ = "yardbot";
  int64_t points_ = 0;
  int64_t die_at_ = 0;
  // After a death: how many points later the next one comes; null for no more.
  std::function<int64_t()> die_again;
  Point point_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<CrashingInbox> inbox_;
  std::unique_ptr<CrashingLedger> ledger_;
  std::unique_ptr<CrashingDecisions> decisions_;
  std::unique_ptr<CrashingSubjects> subjects_;
  std::unique_ptr<CrashingCommands> commands_;
  std::unique_ptr<CrashMarks> marks_;
  std::unique_ptr<Notices> notices_;
  std::unique_ptr<ConfiguredForge> account_;
  std::unique_ptr<RecentFiles> recent_files_;
  std::unique_ptr<RecentLabels> recent_labels_;
  InlineExecutor executor_;
  std::unique_ptr<LongWorkTable> long_work_;
  std::optional<IntakeEnvironment> environment_;
  std::unique_ptr<EffectRunner> effects_;
  std::unique_ptr<SubjectWork> work_;
  std::unique_ptr<Pipeline> pipeline_;
  int64_t decision_ids_ = 0;
  int64_t delivery_ids_ = 0;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_INTAKE_WORLD_H_
