#include "tests/support/fakeforge/git_root.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/git_programs.h"

namespace yardmaster::fakeforge {
namespace {

using nlohmann::json;
using yardmaster::testing::GitAnswer;
using yardmaster::testing::GitEnvironment;
using yardmaster::testing::Process;
using yardmaster::testing::ServeGit;

// "prefix…" → "…".
bool TakePrefix(const std::string& line, std::string_view prefix, std::string& rest) {
  if (!line.starts_with(prefix)) return false;
  rest = line.substr(prefix.size());
  return true;
}

// A path as `---` and `+++` have it: with "a/" or "b/", and a tab behind it where it has blanks.
std::string PathIn(const std::string& text) { return text.substr(2, text.find('\t') - 2); }

// A line in front of the hunks.
void ReadHead(const std::string& line, json& file) {
  std::string rest;
  if (line.starts_with("new file mode")) file["status"] = "added";
  if (line.starts_with("deleted file mode")) file["status"] = "removed";
  if (TakePrefix(line, "rename from ", rest)) {
    file["status"] = "renamed";
    file["previous_filename"] = rest;
  }
  if (TakePrefix(line, "rename to ", rest)) file["filename"] = rest;
  if (TakePrefix(line, "--- a/", rest)) file["filename"] = PathIn("a/" + rest);
  if (TakePrefix(line, "+++ b/", rest)) file["filename"] = PathIn("b/" + rest);
}

// "a/PATH b/PATH": of files that have no lines that changed, and so the same path twice.
std::string PathOfBoth(const std::string& text) { return text.substr(2, (text.size() - 1) / 2 - 2); }

}  // namespace

json FilesOfDiff(const std::string& diff) {
  json files = json::array();
  std::istringstream in(diff);
  bool in_hunks = false;
  std::string patch;
  const auto finish = [&] {
    if (!files.empty() && !patch.empty()) {
      patch.pop_back();
      files.back()["patch"] = patch;
    }
    patch.clear();
    in_hunks = false;
  };
  for (std::string line; std::getline(in, line);) {
    std::string both;
    if (TakePrefix(line, "diff --git ", both)) {
      finish();
      files.push_back({{"filename", PathOfBoth(both)}, {"status", "modified"}, {"additions", 0}, {"deletions", 0}});
      continue;
    }
    if (files.empty()) continue;
    in_hunks = in_hunks || line.starts_with("@@");
    if (!in_hunks) {
      ReadHead(line, files.back());
      continue;
    }
    patch += line + "\n";
    json& file = files.back();
    const char* const count = line.starts_with('+') ? "additions" : line.starts_with('-') ? "deletions" : nullptr;
    if (count != nullptr) file[count] = file[count].get<int>() + 1;
  }
  finish();
  return files;
}

std::optional<std::string> GitRoot::Git(const std::string& repository, std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"git", "-C", PathOf(repository)});
  Process process(arguments, GitEnvironment(folder_), /*inherit=*/false);
  if (process.Wait(std::chrono::seconds(60)).value_or(-1) != 0) return std::nullopt;
  return process.Stdout();
}

std::optional<std::string> GitRoot::GitOfCommits(const std::string& repository,
                                                 std::vector<std::string> arguments) const {
  std::vector<std::string> key = arguments;
  key.push_back(repository);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto known = said_.find(key); known != said_.end()) return known->second;
  }
  std::optional<std::string> out = Git(repository, std::move(arguments));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (out.has_value()) said_.emplace(std::move(key), *out);
  return out;
}

std::string GitRoot::Resolve(const std::string& repository, const std::string& revision) const {
  // A branch that git has in a file of its own, as it is after each push.
  if (revision.find("..") == std::string::npos) {
    std::string commit;
    std::ifstream(std::filesystem::path(PathOf(repository)) / "refs" / "heads" / revision) >> commit;
    if (commit.size() == 40 && commit.find_first_not_of("0123456789abcdef") == std::string::npos) return commit;
  }
  const auto name = Git(repository, {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  return name.has_value() ? name->substr(0, name->find('\n')) : std::string();
}

std::string GitRoot::Publish(const std::string& repository, const std::string& ref, const std::string& from,
                             const std::string& revision) const {
  std::string commit = Resolve(from, revision);
  if (commit.empty()) return {};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = published_.find({repository, ref});
    if (known != published_.end() && known->second == commit) return commit;
  }
  if (from != repository && !Git(repository, {"fetch", "--quiet", PathOf(from), revision}).has_value()) return {};
  if (!Git(repository, {"update-ref", ref, commit}).has_value()) return {};
  const std::lock_guard<std::mutex> lock(mutex_);
  return published_[{repository, ref}] = commit;
}

std::optional<json> GitRoot::ChangedFiles(const std::string& repository, const std::string& base,
                                          const std::string& head) const {
  const auto diff = GitOfCommits(repository, {"diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M", "-U3",
                                              "--src-prefix=a/", "--dst-prefix=b/", base + "..." + head});
  if (!diff.has_value()) return std::nullopt;
  return FilesOfDiff(*diff);
}

std::vector<json> GitRoot::CommitsBetween(const std::string& repository, const std::string& base,
                                          const std::string& head) const {
  std::vector<json> commits;
  const auto log = GitOfCommits(repository, {"log", "--reverse", "-z", "--format=%H%n%cI%n%B", base + ".." + head});
  std::string rest = log.value_or("");
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    const std::string one = rest.substr(0, end);
    rest = rest.substr(std::min(end + 1, rest.size()));
    const size_t date = one.find('\n') + 1;
    const size_t message = one.find('\n', date) + 1;
    const json made = {{"date", one.substr(date, message - date - 1)}};
    commits.push_back({{"sha", one.substr(0, date - 1)},
                       {"commit", {{"message", one.substr(message)}, {"author", made}, {"committer", made}}}});
  }
  return commits;
}

Answer GitRoot::Serve(const Request& request) const {
  const GitAnswer served = ServeGit(folder_, {.method = request.method,
                                              .path = std::string(request.path().substr(kPath.size() - 1)),
                                              .query = std::string(request.query()),
                                              .content_type = std::string(request.Header("Content-Type")),
                                              .content_encoding = std::string(request.Header("Content-Encoding")),
                                              .protocol = std::string(request.Header("Git-Protocol")),
                                              .body = request.body});
  return {.status = served.status,
          .content_type = served.content_type.empty() ? "text/plain" : served.content_type,
          .body = served.body,
          .headers = {{"Cache-Control", "no-cache"}}};
}

}  // namespace yardmaster::fakeforge
