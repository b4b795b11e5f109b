// A git repository in a folder of its own, filled by Debian's git apart from the settings of this machine.
#ifndef YARDMASTER_TESTS_SUPPORT_GIT_WORK_H_
#define YARDMASTER_TESTS_SUPPORT_GIT_WORK_H_

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::testing {

class GitWork {
 public:
  GitWork() {
    std::filesystem::create_directory(path());
    Git("init -q -b main");
  }

  // The work tree; beside it is room for clones.
  std::filesystem::path path() const { return folder_.path() / "work"; }
  std::filesystem::path Beside(const std::string& name) const { return folder_.path() / name; }

  void Write(const std::string& name, std::string_view content) const { folder_.Write("work/" + name, content); }
  // What git prints, without the last line end.
  std::string Git(const std::string& arguments) const { return Shell("git " + arguments); }
  std::string Shell(const std::string& command) const {
    Process process({"sh", "-c", "cd " + path().string() + " && " + command},
                    {"HOME=" + folder_.path().string(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
                     "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Ann",
                     "GIT_COMMITTER_EMAIL=ann@example.com"});
    if (process.Wait(std::chrono::seconds(60)).value_or(-1) != 0) {
      throw std::runtime_error(command + ": " + process.Stderr());
    }
    std::string text = process.Stdout();
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }
  // Commits what is there; the commit's id.
  std::string Commit(const std::string& message = "x") const {
    Git("add -A");
    Git("commit -q --allow-empty -m '" + message + "'");
    return Git("rev-parse HEAD");
  }

 private:
  const TempDir folder_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_GIT_WORK_H_
