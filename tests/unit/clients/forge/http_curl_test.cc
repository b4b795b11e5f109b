// The libcurl client against real sockets.
#include "clients/forge/http_curl.h"

#include <gtest/gtest.h>

#include <csignal>
#include <mutex>
#include <thread>

#include "tests/support/certificate.h"
#include "tests/support/local_http_server.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using testing::LocalHttpServer;
using testing::TempDir;
using Connection = LocalHttpServer::Connection;
using Kind = HttpFailure::Kind;

std::unique_ptr<HttpClient> Client(const std::string& origin, const std::string& ca_file = "") {
  CurlHttpOptions options;
  options.origins = {origin};
  options.user_agent = "yardmaster/test";
  options.ca_file = ca_file;
  auto client = MakeCurlHttpClient(options);
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

OutgoingRequest Get(const std::string& url) {
  OutgoingRequest request;
  request.url = url;
  request.timeout = milliseconds(5'000);
  return request;
}

OutgoingRequest Post(const std::string& url, std::string body) {
  OutgoingRequest request = Get(url);
  request.method = "POST";
  request.body = std::move(body);
  return request;
}

// What is expected; the other one is a failed test.
OutgoingResponse ResponseOf(const HttpResult& result) {
  if (const auto* response = std::get_if<OutgoingResponse>(&result)) return *response;
  ADD_FAILURE() << "no answer: " << std::get<HttpFailure>(result).detail;
  return {};
}
HttpFailure FailureOf(const HttpResult& result) {
  if (const auto* failure = std::get_if<HttpFailure>(&result)) return *failure;
  ADD_FAILURE() << "an answer with status " << std::get<OutgoingResponse>(result).status;
  return {};
}

TEST(CurlHttpClient, SendsWhatItIsToldAndReadsTheAnswer) {
  std::string seen;
  LocalHttpServer server([&](Connection& connection) {
    seen = connection.ReadRequest();
    connection.Answer(201, "{\"a\": 1}", "ETag: \"x\"\r\nX-Two:  spaced \t\r\n");
  });
  auto client = Client(server.url());
  OutgoingRequest request = Post(server.url() + "/repos/o%2Fr/../x?labels=a%20b", "{\"body\": \"\xE9\x94\x99\"}");
  request.headers = {{"Authorization", "Bearer t"}, {"Content-Type", "application/json"}};
  const OutgoingResponse response = ResponseOf(client->Send(request));
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, "{\"a\": 1}");
  EXPECT_EQ(response.Header("etag"), "\"x\"");
  EXPECT_EQ(response.Header("x-two"), "spaced");
  // The path as it was given: nothing is normalised.
  EXPECT_EQ(seen.find("POST /repos/o%2Fr/../x?labels=a%20b HTTP/1.1\r\n"), 0u) << seen;
  EXPECT_NE(seen.find("\r\nAuthorization: Bearer t\r\n"), std::string::npos);
  EXPECT_NE(seen.find("\r\nUser-Agent: yardmaster/test\r\n"), std::string::npos);
  EXPECT_EQ(seen.find("Expect:"), std::string::npos);
  EXPECT_NE(seen.find("\r\n\r\n{\"body\": \"\xE9\x94\x99\"}"), std::string::npos);
}

TEST(CurlHttpClient, EveryStatusIsAnAnswer) {
  for (const int status : {204, 304, 401, 404, 418, 429, 500, 503}) {
    LocalHttpServer server([status](Connection& connection) {
      connection.ReadRequest();
      connection.Answer(status, status == 204 || status == 304 ? "" : "text");
    });
    EXPECT_EQ(ResponseOf(Client(server.url())->Send(Get(server.url() + "/"))).status, status);
  }
}

TEST(CurlHttpClient, ReadsShareAConnection) {
  LocalHttpServer server([](Connection& connection) {
    while (!connection.ReadRequest().empty()) connection.Answer(200, "ok");
  });
  auto client = Client(server.url());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ResponseOf(client->Send(Get(server.url() + "/"))).body, "ok");
  EXPECT_EQ(server.connections(), 1);
}

TEST(CurlHttpClient, AWriteOnADeadConnectionIsNotSentTwice) {
  // libcurl would send the request again on a new connection, without telling: the server has read it, maybe done it,
  // and only its answer is lost.
  std::atomic<int> posts{0};
  LocalHttpServer server([&](Connection& connection) {
    for (;;) {
      const std::string request = connection.ReadRequest();
      if (request.empty()) return;
      if (request.starts_with("POST")) {
        ++posts;
        return;
      }
      connection.Answer(200, "ok");
    }
  });
  auto client = Client(server.url());
  EXPECT_EQ(ResponseOf(client->Send(Get(server.url() + "/"))).status, 200);
  const HttpFailure failure = FailureOf(client->Send(Post(server.url() + "/", "{}")));
  EXPECT_EQ(failure.kind, Kind::kReset);
  EXPECT_TRUE(failure.sent);
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(posts, 1);
  // It had a connection of its own although one was at hand.
  EXPECT_EQ(server.connections(), 2);
}

TEST(CurlHttpClient, ABodyOverTheLimitEndsTheTransfer) {
  std::atomic<size_t> sent{0};
  LocalHttpServer server([&](Connection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
    const std::string block(64 * 1024, 'x');
    while (connection.Send(block)) sent += block.size();
  });
  OutgoingRequest request = Get(server.url() + "/");
  request.limits.body_bytes = 100'000;
  const HttpFailure failure = FailureOf(Client(server.url())->Send(request));
  EXPECT_EQ(failure.kind, Kind::kTooLarge);
  EXPECT_TRUE(failure.sent);
  EXPECT_EQ(failure.detail, "the answer's body passed 100000 bytes");
  EXPECT_LT(sent, 50'000'000u);
}

TEST(CurlHttpClient, ABodyOfExactlyTheLimitPasses) {
  LocalHttpServer server([](Connection& connection) {
    connection.ReadRequest();
    connection.Answer(200, std::string(1'000, 'x'));
  });
  OutgoingRequest request = Get(server.url() + "/");
  request.limits.body_bytes = 1'000;
  EXPECT_EQ(ResponseOf(Client(server.url())->Send(request)).body.size(), 1'000u);
}

TEST(CurlHttpClient, TheLimitCountsWhatComesOutOfCompression) {
  // gzip of 100,000 zero bytes: 132 bytes.
  const std::string_view begin(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xed\xc1\x31\x01\x00\x00\x00\xc2\xa0\xf5\x4f\x6d\x0d\x0f\xa0", 25);
  const std::string_view end("\x80\x57\x03\x7d\x95\x11\xd4\xa0\x86\x01\x00", 11);
  const std::string bomb = std::string(begin) + std::string(96, '\0') + std::string(end);
  LocalHttpServer server([&](Connection& connection) {
    const std::string request = connection.ReadRequest();
    EXPECT_NE(request.find("Accept-Encoding: gzip"), std::string::npos);
    connection.Answer(200, bomb, "Content-Encoding: gzip\r\n");
  });
  EXPECT_EQ(ResponseOf(Client(server.url())->Send(Get(server.url() + "/"))).body.size(), 100'000u);
  OutgoingRequest request = Get(server.url() + "/");
  request.limits.body_bytes = 1'000;
  EXPECT_EQ(FailureOf(Client(server.url())->Send(request)).kind, Kind::kTooLarge);
}

TEST(CurlHttpClient, HeadersOverTheLimitEndTheTransfer) {
  LocalHttpServer server([](Connection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 100'000; ++i) {
      if (!connection.Send("X-" + std::to_string(i) + ": yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n"))
        return;
    }
  });
  const HttpFailure failure = FailureOf(Client(server.url())->Send(Get(server.url() + "/")));
  EXPECT_EQ(failure.kind, Kind::kTooLarge);
  EXPECT_EQ(failure.detail, "the answer's headers passed 65536 bytes");
}

TEST(CurlHttpClient, HeadersOfAnInterimAnswerAreNotTheAnswers) {
  LocalHttpServer server([](Connection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 103 Early Hints\r\nETag: \"early\"\r\n\r\n");
    connection.Answer(200, "ok");
  });
  const OutgoingResponse response = ResponseOf(Client(server.url())->Send(Get(server.url() + "/")));
  EXPECT_EQ(response.status, 200);
  EXPECT_FALSE(response.HasHeader("ETag"));
}

TEST(CurlHttpClient, ASlowBodyEndsAtTheTimeout) {
  LocalHttpServer server([](Connection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    for (int i = 0; i < 1'000 && connection.Send("x"); ++i) connection.Sleep(milliseconds(20));
  });
  OutgoingRequest request = Get(server.url() + "/");
  request.timeout = milliseconds(300);
  const auto begin = std::chrono::steady_clock::now();
  const HttpFailure failure = FailureOf(Client(server.url())->Send(request));
  EXPECT_EQ(failure.kind, Kind::kTimeout);
  EXPECT_TRUE(failure.sent);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(3'000));
}

TEST(CurlHttpClient, NoAnswerToAWriteLeavesItOpen) {
  LocalHttpServer server([](Connection& connection) {
    connection.ReadRequest();
    connection.Sleep(milliseconds(5'000));
  });
  OutgoingRequest request = Post(server.url() + "/", "{}");
  request.timeout = milliseconds(200);
  const HttpFailure failure = FailureOf(Client(server.url())->Send(request));
  EXPECT_EQ(failure.kind, Kind::kTimeout);
  EXPECT_TRUE(failure.sent);
}

TEST(CurlHttpClient, AResetAndACutOffBodyAreBrokenConnections) {
  LocalHttpServer reset([](Connection& connection) {
    connection.ReadRequest();
    connection.ResetOnClose();
  });
  EXPECT_EQ(FailureOf(Client(reset.url())->Send(Post(reset.url() + "/", "{}"))).kind, Kind::kReset);

  LocalHttpServer half([](Connection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  });
  const HttpFailure failure = FailureOf(Client(half.url())->Send(Get(half.url() + "/")));
  EXPECT_EQ(failure.kind, Kind::kReset);
  EXPECT_TRUE(failure.sent);
}

TEST(CurlHttpClient, NobodyListeningMeansThatNothingWasSent) {
  std::string url;
  {
    LocalHttpServer server([](Connection&) {});
    url = server.url();
  }
  const HttpFailure failure = FailureOf(Client(url)->Send(Post(url + "/", "{}")));
  EXPECT_EQ(failure.kind, Kind::kConnect);
  EXPECT_FALSE(failure.sent);
}

TEST(CurlHttpClient, WhatIsNotHttpIsNoAnswer) {
  LocalHttpServer server([](Connection& connection) {
    connection.ReadRequest();
    connection.Send("SSH-2.0-OpenSSH_9.2\r\n");
  });
  const HttpFailure failure = FailureOf(Client(server.url())->Send(Get(server.url() + "/")));
  EXPECT_EQ(failure.kind, Kind::kProtocol);
}

TEST(CurlHttpClient, ARedirectIsAnAnswerAndIsNotFollowed) {
  std::atomic<int> visits{0};
  LocalHttpServer other([&](Connection& connection) {
    ++visits;
    connection.ReadRequest();
    connection.Answer(200, "stolen");
  });
  LocalHttpServer server([&](Connection& connection) {
    connection.ReadRequest();
    connection.Answer(302, "", "Location: " + other.url() + "/x\r\n");
  });
  const OutgoingResponse response = ResponseOf(Client(server.url())->Send(Get(server.url() + "/")));
  EXPECT_EQ(response.status, 302);
  EXPECT_EQ(response.Header("Location"), other.url() + "/x");
  EXPECT_EQ(visits, 0);
}

TEST(CurlHttpClient, OnlyTheConfiguredPlacesAreContacted) {
  std::atomic<int> visits{0};
  LocalHttpServer other([&](Connection& connection) {
    ++visits;
    connection.ReadRequest();
    connection.Answer(200, "");
  });
  auto client = Client("http://127.0.0.1:1");
  const std::string port = std::to_string(other.port());
  const std::vector<std::string> urls = {other.url() + "/",
                                         "http://localhost:" + port + "/",
                                         "http://127.0.0.1:1@127.0.0.1:" + port + "/",
                                         "http://127.0.0.1:1\r\nHost: x:" + port + "/",
                                         "https://127.0.0.1:1/",
                                         "http://127.0.0.1/",
                                         "file:///etc/passwd",
                                         "gopher://127.0.0.1:1/x",
                                         "not a url",
                                         ""};
  for (const std::string& url : urls) {
    const HttpFailure failure = FailureOf(client->Send(Get(url)));
    EXPECT_EQ(failure.kind, Kind::kNotAllowed) << url;
    EXPECT_FALSE(failure.sent) << url;
  }
  EXPECT_EQ(visits, 0);
}

TEST(CurlHttpClient, AHeaderWithALineBreakIsNotSent) {
  auto client = Client("http://127.0.0.1:1");
  OutgoingRequest request = Get("http://127.0.0.1:1/");
  request.headers = {{"X", "a\r\nEvil: b"}};
  EXPECT_EQ(FailureOf(client->Send(request)).kind, Kind::kNotAllowed);
  request.headers = {{"X\n", "a"}};
  EXPECT_EQ(FailureOf(client->Send(request)).kind, Kind::kNotAllowed);
}

// Sets a variable of the environment for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* const name_;
};

// A proxy that refuses everything and says what it was asked for.
class RefusingProxy {
 public:
  std::string url() const { return server_.url(); }
  std::string asked() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::string asked_;
  LocalHttpServer server_{[this](Connection& connection) {
    const std::string head = connection.ReadRequest();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      asked_ += head;
    }
    connection.Answer(502, "");
  }};
};

HttpResult GetThrough(const ProxyConfig& proxy) {
  CurlHttpOptions options;
  options.origins = {"https://api.forge.test"};
  options.proxy = proxy;
  return (*MakeCurlHttpClient(options))->Send(Get("https://api.forge.test/user"));
}

TEST(CurlHttpClient, ThisMachineIsReachedWithoutTheProxyOfTheEnvironment) {
  RefusingProxy proxy;
  const Variable http("http_proxy", proxy.url());
  const Variable all("ALL_PROXY", proxy.url());
  LocalHttpServer server([](Connection& connection) {
    connection.ReadRequest();
    connection.Answer(200, "direct");
  });
  EXPECT_EQ(ResponseOf(Client(server.url())->Send(Get(server.url() + "/"))).body, "direct");
  EXPECT_EQ(proxy.asked(), "");
}

TEST(CurlHttpClient, ForgesAreReachedThroughTheProxyOfTheEnvironment) {
  RefusingProxy proxy;
  const Variable https("https_proxy", proxy.url());
  const HttpFailure failure = FailureOf(GetThrough({}));
  EXPECT_FALSE(failure.sent);
  EXPECT_EQ(proxy.asked().rfind("CONNECT api.forge.test:443", 0), 0U) << proxy.asked();
}

TEST(CurlHttpClient, TheConfiguredProxyGoesBeforeTheEnvironments) {
  RefusingProxy environment;
  RefusingProxy configured;
  const Variable https("https_proxy", environment.url());
  ProxyConfig proxy;
  proxy.url = configured.url();
  proxy.user = "bot";
  proxy.password = Secret("pa55");
  FailureOf(GetThrough(proxy));
  EXPECT_EQ(configured.asked().rfind("CONNECT api.forge.test:443", 0), 0U);
  EXPECT_NE(configured.asked().find("Proxy-Authorization: Basic Ym90OnBhNTU="), std::string::npos);
  EXPECT_EQ(environment.asked(), "");
}

TEST(CurlHttpClient, NoProxyIsAskedWhereNoneIsWanted) {
  RefusingProxy environment;
  const Variable https("https_proxy", environment.url());
  ProxyConfig none;
  none.url = "";
  FailureOf(GetThrough(none));
  ProxyConfig except;
  except.url = environment.url();
  except.no_proxy = {".forge.test"};
  FailureOf(GetThrough(except));
  const Variable names("NO_PROXY", "api.forge.test");
  FailureOf(GetThrough({}));
  EXPECT_EQ(environment.asked(), "");
}

TEST(CurlHttpClient, AWriteWithoutABodyIsNotCalledAForm) {
  std::string head;
  LocalHttpServer server([&](Connection& connection) {
    head = connection.ReadRequest();
    connection.Answer(201, "{}");
  });
  EXPECT_EQ(ResponseOf(Client(server.url())->Send(Post(server.url() + "/x", ""))).status, 201);
  EXPECT_EQ(head.find("form-urlencoded"), std::string::npos) << head;
  EXPECT_NE(head.find("Content-Length: 0"), std::string::npos) << head;
}

TEST(CurlHttpClient, PlainHttpIsForLoopbackOnly) {
  CurlHttpOptions options;
  for (const char* origin :
       {"http://api.github.com", "ftp://127.0.0.1", "api.github.com", "https://user:pw@host", ""}) {
    options.origins = {origin};
    EXPECT_EQ(MakeCurlHttpClient(options).status().code(), absl::StatusCode::kInvalidArgument) << origin;
  }
  options.origins = {"https://api.github.com", "http://localhost:1", "http://[::1]:2"};
  EXPECT_TRUE(MakeCurlHttpClient(options).ok());
}

TEST(CurlHttpClient, StopEndsWhatIsInFlight) {
  std::atomic<bool> reached{false};
  LocalHttpServer server([&](Connection& connection) {
    connection.ReadRequest();
    reached = true;
    connection.Sleep(milliseconds(20'000));
  });
  auto client = Client(server.url());
  OutgoingRequest request = Get(server.url() + "/");
  request.timeout = milliseconds(20'000);
  HttpFailure failure;
  std::thread caller([&] { failure = FailureOf(client->Send(request)); });
  while (!reached) std::this_thread::sleep_for(milliseconds(1));
  const auto begin = std::chrono::steady_clock::now();
  client->Stop();
  caller.join();
  EXPECT_EQ(failure.kind, Kind::kStopped);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(5'000));
  const HttpFailure later = FailureOf(client->Send(request));
  EXPECT_EQ(later.kind, Kind::kStopped);
  EXPECT_FALSE(later.sent);
}

TEST(CurlHttpClient, ManyThreadsGetTheirOwnAnswers) {
  LocalHttpServer server([](Connection& connection) {
    for (;;) {
      const std::string request = connection.ReadRequest();
      if (request.empty()) return;
      connection.Answer(200, request.substr(4, request.find(' ', 4) - 4));
    }
  });
  auto client = Client(server.url());
  std::vector<std::thread> threads;
  threads.reserve(8);
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const std::string path = "/" + std::to_string(t) + "-" + std::to_string(i);
        const HttpResult result = client->Send(Get(server.url() + path));
        const auto* response = std::get_if<OutgoingResponse>(&result);
        if (response == nullptr || response->body != path) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// --- TLS ---

class CurlTls : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(testing::MakeSelfSigned(dir_, "right"));
    ASSERT_TRUE(testing::MakeSelfSigned(dir_, "other"));
  }
  std::string File(const std::string& name) const { return (dir_.path() / name).string(); }
  std::unique_ptr<LocalHttpServer> Server(const std::string& name) {
    return std::make_unique<LocalHttpServer>(
        [this](Connection& connection) {
          if (connection.ReadRequest().empty()) return;
          ++requests_;
          connection.Answer(200, "private");
        },
        File(name + ".pem"), File(name + ".key"));
  }

  TempDir dir_;
  std::atomic<int> requests_{0};
};

TEST_F(CurlTls, ACertificateThatIsTrustedIsAccepted) {
  auto server = Server("right");
  EXPECT_EQ(ResponseOf(Client(server->url(), File("right.pem"))->Send(Get(server->url() + "/"))).body, "private");
}

TEST_F(CurlTls, ACertificateOfSomebodyElseIsRefusedBeforeAnythingIsSent) {
  auto server = Server("right");
  OutgoingRequest request = Post(server->url() + "/", "{}");
  request.headers = {{"Authorization", "Bearer secret"}};
  for (const std::string& ca : {File("other.pem"), std::string()}) {
    const HttpFailure failure = FailureOf(Client(server->url(), ca)->Send(request));
    EXPECT_EQ(failure.kind, Kind::kTls) << ca;
    EXPECT_FALSE(failure.sent) << ca;
  }
  EXPECT_EQ(requests_, 0);
}

TEST_F(CurlTls, ACertificateForAnotherNameIsRefused) {
  testing::Process openssl({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                            "-nodes", "-keyout", File("name.key"), "-out", File("name.pem"), "-days", "2", "-subj",
                            "/CN=127.0.0.1", "-addext", "subjectAltName=DNS:elsewhere.test"});
  ASSERT_EQ(openssl.Wait(std::chrono::seconds(30)), 0);
  auto server = Server("name");
  const HttpFailure failure = FailureOf(Client(server->url(), File("name.pem"))->Send(Get(server->url() + "/")));
  EXPECT_EQ(failure.kind, Kind::kTls) << failure.detail;
  EXPECT_FALSE(failure.sent);
  EXPECT_EQ(requests_, 0);
}

TEST_F(CurlTls, AConnectionThatTheServerClosedRaisesNoSignal) {
  // With the signal's default action this test would not come to its end.
  auto server = Server("right");
  auto client = Client(server->url(), File("right.pem"));
  for (int i = 0; i < 10; ++i) {
    // The server closes after each answer; what libcurl still writes to that connection breaks.
    client->Send(Get(server->url() + "/"));
    std::this_thread::sleep_for(milliseconds(5));
  }
  sigset_t pending;
  ::sigemptyset(&pending);
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 0);
}

TEST_F(CurlTls, PlainTextOnATlsPortIsRefused) {
  LocalHttpServer server([](Connection& connection) {
    connection.Answer(200, "plain");
    connection.ReadRequest();
  });
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port());
  const HttpFailure failure = FailureOf(Client(url, File("right.pem"))->Send(Get(url + "/")));
  EXPECT_EQ(failure.kind, Kind::kTls);
  EXPECT_FALSE(failure.sent);
}

}  // namespace
}  // namespace yardmaster
