// Child processes for tests: started with their output in files, waited for with a time-out, never left behind.
#ifndef YARDMASTER_TESTS_SUPPORT_PROCESS_H_
#define YARDMASTER_TESTS_SUPPORT_PROCESS_H_

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/temp_dir.h"

extern "C" char** environ;

namespace yardmaster::testing {

class Process {
 public:
  // Starts `arguments[0]` (found in PATH unless it has a slash) with this process's environment, unless `inherit` is
  // false, and on top `environment` ("NAME=value").
  explicit Process(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {},
                   bool inherit = true) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, stdout_file().c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, stderr_file().c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    // The child starts without what the test runner blocks or ignores.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);

    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> envp;
    envp.reserve(environment.size() + 64);
    for (const std::string& entry : environment) envp.push_back(const_cast<char*>(entry.c_str()));
    // Of two entries with one name some readers take the first and others, as the loader of programs, the last.
    for (char** entry = environ; inherit && *entry != nullptr; ++entry) {
      const std::string_view name(*entry, std::strcspn(*entry, "=") + 1);
      const bool given = std::any_of(environment.begin(), environment.end(),
                                     [&](const std::string& other) { return other.starts_with(name); });
      if (!given) envp.push_back(*entry);
    }
    envp.push_back(nullptr);
    if (posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), envp.data()) != 0) pid_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  ~Process() {
    if (running()) {
      ::kill(pid_, SIGKILL);
      Wait(std::chrono::seconds(10));
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  // Started, and its end not seen yet.
  bool running() const { return pid_ > 0 && !exit_code_.has_value(); }
  void Signal(int number) const {
    if (running()) ::kill(pid_, number);
  }

  // The exit code; 128 + N after the signal N; nullopt if it still runs after `timeout` or never started.
  std::optional<int> Wait(std::chrono::milliseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (running()) {
      int status = 0;
      const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
      if (ended == pid_) {
        exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        break;
      }
      if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return exit_code_;
  }

  std::string Stdout() const { return ReadWholeFile(stdout_file()); }
  std::string Stderr() const { return ReadWholeFile(stderr_file()); }

  // Memory in KiB that is resident and its own; 0 if unknown. Pages of programs and libraries are shared, and how many
  // are here is a matter of what the machine had read before.
  size_t OwnKib() const {
    static constexpr std::string_view kField = "RssAnon:";
    const std::string status = ReadWholeFile("/proc/" + std::to_string(pid_) + "/status");
    const size_t at = status.find(kField);
    return at == std::string::npos ? 0 : std::stoul(status.substr(at + kField.size()));
  }

 private:
  std::string stdout_file() const { return (folder_.path() / "stdout").string(); }
  std::string stderr_file() const { return (folder_.path() / "stderr").string(); }

  TempDir folder_;
  pid_t pid_ = -1;
  std::optional<int> exit_code_;
};

// A daemon on free ports of loopback, ready.
class Daemon {
 public:
  // `arguments` come after the program and the options that ports and the ready file need.
  explicit Daemon(const std::string& program, const std::vector<std::string>& arguments = {},
                  const std::vector<std::string>& environment = {})
      : ready_file_((folder_.path() / "ready.json").string()),
        process_(Command(program, ready_file_, arguments), environment) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (process_.running() && std::chrono::steady_clock::now() < deadline) {
      if (std::filesystem::exists(ready_file_)) {
        const nlohmann::json ready =
            nlohmann::json::parse(ReadWholeFile(ready_file_), nullptr, /*allow_exceptions=*/false);
        http_ = ready.value("http", "");
        grpc_ = ready.value("grpc", "");
        ready_pid_ = ready.value("pid", 0);
        return;
      }
      process_.Wait(std::chrono::milliseconds(2));
    }
  }

  // False: it ended, or was not ready within a minute.
  bool ready() const { return ready_pid_ != 0; }
  const std::string& http() const { return http_; }  // "127.0.0.1:41234"
  const std::string& grpc() const { return grpc_; }
  int ready_pid() const { return ready_pid_; }
  const std::string& ready_file() const { return ready_file_; }
  Process& process() { return process_; }

 private:
  static std::vector<std::string> Command(const std::string& program, const std::string& ready_file,
                                          const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {program,       "--listen-http", "127.0.0.1:0", "--listen-grpc",
                                        "127.0.0.1:0", "--ready-file",  ready_file};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
  }

  TempDir folder_;
  std::string ready_file_;
  Process process_;
  std::string http_;
  std::string grpc_;
  int ready_pid_ = 0;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_PROCESS_H_
