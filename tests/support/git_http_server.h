// A real git server on loopback: Debian's `git http-backend` behind a small HTTP server, and repositories to put there.
#ifndef YARDMASTER_TESTS_SUPPORT_GIT_HTTP_SERVER_H_
#define YARDMASTER_TESTS_SUPPORT_GIT_HTTP_SERVER_H_

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/git_programs.h"
#include "tests/support/local_http_server.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::testing {

class GitHttpServer {
 public:
  GitHttpServer() : server_([this](LocalHttpServer::Connection& connection) { Serve(connection); }) {}

  // A repository "owner/name" whose work tree `Commit` fills. Git's own configuration comes on top ("key value").
  void Create(const std::string& repository, const std::vector<std::string>& config = {}) {
    Shell("git init -q --bare " + BarePath(repository) + " && git init -q -b main " + WorkPath(repository));
    for (const std::string& entry : config) Shell("git -C " + BarePath(repository) + " config " + entry);
  }
  // The work tree, for a test to write to.
  std::filesystem::path Work(const std::string& repository) const { return WorkPath(repository); }
  // Commits what is there and pushes it; the commit's name.
  std::string Commit(const std::string& repository) {
    const std::string work = WorkPath(repository);
    return Shell("cd " + work + " && git add -A && git commit -q --allow-empty -m x && git push -q " +
                 BarePath(repository) + " HEAD:main && git rev-parse HEAD");
  }
  // The first line that a command prints; it runs apart from the settings of this machine.
  std::string Shell(const std::string& command) const {
    Process process({"sh", "-c", command}, GitEnvironment(folder_.path()));
    if (process.Wait(std::chrono::seconds(60)).value_or(-1) != 0) throw std::runtime_error(process.Stderr());
    std::string line = process.Stdout();
    return line.substr(0, line.find('\n'));
  }

  std::string url() const { return server_.url(); }
  // "Basic …", without which nothing is served.
  void Want(const std::string& authorization) {
    const std::lock_guard<std::mutex> lock(mutex_);
    wanted_ = authorization;
  }
  // First lines of all requests.
  std::vector<std::string> requests() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return requests_;
  }
  // Bytes of the longest answer.
  size_t longest() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return longest_;
  }

 private:
  std::string BarePath(const std::string& repository) const {
    return (folder_.path() / "served" / (repository + ".git")).string();
  }
  std::string WorkPath(const std::string& repository) const { return (folder_.path() / "work" / repository).string(); }
  static std::string Header(const std::string& request, const std::string& name) {
    const size_t at = request.find("\r\n" + name + ": ");
    if (at == std::string::npos || at > request.find("\r\n\r\n")) return "";
    const size_t begin = at + name.size() + 4;
    return request.substr(begin, request.find("\r\n", begin) - begin);
  }

  void Serve(LocalHttpServer::Connection& connection) {
    for (std::string request = connection.ReadRequest(); !request.empty(); request = connection.ReadRequest()) {
      const std::string line = request.substr(0, request.find("\r\n"));
      const std::string method = line.substr(0, line.find(' '));
      const std::string target = line.substr(method.size() + 1, line.rfind(' ') - method.size() - 1);
      const std::string path = target.substr(0, target.find('?'));
      const size_t query = target.find('?');
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        requests_.push_back(line);
        if (!wanted_.empty() && Header(request, "Authorization") != wanted_) {
          connection.Answer(401, "", "WWW-Authenticate: Basic realm=\"git\"\r\n");
          continue;
        }
      }
      const GitAnswer answer =
          ServeGit(folder_.path() / "served", {.method = method,
                                               .path = path,
                                               .query = query == std::string::npos ? "" : target.substr(query + 1),
                                               .content_type = Header(request, "Content-Type"),
                                               .content_encoding = Header(request, "Content-Encoding"),
                                               .protocol = Header(request, "Git-Protocol"),
                                               .body = request.substr(request.find("\r\n\r\n") + 4)});
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        longest_ = std::max(longest_, answer.bytes);
      }
      connection.Answer(answer.status, answer.body, "Content-Type: " + answer.content_type + "\r\n");
    }
  }

  const TempDir folder_;
  mutable std::mutex mutex_;
  std::string wanted_;
  std::vector<std::string> requests_;
  size_t longest_ = 0;
  LocalHttpServer server_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_GIT_HTTP_SERVER_H_
