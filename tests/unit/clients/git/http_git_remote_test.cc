// Against git's own server.
#include "clients/git/http_git_remote.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "clients/forge/http_curl.h"
#include "services/core/errors.h"
#include "tests/support/git_http_server.h"
#include "tests/support/local_http_server.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using testing::GitHttpServer;
using ::testing::HasSubstr;
using testing::LocalHttpServer;
using ::testing::Pair;
using testing::TempDir;

std::string Noise(size_t bytes) {
  std::mt19937 random(7);
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

std::string Zeros(size_t bytes) {
  std::string text;
  text.resize(bytes);
  return text;
}

class Reader {
 public:
  explicit Reader(const std::string& url) : url_(url) {
    CurlHttpOptions options;
    options.origins = {url};
    http_ = *MakeCurlHttpClient(options);
  }
  absl::StatusOr<GitFolder> Read(const GitFolderRequest& request) {
    HttpGitRemote remote({*http_,
                          {url_, "x-access-token"},
                          [this](auto) { return absl::StatusOr<Secret>(token); },
                          scratch_.path() / "git",
                          timeout,
                          max_answer});
    absl::StatusOr<GitFolder> folder = remote.ReadFolder(request);
    if (fs::exists(scratch_.path() / "git")) {
      EXPECT_TRUE(fs::is_empty(scratch_.path() / "git")) << "what was fetched is removed";
    }
    return folder;
  }
  HttpClient& http() { return *http_; }

  Secret token;
  milliseconds timeout{20'000};
  size_t max_answer = kMaxGitAnswerBytes;

 private:
  const std::string url_;
  const TempDir scratch_;
  std::unique_ptr<HttpClient> http_;
};

std::map<std::string, std::string> Files(const absl::StatusOr<GitFolder>& folder) {
  EXPECT_TRUE(folder.ok()) << folder.status();
  std::map<std::string, std::string> files;
  if (!folder.ok()) return files;
  for (const GitFile& file : folder->files) files[file.path] = file.content;
  return files;
}

// Both kinds of server: the one can leave out files that nobody asked for, the other can't.
class HttpGitRemoteTest : public ::testing::TestWithParam<bool> {
 protected:
  HttpGitRemoteTest() {
    server_.Create("o/r", {std::string("uploadpack.allowFilter ") + (GetParam() ? "true" : "false")});
    Write("custom/demo/demo_impl.py", "def k(): pass\n");
    Write("README.md", "one\n");
    first_ = server_.Commit("o/r");
    Write("custom/demo/demo_impl.py", "def k():\n    return 1\n");
    Write("custom/demo/modules/a.py", std::string("\0\xff", 2));
    Write("custom/demo/empty.py", "");
    Write("custom/other/large.bin", Noise(300'000));
    fs::create_symlink("/etc/passwd", server_.Work("o/r") / "custom/demo/link.py");
    fs::permissions(server_.Work("o/r") / "custom/demo/modules/a.py", fs::perms::owner_all);
    second_ = server_.Commit("o/r");
    Write("custom/demo/demo_impl.py", "later\n");
    server_.Commit("o/r");
  }
  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((server_.Work("o/r") / path).parent_path());
    std::ofstream(server_.Work("o/r") / path, std::ios::binary) << text;
  }
  static GitFolderRequest Ask(const std::string& commit, const std::string& folder = "custom/demo") {
    GitFolderRequest request;
    request.repository = "o/r";
    request.commit = commit;
    request.folder = folder;
    return request;
  }

  GitHttpServer server_;
  Reader reader_{server_.url()};
  std::string first_;
  std::string second_;
};
INSTANTIATE_TEST_SUITE_P(Servers, HttpGitRemoteTest, ::testing::Bool(), [](const auto& param) {
  return param.param ? std::string("ThatFilter") : std::string("ThatDoNotFilter");
});

TEST_P(HttpGitRemoteTest, ReadsAFolderOfAnyCommitAndNothingElse) {
  const absl::StatusOr<GitFolder> folder = reader_.Read(Ask(second_));
  EXPECT_THAT(Files(folder), ElementsAre(Pair("demo_impl.py", "def k():\n    return 1\n"), Pair("empty.py", ""),
                                         Pair("modules/a.py", std::string("\0\xff", 2))));
  ASSERT_EQ(folder->left_out.size(), 1u);
  EXPECT_EQ(folder->left_out[0].path, "link.py");
  EXPECT_THAT(folder->left_out[0].reason, HasSubstr("symbolic link"));
  // A server that can leaves the large file of another folder where it is.
  EXPECT_EQ(server_.longest() < 100'000, GetParam()) << server_.longest();

  EXPECT_THAT(Files(reader_.Read(Ask(first_))), ElementsAre(Pair("demo_impl.py", "def k(): pass\n")));
  EXPECT_THAT(Files(reader_.Read(Ask(first_, ""))),
              ElementsAre(Pair("README.md", "one\n"), Pair("custom/demo/demo_impl.py", "def k(): pass\n")));
}

TEST_P(HttpGitRemoteTest, WhatIsNotThereIsNotFound) {
  const auto said = [&](const GitFolderRequest& request) {
    const absl::Status status = reader_.Read(request).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(said(Ask(std::string(40, 'a'))), HasSubstr("no commit"));
  EXPECT_THAT(said(Ask(second_, "custom/absent")), HasSubstr("no folder \"custom/absent\""));
  EXPECT_THAT(said(Ask(second_, "README.md")), HasSubstr("no folder"));
  EXPECT_THAT(said(Ask(second_, "custom/demo/link.py")), HasSubstr("no folder"));
  const std::string tree = server_.Shell("git -C " + server_.Work("o/r").string() + " rev-parse HEAD^{tree}");
  EXPECT_THAT(said(Ask(tree)), HasSubstr("no commit"));
  GitFolderRequest other = Ask(second_);
  other.repository = "o/absent";
  EXPECT_THAT(said(other), HasSubstr("o/absent"));
}

TEST_P(HttpGitRemoteTest, LimitsAreErrorsThatNameThem) {
  GitFolderRequest request = Ask(second_);
  request.max_files = 2;
  EXPECT_EQ(reader_.Read(request).status(), errors::FolderTooLarge("custom/demo", 2, "files"));
  request.max_files = 3;
  request.max_bytes = 20;
  EXPECT_EQ(reader_.Read(request).status(), errors::FolderTooLarge("custom/demo", 20, "bytes"));
  request.max_bytes = 23;
  EXPECT_FALSE(reader_.Read(request).ok());
  request.max_bytes = 24;
  EXPECT_TRUE(reader_.Read(request).ok());
  reader_.max_answer = 100;
  EXPECT_EQ(reader_.Read(request).status(), errors::CommitTooLarge("o/r", 100));
}

TEST_P(HttpGitRemoteTest, FilesThatOneAnswerCanNotHoldAreTooLarge) {
  // Neither what packs well nor what does not gets through.
  Write("large/a.bin", Noise(2'000'000));
  Write("zeros/a.bin", Zeros(9'000'000));
  const std::string commit = server_.Commit("o/r");
  GitFolderRequest request = Ask(commit, "large");
  request.max_bytes = 500'000;
  EXPECT_EQ(reader_.Read(request).status(), errors::FolderTooLarge("large", 500'000, "bytes"));
  request = Ask(commit, "zeros");
  EXPECT_EQ(reader_.Read(request).status(), errors::FolderTooLarge("zeros", request.max_bytes, "bytes"));
}

TEST_P(HttpGitRemoteTest, APrivateRepositoryWantsTheToken) {
  server_.Want("Basic eC1hY2Nlc3MtdG9rZW46czNjcmV0LXRva2Vu");  // x-access-token:s3cret-token
  EXPECT_EQ(reader_.Read(Ask(second_)).status(), errors::GitCredentialsRefused("o/r", false));
  reader_.token = Secret("another-token");
  EXPECT_EQ(reader_.Read(Ask(second_)).status(), errors::GitCredentialsRefused("o/r", true));
  reader_.token = Secret("s3cret-token");
  EXPECT_EQ(Files(reader_.Read(Ask(second_))).size(), 3u);
  for (const std::string& line : server_.requests()) EXPECT_THAT(line, ::testing::Not(HasSubstr("token")));
}

TEST_P(HttpGitRemoteTest, ACallThatIsGivenUpEndsWithItsReason) {
  GitFolderRequest request = Ask(second_);
  request.alive = [] { return errors::CallCancelled(); };
  EXPECT_EQ(reader_.Read(request).status().code(), absl::StatusCode::kCancelled);
  reader_.http().Stop();
  request.alive = nullptr;
  EXPECT_EQ(reader_.Read(request).status(), errors::ShuttingDown());
}

// --- Servers that are none ---

absl::Status ReadFrom(const std::string& url, milliseconds timeout, const std::function<absl::Status()>& alive = {}) {
  Reader reader(url);
  reader.timeout = timeout;
  GitFolderRequest request;
  request.repository = "o/r";
  request.commit = std::string(40, 'a');
  request.alive = alive;
  return reader.Read(request).status();
}

TEST(HttpGitRemote, AServerThatIsDownIsUnavailable) {
  std::string url;
  {
    LocalHttpServer gone([](LocalHttpServer::Connection&) {});
    url = gone.url();
  }
  EXPECT_EQ(ReadFrom(url, milliseconds(5'000)).code(), absl::StatusCode::kUnavailable);
}

TEST(HttpGitRemote, ASilentServerCostsItsTimeOnlyAndACancelledCallLess) {
  LocalHttpServer silent([](LocalHttpServer::Connection& connection) { connection.Sleep(milliseconds(20'000)); });
  const absl::Status slow = ReadFrom(silent.url(), milliseconds(300));
  EXPECT_EQ(slow.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(slow.message()), HasSubstr("too long"));
  const auto begun = std::chrono::steady_clock::now();
  const auto alive = [begun] {
    return std::chrono::steady_clock::now() - begun < milliseconds(200) ? absl::OkStatus() : errors::CallCancelled();
  };
  EXPECT_EQ(ReadFrom(silent.url(), milliseconds(60'000), alive).code(), absl::StatusCode::kCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

TEST(HttpGitRemote, WhatIsNoGitServerIsUnavailable) {
  struct Case {
    int status;
    std::string type;
    std::string body;
    std::string says;
  };
  const std::string advertisement = "application/x-git-upload-pack-advertisement";
  for (const Case& one :
       std::vector<Case>{{200, "text/html", "<html>", "no git server"},
                         {302, "text/html", "", "another address"},
                         {500, "text/plain", "", "500"},
                         {200, advertisement, "001e# service=git-upload-pack\n0000" + std::string(5, 'x'), "version 2"},
                         {200, advertisement, "000eversion 2\n0012fetch=shallow\n", "cut"},
                         {200, advertisement, "000eversion 2\n000afetch\n001aobject-format=sha256\n0000", "SHA-1"},
                         {200, advertisement, "000dERR away\n0000", "away"},
                         {200, advertisement, std::string(3'000'000, '0'), "version 2"}}) {
    LocalHttpServer server([&one](LocalHttpServer::Connection& connection) {
      connection.ReadRequest();
      connection.Answer(one.status, one.body, "Content-Type: " + one.type + "\r\nLocation: http://127.0.0.1:1/\r\n");
    });
    const absl::Status status = ReadFrom(server.url(), milliseconds(5'000));
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(one.says));
  }
}

}  // namespace
}  // namespace yardmaster
