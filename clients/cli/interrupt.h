// SIGINT, SIGTERM and SIGHUP: exit code 130, with nothing half-written left behind.
#ifndef YARDMASTER_CLIENTS_CLI_INTERRUPT_H_
#define YARDMASTER_CLIENTS_CLI_INTERRUPT_H_

#include <csignal>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace yardmaster::cli {

// Made first thing in main, before any other thread: threads inherit the blocked signals, and one thread here waits for
// them. On a signal the temporary files are removed and the process ends, unless a callback is set. Signals that the
// parent ignores (nohup) stay ignored.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Names a file to remove, or takes the name back.
  void RemoveOnInterrupt(const std::string& path);
  void Forget(const std::string& path);

  // From here on each signal calls `callback`, on the thread that waits for them, and the process goes on: for work
  // that must end in order, such as programs that were started. Null takes it back; then no call is under way any more.
  void CallInstead(std::function<void()> callback);

 private:
  void Wait();

  sigset_t signals_;
  std::mutex mutex_;
  std::set<std::string> files_;
  std::function<void()> callback_;
  std::thread thread_;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_INTERRUPT_H_
