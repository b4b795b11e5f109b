// `yard`: wiring only.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "clients/cli/app.h"
#include "clients/cli/environment.h"
#include "clients/cli/interrupt.h"

int main(int argc, char** argv) {
  namespace cli = yardmaster::cli;
  std::ios::sync_with_stdio(false);
  // Before any other thread.
  cli::Interrupts interrupts;

  cli::Environment env;
  env.in = &std::cin;
  env.out = &std::cout;
  env.err = &std::cerr;
  env.in_is_terminal = isatty(STDIN_FILENO) != 0;
  env.out_is_terminal = isatty(STDOUT_FILENO) != 0;
  env.err_is_terminal = isatty(STDERR_FILENO) != 0;
  winsize size{};
  if (env.out_is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) env.columns = size.ws_col;
  env.variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  std::error_code ignored;
  env.executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  env.interrupts = &interrupts;
  static auto* const kKept = new std::vector<std::shared_ptr<const void>>();
  env.kept = kKept;

  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const cli::ExitCode code = cli::RunYard(arguments, env);
  std::cout.flush();
  // An answer that did not arrive is no answer.
  if (!std::cout.good()) {
    std::cerr << "yard: writing to stdout failed\n";
    return static_cast<int>(cli::ExitCode::kSystem);
  }
  return static_cast<int>(code);
}
