#include "clients/cli/text_preview.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/terminal.h"
#include "clients/git/git_program.h"
#include "services/core/files.h"
#include "services/core/status_macros.h"
#include "services/core/temp_folder.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxEditedBytes = 1024 * 1024;
constexpr std::chrono::seconds kEditorNameLimit{10};

// Runs the user's editor on a file, on the terminal that we have. As git does, by a shell: what names an editor may
// have options.
absl::Status RunEditor(const std::string& editor, const fs::path& file) {
  const std::string command = absl::StrCat(editor, " \"$@\"");
  std::array<const char*, 6> arguments = {"sh", "-c", command.c_str(), editor.c_str(), file.c_str(), nullptr};
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const absl::Cleanup destroy = [&attributes] { posix_spawnattr_destroy(&attributes); };
  // Signals are blocked here, for a thread that waits for them.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, "sh", nullptr, &attributes, const_cast<char* const*>(arguments.data()), environ);
  if (error != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the editor can't be started: ", std::generic_category().message(error)));
  }
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the editor ", editor, " has failed"));
}

// As git chooses it. It is not asked for it: where we start git, it has an editor that does nothing.
absl::StatusOr<std::string> EditorOf(const fs::path& repo, const Session& session) {
  if (std::string editor = session.env.variable("GIT_EDITOR"); !editor.empty()) return editor;
  const std::unique_ptr<GitProgram> git = MakeGitProgram(repo, session.env.variable, kEditorNameLimit);
  ASSIGN_OR_RETURN(const GitOutput configured, git->Run({"config", "--get", "core.editor"}));
  if (configured.code == 0) return std::string(absl::StripAsciiWhitespace(configured.out));
  for (const char* name : {"VISUAL", "EDITOR"}) {
    if (std::string editor = session.env.variable(name); !editor.empty()) return editor;
  }
  return std::string("vi");
}

absl::StatusOr<std::string> Edited(const std::string& text, const fs::path& repo, const Session& session) {
  ASSIGN_OR_RETURN(const std::string editor, EditorOf(repo, session));
  ASSIGN_OR_RETURN(const std::unique_ptr<TempFolder> folder, TempFolder::Make("yard-edit"));
  const fs::path file = folder->path() / "TEXT.md";
  RETURN_IF_ERROR(WriteFileAtomically(file, text));
  RETURN_IF_ERROR(RunEditor(editor, file));
  return ReadSmallFile(file, kMaxEditedBytes);
}

}  // namespace

bool CanAsk(const Session& session) {
  return session.env.in_is_terminal && session.env.err_is_terminal && !session.options.json && !session.output.quiet();
}

workflow::Preview TerminalPreview(Session& session, const fs::path& repo) {
  if (!CanAsk(session)) return nullptr;
  return
      [&session, repo](const std::string& made, const std::vector<std::string>& lacks) -> absl::StatusOr<std::string> {
        std::string text = made;
        std::ostream& err = *session.env.err;
        while (true) {
          err << "\n" << PrintableLines(text) << "\n";
          for (const std::string& one : lacks) err << "\n  note: " << PrintableLines(one);
          err << "\nUse it? [Enter: yes, e: edit, c: cancel] " << std::flush;
          std::string answer;
          if (!std::getline(*session.env.in, answer)) answer = "c";
          answer = absl::AsciiStrToLower(absl::StripAsciiWhitespace(answer));
          if (answer.empty() || answer == "y" || answer == "yes") return text;
          if (answer == "c" || answer == "n") return absl::CancelledError("cancelled at the preview");
          if (answer != "e") continue;
          absl::StatusOr<std::string> edited = Edited(text, repo, session);
          if (edited.ok()) {
            text = *std::move(edited);
          } else {
            session.output.Error(edited.status().message());
          }
        }
      };
}

}  // namespace yardmaster::cli
