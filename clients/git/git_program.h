// The installed git, for what libgit2 can't do: hooks, signatures, ssh, credential helpers. By a list of arguments,
// never through a shell; without the variables that point git elsewhere; it asks nobody anything.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_PROGRAM_H_
#define YARDMASTER_CLIENTS_GIT_GIT_PROGRAM_H_

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace yardmaster {

struct GitOutput {
  int code = 0;
  std::string out;
  std::string err;
};

class GitProgram {
 public:
  virtual ~GitProgram() = default;

  // Runs `git ARGUMENTS` to its end. `variables` ("NAME=value") come on top of a clean environment. An exit code other
  // than 0 is no error. FAILED_PRECONDITION: there is no git; DEADLINE_EXCEEDED: it took too long and was ended.
  // `input`: what git reads from its standard input.
  virtual absl::StatusOr<GitOutput> Run(const std::vector<std::string>& arguments,
                                        const std::vector<std::string>& variables, const std::string& input) = 0;
  absl::StatusOr<GitOutput> Run(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& variables = {}) {
    return Run(arguments, variables, "");
  }

  // The same where anything but exit code 0 is an error: FAILED_PRECONDITION with what git said. Its output, without
  // the last line end.
  absl::StatusOr<std::string> Text(const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& variables = {});
};

// `directory`: a clone or a folder within one. `variable`: a variable of our environment, empty if it is not set; what
// git, ssh and signing need is handed on.
std::unique_ptr<GitProgram> MakeGitProgram(const std::filesystem::path& directory,
                                           const std::function<std::string(const char*)>& variable,
                                           std::chrono::milliseconds timeout);

// What git said on stderr, in one line and without its hints.
std::string GitComplaint(const std::string& said);

// What git prints with -z, split.
std::vector<std::string> SplitAtNul(const std::string& text);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_PROGRAM_H_
