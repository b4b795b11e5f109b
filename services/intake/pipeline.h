// The pipe: takes deliveries from the inbox, makes events of them, and works on each subject's events one after the
// other, on different subjects at once. It has no threads of its own: whoever calls RunOne does the work, so that a
// test drives the whole pipe in one thread on a clock of its own. pipeline_threads.h is what the daemon uses.
#ifndef YARDMASTER_SERVICES_INTAKE_PIPELINE_H_
#define YARDMASTER_SERVICES_INTAKE_PIPELINE_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "services/core/config/config.h"
#include "services/intake/backoff.h"
#include "services/intake/request.h"
#include "services/intake/subject_work.h"

namespace yardmaster {

struct PipelineOptions {
  // Deliveries taken from the inbox and not finished: those that wait for a limit of a forge are among them.
  size_t window = 2'000;
  // Deliveries taken at once.
  int64_t claim = 64;
  // What was being computed on when the daemon died is left until so long after the start. A daemon that is killed over
  // and over, for whatever reason, then dies while the suspect waits, which is held against nobody; and if the suspect
  // is guilty, the others get done between two deaths.
  std::chrono::milliseconds suspect_wait{2'000};
  BackoffPolicy backoff;
  // For jitter; the same seed gives the same waits.
  uint64_t seed = 0;
};

// References outlive the pipeline.
struct PipelineEnvironment {
  const Config& config;
  store::Inbox& inbox;
  store::Subjects& subjects;
  SubjectWork& work;
  CrashMarks& marks;
  const Clock& clock;
  Logger& logger;
  std::map<std::string, ForgeSide*, std::less<>> forges;
  // In order: the first that handles a subject under its pack and wants the event.
  std::vector<std::shared_ptr<const Planner>> planners;
  std::function<std::shared_ptr<const rules::CompiledPack>(std::string_view name)> find_pack;
  // Reads commands out of what people write, before and beside the planners; null: nobody does.
  std::shared_ptr<const CommandPlanner> command_planner = nullptr;
  // Told of pushes; may be null.
  RecentFiles* recent_files = nullptr;
};

// Thread-safe.
class Pipeline {
 public:
  Pipeline(PipelineEnvironment environment, PipelineOptions options);

  // Sets deliveries aside that ended the daemon too often, and notes the time of the start. Before the first RunOne.
  absl::Status Start();

  // Does one piece of work in the calling thread; false if there is none to do now.
  bool RunOne();
  // When there may be work again without anything new coming in; nullopt if only the inbox can bring some.
  std::optional<store::TimePoint> NextDue();

  // Deliveries taken and not finished.
  size_t in_flight() const;

 private:
  // Events of one subject, in the order in which they were routed.
  struct Queue {
    std::deque<WorkItem> items;
    bool busy = false;
    store::TimePoint not_before{};
  };

  bool RouteNext();
  bool WorkNext();
  bool ClaimMore();
  void RouteOne(const store::Delivery& delivery);
  // What becomes of a routed event: settled here, or queued.
  void Accept(const store::Delivery& delivery, RouteResult result, const SubjectRequest* request);
  // What a pack makes of an event; nullopt if it is not in service.
  std::optional<PackRoute> RouteUnder(const std::string& pack, const store::Delivery& delivery,
                                      const RoutedEvent& routed, const SubjectRequest* request, bool unchanged,
                                      const std::optional<std::vector<std::string>>& seen_labels) const;
  // Whether the event's text holds commands for us that a person gives.
  bool HasCommands(const store::Delivery& delivery, const v1::Event& event, const rules::CompiledPack& pack) const;
  void NoteLabels(const RoutedEvent& routed, const std::optional<store::KnownSubject>& seen);
  void Enqueue(WorkItem item);
  void Ignore(const store::Delivery& delivery, const RouteResult& result, std::string_view word,
              std::string_view detail = {});
  void SettleRouted(store::Settlement settlement, std::string forge);
  void HandleResult(const std::string& key, const WorkItem& item, const WorkResult& result);
  void Leave(int64_t delivery);
  void Log(const WorkItem& item, const WorkResult& result);

  const PipelineEnvironment env_;
  const PipelineOptions options_;

  mutable std::mutex mutex_;  // guards what follows
  std::deque<store::Delivery> to_route_;
  std::deque<store::Delivery> suspects_;  // taken, but left until suspects_from_
  store::TimePoint suspects_from_{};
  std::map<std::string, Queue> queues_;
  std::set<std::pair<store::TimePoint, std::string>> ready_;  // queues that are not busy, by when they may go on
  size_t in_flight_ = 0;
  store::TimePoint claim_not_before_{};  // after trouble with the store
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PIPELINE_H_
