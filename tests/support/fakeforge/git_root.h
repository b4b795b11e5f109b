// Real repositories behind the fake forge: DIR/OWNER/REPO.git, served by git's own server, and read for what a pull
// request changes.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_GIT_ROOT_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_GIT_ROOT_H_

#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/fakeforge/message.h"

namespace yardmaster::fakeforge {

// Thread-safe; starts programs, but none to say again what it said of the same commits.
class GitRoot {
 public:
  // Where requests for the repositories begin.
  static constexpr std::string_view kPath = "/git/";

  explicit GitRoot(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The commit that a branch or another revision names; empty if there is none.
  std::string Resolve(const std::string& repository, const std::string& revision) const;
  // Points `ref` at what `revision` of the repository `from` names, whose commits are copied if it is another one.
  // Returns the commit; empty if there is none.
  std::string Publish(const std::string& repository, const std::string& ref, const std::string& from,
                      const std::string& revision) const;
  // What lies between the merge base of two commits and the second, as …/files answers. nullopt if git can't tell.
  std::optional<nlohmann::json> ChangedFiles(const std::string& repository, const std::string& base,
                                             const std::string& head) const;
  // What the second commit has and the first has not, oldest first, as …/commits answers.
  std::vector<nlohmann::json> CommitsBetween(const std::string& repository, const std::string& base,
                                             const std::string& head) const;
  // A request below kPath.
  Answer Serve(const Request& request) const;

 private:
  // What `git -C REPOSITORY ARGUMENTS` prints; nullopt if it fails.
  std::optional<std::string> Git(const std::string& repository, std::vector<std::string> arguments) const;
  // The same of two commits, which never say anything else.
  std::optional<std::string> GitOfCommits(const std::string& repository, std::vector<std::string> arguments) const;
  std::string PathOf(const std::string& repository) const { return (folder_ / (repository + ".git")).string(); }

  const std::filesystem::path folder_;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<std::string>, std::string> said_;                  // by repository and arguments
  mutable std::map<std::pair<std::string, std::string>, std::string> published_;  // by repository and ref
};

// Files as …/files answers, of what `git diff` prints.
nlohmann::json FilesOfDiff(const std::string& diff);

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_GIT_ROOT_H_
