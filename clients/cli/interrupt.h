// SIGINT: exit code 130, with nothing half-written left behind.
#ifndef YARDMASTER_CLIENTS_CLI_INTERRUPT_H_
#define YARDMASTER_CLIENTS_CLI_INTERRUPT_H_

#include <csignal>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace yardmaster::cli {

// Made first thing in main, before any other thread: threads inherit the blocked signal, and one thread here waits for
// it. When it comes, the temporary files are removed and the process ends.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Names a file to remove, or takes the name back.
  void RemoveOnInterrupt(const std::string& path);
  void Forget(const std::string& path);

 private:
  void Wait();

  sigset_t signals_;
  std::mutex mutex_;
  std::set<std::string> files_;
  std::thread thread_;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_INTERRUPT_H_
