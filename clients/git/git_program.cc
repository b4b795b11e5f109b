#include "clients/git/git_program.h"

#include <array>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/worker/process/capture.h"

namespace yardmaster {
namespace {

constexpr size_t kMaxOutputBytes = 64 * 1024 * 1024;
constexpr size_t kMaxComplaintBytes = 1'000;

// What of the environment is handed on: who one is, and how one connects and signs. Not GIT_DIR, GIT_INDEX_FILE,
// GIT_WORK_TREE and the like, which would point git elsewhere.
constexpr std::array kHandedOn = {"PATH",
                                  "HOME",
                                  "USER",
                                  "LOGNAME",
                                  "EMAIL",
                                  "TMPDIR",
                                  "VIRTUAL_ENV",
                                  "XDG_CONFIG_HOME",
                                  "XDG_RUNTIME_DIR",
                                  "SSH_AUTH_SOCK",
                                  "SSH_AGENT_PID",
                                  "GNUPGHOME",
                                  "GPG_TTY",
                                  "GIT_SSH",
                                  "GIT_SSH_COMMAND",
                                  "GIT_SSL_CAINFO",
                                  "GIT_SSL_CAPATH",
                                  "SSL_CERT_FILE",
                                  "SSL_CERT_DIR",
                                  "http_proxy",
                                  "https_proxy",
                                  "HTTPS_PROXY",
                                  "all_proxy",
                                  "ALL_PROXY",
                                  "no_proxy",
                                  "NO_PROXY",
                                  "GIT_CONFIG_GLOBAL",
                                  "GIT_CONFIG_SYSTEM",
                                  "GIT_CONFIG_NOSYSTEM",
                                  "GIT_AUTHOR_NAME",
                                  "GIT_AUTHOR_EMAIL",
                                  "GIT_COMMITTER_NAME",
                                  "GIT_COMMITTER_EMAIL"};

class InstalledGit final : public GitProgram {
 public:
  InstalledGit(std::filesystem::path directory, const std::function<std::string(const char*)>& variable,
               std::chrono::milliseconds timeout)
      : directory_(std::move(directory)), timeout_(timeout), processes_(worker::MakeProcessStarter()) {
    for (const char* name : kHandedOn) {
      if (std::string value = variable(name); !value.empty()) environment_.push_back(absl::StrCat(name, "=", value));
    }
    // Messages in English, since some are read; no questions, no editor, no pager; nothing is written by the way.
    for (const char* fixed :
         {"LC_ALL=C.UTF-8", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=:", "GIT_PAGER=cat", "GIT_OPTIONAL_LOCKS=0"}) {
      environment_.emplace_back(fixed);
    }
  }

  using GitProgram::Run;
  absl::StatusOr<GitOutput> Run(const std::vector<std::string>& arguments, const std::vector<std::string>& variables,
                                const std::string& input) override {
    worker::ProcessSpec spec;
    // Nothing goes on in the background once it has ended.
    spec.argv = {"git", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.fsmonitor=false"};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    spec.environment = environment_;
    spec.environment.insert(spec.environment.end(), variables.begin(), variables.end());
    spec.directory = directory_;
    spec.input = input;
    absl::StatusOr<worker::Captured> captured =
        worker::Capture(*processes_, std::move(spec), timeout_, kMaxOutputBytes);
    if (!captured.ok()) return errors::GitProgramUnusable(arguments.front(), std::string(captured.status().message()));
    return GitOutput{captured->code, std::move(captured->out), std::move(captured->err)};
  }

 private:
  const std::filesystem::path directory_;
  const std::chrono::milliseconds timeout_;
  std::vector<std::string> environment_;
  const std::unique_ptr<worker::ProcessStarter> processes_;
};

}  // namespace

absl::StatusOr<std::string> GitProgram::Text(const std::vector<std::string>& arguments,
                                             const std::vector<std::string>& variables) {
  ASSIGN_OR_RETURN(GitOutput output, Run(arguments, variables));
  if (output.code != 0) return errors::GitProgramFailed(arguments.front(), GitComplaint(output.err));
  return std::string(absl::StripSuffix(output.out, "\n"));
}

std::unique_ptr<GitProgram> MakeGitProgram(const std::filesystem::path& directory,
                                           const std::function<std::string(const char*)>& variable,
                                           std::chrono::milliseconds timeout) {
  return std::make_unique<InstalledGit>(directory, variable, timeout);
}

std::string GitComplaint(const std::string& said) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(said, '\n', absl::SkipWhitespace())) {
    if (!absl::StartsWith(line, "hint:")) lines.emplace_back(line);
  }
  return absl::StrJoin(lines, "; ").substr(0, kMaxComplaintBytes);
}

std::vector<std::string> SplitAtNul(const std::string& text) {
  return absl::StrSplit(absl::StripSuffix(text, std::string(1, '\0')), '\0', absl::SkipEmpty());
}

}  // namespace yardmaster
