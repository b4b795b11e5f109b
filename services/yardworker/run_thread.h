// A run with a thread of its own: fetching a tree, hashing artifacts and sending them take their time, and the worker
// must go on reporting meanwhile.
#ifndef YARDMASTER_SERVICES_YARDWORKER_RUN_THREAD_H_
#define YARDMASTER_SERVICES_YARDWORKER_RUN_THREAD_H_

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "services/yardworker/control_plane.h"
#include "services/yardworker/local_run.h"

namespace yardmaster::yardworker {

// What the rest of the worker sees of a run.
struct RunView {
  v1::WorkerRun::Phase phase = v1::WorkerRun::PHASE_PREPARING;
  bool over = false;
  std::optional<bool> failed_by_infrastructure;
  std::map<std::string, std::string> faults;
  v1::RunProgress progress;  // how far it is
};

class RunThread {
 public:
  // `control` and `supervisor` must outlive it. `say` is told what can't be done now; it is called by the thread.
  RunThread(LocalRun run, ControlPlane& control, const SupervisorCommand& supervisor,
            std::function<void(std::string_view)> say);
  // Returns after the piece of work in hand, at most some seconds; the run itself goes on.
  ~RunThread();
  RunThread(const RunThread&) = delete;
  RunThread& operator=(const RunThread&) = delete;

  const v1::RunOrder& order() const { return order_; }
  RunView view() const;
  // As LocalRun's functions of these names.
  void Cancel();
  void Disown();
  void GiveBack(std::string why);
  void FaultsAreKnown();

 private:
  // Runs in the thread, between two pieces of work.
  void Post(std::function<void(LocalRun&)> wish);
  void Loop(LocalRun run);

  const v1::RunOrder order_;
  ControlPlane& control_;
  const SupervisorCommand& supervisor_;
  const std::function<void(std::string_view)> say_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<std::function<void(LocalRun&)>> wishes_;
  RunView view_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_RUN_THREAD_H_
