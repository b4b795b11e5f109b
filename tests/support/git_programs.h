// Debian's git for tests and their servers: apart from the settings of this machine, and as a server by CGI.
#ifndef YARDMASTER_TESTS_SUPPORT_GIT_PROGRAMS_H_
#define YARDMASTER_TESTS_SUPPORT_GIT_PROGRAMS_H_

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::testing {

// The whole environment of a git that reads nobody's configuration; repositories may be anybody's.
inline std::vector<std::string> GitEnvironment(const std::filesystem::path& home) {
  const char* const path = std::getenv("PATH");
  return {"PATH=" + std::string(path != nullptr ? path : "/usr/bin:/bin"),
          "HOME=" + home.string(),
          "LC_ALL=C.UTF-8",
          "GIT_CONFIG_GLOBAL=/dev/null",
          "GIT_CONFIG_NOSYSTEM=1",
          "GIT_TERMINAL_PROMPT=0",
          "GIT_CONFIG_COUNT=4",
          "GIT_CONFIG_KEY_0=user.name",
          "GIT_CONFIG_VALUE_0=t",
          "GIT_CONFIG_KEY_1=user.email",
          "GIT_CONFIG_VALUE_1=t@example.com",
          "GIT_CONFIG_KEY_2=safe.directory",
          "GIT_CONFIG_VALUE_2=*",
          "GIT_CONFIG_KEY_3=core.quotePath",
          "GIT_CONFIG_VALUE_3=false"};
}

struct GitRequest {
  std::string method;
  std::string path;  // "/OWNER/REPO.git/info/refs"
  std::string query;
  std::string content_type;
  std::string content_encoding;
  std::string protocol;  // header Git-Protocol
  std::string body;
};

struct GitAnswer {
  int status = 500;
  std::string content_type;
  std::string body;
  size_t bytes = 0;  // head and body
};

// A header of the head that a CGI program writes; empty if there is none.
inline std::string CgiHeader(const std::string& head, const std::string& name) {
  const std::string lines = "\r\n" + head + "\r\n";
  const size_t at = lines.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size() + 4;
  return lines.substr(begin, lines.find("\r\n", begin) - begin);
}

// `git http-backend` over the repositories below `root`.
inline GitAnswer ServeGit(const std::filesystem::path& root, const GitRequest& request) {
  const TempDir exchange;
  exchange.Write("in", request.body);
  std::vector<std::string> environment = GitEnvironment(exchange.path());
  for (const std::string& variable :
       {"GIT_PROJECT_ROOT=" + std::filesystem::absolute(root).string(), std::string("GIT_HTTP_EXPORT_ALL=1"),
        "REQUEST_METHOD=" + request.method, "PATH_INFO=" + request.path, "QUERY_STRING=" + request.query,
        "CONTENT_TYPE=" + request.content_type, "HTTP_CONTENT_ENCODING=" + request.content_encoding,
        "GIT_PROTOCOL=" + request.protocol, std::string("REMOTE_ADDR=127.0.0.1"),
        "EXCHANGE=" + exchange.path().string()}) {
    environment.push_back(variable);
  }
  Process program({"sh", "-c", R"(cd "$EXCHANGE" && git http-backend <in >out)"}, environment, /*inherit=*/false);
  program.Wait(std::chrono::seconds(60));
  std::string answer = ReadWholeFile(exchange.path() / "out");
  GitAnswer out;
  out.bytes = answer.size();
  const size_t end = answer.find("\r\n\r\n");
  if (end == std::string::npos) return out;
  const std::string head = answer.substr(0, end);
  const std::string status = CgiHeader(head, "Status");
  out.status = status.empty() ? 200 : std::atoi(status.c_str());
  out.content_type = CgiHeader(head, "Content-Type");
  out.body = answer.erase(0, end + 4);
  return out;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_GIT_PROGRAMS_H_
