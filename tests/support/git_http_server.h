// A real git server on loopback: Debian's `git http-backend` behind a small HTTP server, and repositories to put there.
#ifndef YARDMASTER_TESTS_SUPPORT_GIT_HTTP_SERVER_H_
#define YARDMASTER_TESTS_SUPPORT_GIT_HTTP_SERVER_H_

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

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
    Process process({"sh", "-c", command}, Environment());
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
  std::vector<std::string> Environment() const {
    return {"HOME=" + folder_.path().string(), "GIT_CONFIG_GLOBAL=/dev/null",
            "GIT_CONFIG_NOSYSTEM=1",           "GIT_CONFIG_COUNT=2",
            "GIT_CONFIG_KEY_0=user.name",      "GIT_CONFIG_VALUE_0=t",
            "GIT_CONFIG_KEY_1=user.email",     "GIT_CONFIG_VALUE_1=t@example.com"};
  }
  static std::string Header(const std::string& request, const std::string& name) {
    const size_t at = request.find("\r\n" + name + ": ");
    if (at == std::string::npos || at > request.find("\r\n\r\n")) return "";
    const size_t begin = at + name.size() + 4;
    return request.substr(begin, request.find("\r\n", begin) - begin);
  }

  void Serve(LocalHttpServer::Connection& connection) {
    for (std::string request = connection.ReadRequest(); !request.empty(); request = connection.ReadRequest()) {
      // 1. The request.
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
      // 2. The program, by CGI: the body on stdin, head and body on stdout.
      const TempDir exchange;
      exchange.Write("in", request.substr(request.find("\r\n\r\n") + 4));
      std::vector<std::string> environment = Environment();
      for (const std::string& variable :
           {"GIT_PROJECT_ROOT=" + (folder_.path() / "served").string(), std::string("GIT_HTTP_EXPORT_ALL=1"),
            "REQUEST_METHOD=" + method, "PATH_INFO=" + path,
            "QUERY_STRING=" + (query == std::string::npos ? "" : target.substr(query + 1)),
            "CONTENT_TYPE=" + Header(request, "Content-Type"), "GIT_PROTOCOL=" + Header(request, "Git-Protocol"),
            std::string("REMOTE_ADDR=127.0.0.1")}) {
        environment.push_back(variable);
      }
      Process program({"sh", "-c", "cd " + exchange.path().string() + " && git http-backend <in >out"}, environment);
      program.Wait(std::chrono::seconds(60));
      const std::string answer = ReadWholeFile((exchange.path() / "out").string());
      // 3. The answer.
      const size_t head = answer.find("\r\n\r\n");
      if (head == std::string::npos) {
        connection.Answer(500, "");
        continue;
      }
      const std::string headers = "\r\n" + answer.substr(0, head) + "\r\n\r\n";
      const std::string status = Header(headers, "Status");
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        longest_ = std::max(longest_, answer.size());
      }
      connection.Answer(status.empty() ? 200 : std::atoi(status.c_str()), answer.substr(head + 4),
                        "Content-Type: " + Header(headers, "Content-Type") + "\r\n");
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
