// The listener over real sockets.
#include "services/gateway/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <thread>

#include "services/gateway/health_routes.h"
#include "tests/support/certificate.h"
#include "tests/support/raw_http.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RawConnection;
using ::testing::StartsWith;

class HttpServerTest : public ::testing::Test {
 protected:
  HttpServerTest() {
    LoggerOptions options;
    options.async = false;
    options.sink = [this](std::string_view line) {
      std::lock_guard<std::mutex> lock(mutex_);
      log_.emplace_back(line);
    };
    logger_ = std::make_unique<Logger>(std::move(options));
    options_.address = {"127.0.0.1", 0};
    routes_ = HealthRoutes(readiness_, metrics_);
    // What webhooks will be: a body is taken and answered.
    routes_.push_back({"POST", "/echo/*", AnswerWith([](const HttpRequest& request) {
                         return HttpResponse::Text(202, std::string(request.path()) + "|" +
                                                            std::string(request.query()) + "|" +
                                                            std::string(request.Header("x-event")) + "|" +
                                                            std::to_string(request.body().size()) + "|" +
                                                            std::string(request.body().substr(0, 100)));
                       })});
  }

 public:
  ~HttpServerTest() override {
    for (std::thread& thread : threads_) thread.join();
  }

 protected:
  void Start() {
    auto server = HttpServer::Start(options_, HttpRouter(routes_), *logger_, metrics_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  uint16_t port() const { return server_->address().port; }
  std::string Log() {
    std::lock_guard<std::mutex> lock(mutex_);
    std::string all;
    for (const std::string& line : log_) all += line + "\n";
    return all;
  }

  std::mutex mutex_;
  std::vector<std::string> log_;
  std::unique_ptr<Logger> logger_;
  Metrics metrics_;
  Readiness readiness_{{"packs"}};
  HttpServerOptions options_;
  std::vector<HttpRoute> routes_;
  std::vector<std::thread> threads_;
  std::unique_ptr<HttpServer> server_;
};

// --- Routes ---

TEST_F(HttpServerTest, HealthReadinessAndMetricsAreServed) {
  Start();
  EXPECT_THAT(RawConnection::Get(port(), "/healthz"),
              AllOf(StartsWith("HTTP/1.1 200 OK"), HasSubstr("{\"status\":\"ok\"}")));
  EXPECT_THAT(RawConnection::Get(port(), "/readyz"), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("starting")));
  readiness_.Set("packs", true);
  EXPECT_THAT(RawConnection::Get(port(), "/readyz?verbose"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(RawConnection::Get(port(), "/metrics"),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("text/plain; version=0.0.4"),
                    HasSubstr("yardmaster_http_requests_total{route=\"/readyz\",status=\"503\"} 1")));
}

TEST_F(HttpServerTest, UnknownPathsAre404AndOtherMethods405WithAllow) {
  Start();
  EXPECT_THAT(RawConnection::Get(port(), "/nothing"), StartsWith("HTTP/1.1 404 "));
  RawConnection connection(port());
  connection.Send("POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
  EXPECT_THAT(connection.ReadAnswer(), AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET\r\n")));
  // The connection goes on.
  connection.Send("HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(connection.ReadAnswer(), AllOf(StartsWith("HTTP/1.1 405 "), ::testing::EndsWith("\r\n\r\n")));
  connection.Send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(connection.ReadAnswer(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, ABodyReachesItsHandlerAsSent) {
  Start();
  RawConnection connection(port());
  connection.Send(
      "POST /echo/github?a=1 HTTP/1.1\r\nHost: x\r\nX-Event: issues\r\nContent-Length: 5\r\n\r\n\x01\xff{}\n");
  EXPECT_THAT(connection.ReadAnswer(),
              AllOf(StartsWith("HTTP/1.1 202 "), ::testing::EndsWith("/echo/github|a=1|issues|5|\x01\xff{}\n")));
}

TEST_F(HttpServerTest, ChunkedBodiesAndExpectContinueWork) {
  Start();
  RawConnection connection(port());
  connection.Send("POST /echo/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(connection.ReadAnswer(), StartsWith("HTTP/1.1 100 "));
  connection.Send("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_THAT(connection.ReadAnswer(), ::testing::EndsWith("|5|abcde"));
}

TEST_F(HttpServerTest, WhoSentTheBodyAlreadyIsNotToldToGoOn) {
  Start();
  RawConnection connection(port());
  connection.Send("POST /echo/x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc");
  EXPECT_THAT(connection.ReadAnswer(), AllOf(StartsWith("HTTP/1.1 202 "), ::testing::EndsWith("|3|abc")));
}

TEST_F(HttpServerTest, ARequestMayComeInPiecesOfAnySize) {
  Start();
  const std::string head = "POST /echo/x HTTP/1.1\r\nHost: x\r\n";
  for (const std::string& request : {head + "Content-Length: 4\r\n\r\nabcd",
                                     head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"}) {
    for (size_t cut = 1; cut < request.size(); cut += 3) {
      RawConnection connection(port());
      connection.Send(request.substr(0, cut));
      std::this_thread::sleep_for(milliseconds(1));
      connection.Send(request.substr(cut));
      EXPECT_THAT(connection.ReadAnswer(), ::testing::EndsWith("|4|abcd")) << "cut at " << cut;
    }
  }
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  Start();
  RawConnection connection(port());
  connection.Send(
      "POST /echo/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na"
      "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"
      "POST /echo/2 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nbc");
  EXPECT_THAT(connection.ReadAnswer(), HasSubstr("/echo/1||"));
  EXPECT_THAT(connection.ReadAnswer(), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(connection.ReadAnswer(), HasSubstr("/echo/2||"));
}

TEST_F(HttpServerTest, ConnectionCloseAndHttp10EndTheConnection) {
  Start();
  RawConnection first(port());
  first.Send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  bool closed = false;
  EXPECT_THAT(first.ReadToEnd(&closed), HasSubstr("Connection: close"));
  EXPECT_TRUE(closed);
  RawConnection second(port());
  second.Send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_THAT(second.ReadToEnd(&closed), StartsWith("HTTP/1.0 200 "));
  EXPECT_TRUE(closed);
}

TEST_F(HttpServerTest, ARequestIdIsTakenOverIfItIsSane) {
  std::string seen;
  routes_.push_back({"GET", "/id", AnswerWith([&](const HttpRequest& request) {
                       seen = request.request_id();
                       return HttpResponse();
                     })});
  Start();
  EXPECT_THAT(RawConnection::Get(port(), "/id", "X-Request-Id: ci-42\r\n"), HasSubstr("X-Request-Id: ci-42\r\n"));
  EXPECT_EQ(seen, "ci-42");
  EXPECT_THAT(RawConnection::Get(port(), "/id", "X-Request-Id: a\"b\r\n"), Not(HasSubstr("X-Request-Id")));
  EXPECT_THAT(seen, StartsWith("h-"));
}

// --- Handlers that answer later, or not ---

TEST_F(HttpServerTest, AHandlerMayAnswerFromAnotherThread) {
  routes_.push_back({"POST", "/later", [this](const HttpRequest& request, HttpReply reply) {
                       threads_.emplace_back([&request, reply = std::move(reply)] {
                         std::this_thread::sleep_for(milliseconds(20));
                         // The request is still there: the reply holds it.
                         reply(HttpResponse::Text(202, "later " + std::string(request.body())));
                       });
                     }});
  Start();
  for (int i = 0; i < 5; ++i) {
    RawConnection connection(port());
    connection.Send("POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi");
    EXPECT_THAT(connection.ReadAnswer(), ::testing::EndsWith("later hi"));
  }
}

TEST_F(HttpServerTest, AnAnswerRightAwayFromAnotherThreadIsNotMissed) {
  routes_.push_back({"GET", "/race", [this](const HttpRequest&, HttpReply reply) {
                       threads_.emplace_back([reply = std::move(reply)] { reply(HttpResponse::Text(200, "raced")); });
                     }});
  Start();
  RawConnection connection(port());
  for (int i = 0; i < 200; ++i) {
    connection.Send("GET /race HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_THAT(connection.ReadAnswer(), ::testing::EndsWith("raced")) << i;
  }
}

TEST_F(HttpServerTest, AHandlerThatForgetsItsReplyGivesA500) {
  routes_.push_back({"GET", "/forget", [](const HttpRequest&, const HttpReply&) {}});
  Start();
  EXPECT_THAT(RawConnection::Get(port(), "/forget"), StartsWith("HTTP/1.1 500 "));
}

TEST_F(HttpServerTest, AHandlerThatThrowsGivesA500AndALogLine) {
  routes_.push_back(
      {"GET", "/throw", [](const HttpRequest&, const HttpReply&) { throw std::runtime_error("broken"); }});
  Start();
  EXPECT_THAT(RawConnection::Get(port(), "/throw"), AllOf(StartsWith("HTTP/1.1 500 "), Not(HasSubstr("broken"))));
  EXPECT_THAT(Log(), HasSubstr("broken"));
}

TEST_F(HttpServerTest, AHandlerThatTakesTooLongGivesA503AndMayAnswerIntoTheVoid) {
  options_.handler_timeout = milliseconds(50);
  std::promise<HttpReply> kept;
  routes_.push_back({"GET", "/slow", [&](const HttpRequest&, HttpReply reply) { kept.set_value(std::move(reply)); }});
  Start();
  RawConnection connection(port());
  connection.Send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(connection.ReadAnswer(), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After")));
  kept.get_future().get()(HttpResponse::Text(200, "too late"));
  connection.Send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(connection.ReadAnswer(), AllOf(StartsWith("HTTP/1.1 200 "), Not(HasSubstr("too late"))));
}

TEST_F(HttpServerTest, AClientThatLeavesDuringTheWorkDoesNoHarm) {
  std::promise<HttpReply> kept;
  routes_.push_back({"GET", "/slow", [&](const HttpRequest&, HttpReply reply) { kept.set_value(std::move(reply)); }});
  Start();
  {
    RawConnection connection(port());
    connection.Send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
    HttpReply reply = kept.get_future().get();
    threads_.emplace_back([reply] {
      std::this_thread::sleep_for(milliseconds(50));
      reply(HttpResponse::Text(200, std::string(1'000'000, 'x')));
    });
  }
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_THAT(RawConnection::Get(port(), "/healthz"), StartsWith("HTTP/1.1 200 "));
}

// --- Limits ---

TEST_F(HttpServerTest, ATooLargeHeadIs431) {
  options_.max_header_bytes = 2048;
  Start();
  RawConnection connection(port());
  connection.Send("GET /healthz HTTP/1.1\r\nX: " + std::string(4000, 'a') + "\r\n\r\n");
  EXPECT_THAT(connection.ReadToEnd(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpServerTest, ATooLargeBodyIs413BeforeItIsRead) {
  options_.max_body_bytes = 1000;
  Start();
  RawConnection connection(port());
  connection.Send("POST /echo/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n");
  EXPECT_THAT(connection.ReadAnswer(), StartsWith("HTTP/1.1 413 "));
  RawConnection fits(port());
  fits.Send("POST /echo/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'b'));
  EXPECT_THAT(fits.ReadAnswer(), HasSubstr("|1000|"));
}

TEST_F(HttpServerTest, ATooLargeChunkedBodyIs413AndTheAnswerArrivesThoughMoreWasSent) {
  options_.max_body_bytes = 10'000;
  Start();
  RawConnection connection(port());
  connection.Send("POST /echo/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "4000\r\n" + std::string(0x4000, 'c') + "\r\n";
  for (int i = 0; i < 20 && connection.Send(chunk); ++i) {
  }
  EXPECT_THAT(connection.ReadToEnd(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, WhatIsNoHttpIs400) {
  Start();
  for (const char* text :
       {"\x16\x03\x01\x02\x00 hello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nbad header\r\n\r\n", "POST /echo/x HTTP/1.1\r\nHost: x\r\nContent-Length: banana\r\n\r\n",
        "POST /echo/x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /echo/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}) {
    RawConnection connection(port());
    connection.Send(text);
    EXPECT_THAT(connection.ReadAnswer(), StartsWith("HTTP/1.1 400 ")) << text;
  }
}

TEST_F(HttpServerTest, AClientThatSendsItsHeadTooSlowlyIsCut) {
  options_.header_timeout = milliseconds(200);
  Start();
  RawConnection connection(port());
  const auto start = std::chrono::steady_clock::now();
  std::thread drip([&] {
    for (char c : std::string("GET /healthz HTTP/1.1\r\nHost: a-very-long-and-slow-name-of-a-host\r\n\r\n")) {
      if (!connection.Send(std::string(1, c))) break;
      std::this_thread::sleep_for(milliseconds(100));
    }
  });
  bool closed = false;
  EXPECT_THAT(connection.ReadToEnd(&closed), IsEmpty());
  EXPECT_TRUE(closed);
  EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(5'000));
  drip.join();
}

TEST_F(HttpServerTest, AClientThatSendsItsBodyTooSlowlyIsCut) {
  options_.body_timeout = milliseconds(200);
  Start();
  RawConnection connection(port());
  connection.Send("POST /echo/x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc");
  bool closed = false;
  EXPECT_THAT(connection.ReadToEnd(&closed), IsEmpty());
  EXPECT_TRUE(closed);
}

TEST_F(HttpServerTest, AClientThatSaysNothingIsCut) {
  options_.header_timeout = milliseconds(100);
  Start();
  RawConnection connection(port());
  bool closed = false;
  EXPECT_THAT(connection.ReadToEnd(&closed), IsEmpty());
  EXPECT_TRUE(closed);
}

TEST_F(HttpServerTest, AKeptAliveConnectionMayRestLongerButNotForever) {
  options_.header_timeout = milliseconds(100);
  options_.idle_timeout = milliseconds(400);
  Start();
  RawConnection connection(port());
  connection.Send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  connection.ReadAnswer();
  std::this_thread::sleep_for(milliseconds(200));
  connection.Send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(connection.ReadAnswer(), StartsWith("HTTP/1.1 200 "));
  bool closed = false;
  connection.ReadToEnd(&closed);
  EXPECT_TRUE(closed);
}

TEST_F(HttpServerTest, AClientThatDoesNotReadItsAnswerIsCut) {
  options_.write_timeout = milliseconds(300);
  routes_.push_back({"GET", "/large", AnswerWith([](const HttpRequest&) {
                       return HttpResponse::Text(200, std::string(64 << 20, 'x'));
                     })});
  Start();
  RawConnection connection(port());
  connection.Send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  std::this_thread::sleep_for(milliseconds(800));
  bool closed = false;
  EXPECT_LT(connection.ReadToEnd(&closed).size(), size_t{64} << 20);
  EXPECT_TRUE(closed);
}

TEST_F(HttpServerTest, ConnectionsOverTheLimitAreToldAndOthersGoOn) {
  options_.max_connections = 2;
  Start();
  RawConnection first(port());
  first.Send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(first.ReadAnswer(), StartsWith("HTTP/1.1 200 "));
  {
    RawConnection second(port());
    second.Send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(second.ReadAnswer(), StartsWith("HTTP/1.1 200 "));
    RawConnection third(port());
    EXPECT_THAT(third.ReadToEnd(), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After")));
  }
  // One has left: there is room again.
  std::string answer;
  for (int i = 0; i < 100 && !answer.starts_with("HTTP/1.1 200"); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    answer = RawConnection::Get(port(), "/healthz");
  }
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, AConnectionServesOnlySoManyRequests) {
  options_.max_requests_per_connection = 2;
  Start();
  RawConnection connection(port());
  connection.Send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(connection.ReadAnswer(), Not(HasSubstr("Connection: close")));
  connection.Send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(connection.ReadAnswer(), HasSubstr("Connection: close"));
}

// --- Start and end ---

TEST_F(HttpServerTest, APortInUseIsAnErrorThatNamesIt) {
  Start();
  options_.address.port = port();
  auto second = HttpServer::Start(options_, HttpRouter({}), *logger_, metrics_);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()),
              AllOf(HasSubstr(options_.address.ToString()), HasSubstr("in use")));
}

TEST_F(HttpServerTest, StopClosesIdleConnectionsAtOnceAndLetsWorkEnd) {
  std::promise<HttpReply> kept;
  routes_.push_back({"GET", "/slow", [&](const HttpRequest&, HttpReply reply) { kept.set_value(std::move(reply)); }});
  Start();
  RawConnection idle(port());
  idle.Send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  idle.ReadAnswer();
  RawConnection busy(port());
  busy.Send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  HttpReply reply = kept.get_future().get();
  auto stopped = std::async(std::launch::async, [&] { return server_->Stop(std::chrono::seconds(10)); });
  bool closed = false;
  idle.ReadToEnd(&closed);
  EXPECT_TRUE(closed);
  EXPECT_EQ(stopped.wait_for(milliseconds(50)), std::future_status::timeout);
  reply(HttpResponse::Text(200, "done"));
  EXPECT_THAT(busy.ReadToEnd(), AllOf(HasSubstr("done"), HasSubstr("Connection: close")));
  EXPECT_TRUE(stopped.get());
  EXPECT_FALSE(RawConnection(port()).connected());
}

TEST_F(HttpServerTest, StopCutsWhatDoesNotEndInTime) {
  std::promise<HttpReply> kept;
  routes_.push_back({"GET", "/stuck", [&](const HttpRequest&, HttpReply reply) { kept.set_value(std::move(reply)); }});
  Start();
  RawConnection busy(port());
  busy.Send("GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n");
  HttpReply reply = kept.get_future().get();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(server_->Stop(milliseconds(100)));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  server_.reset();
  reply(HttpResponse());  // nobody is there any more
}

TEST_F(HttpServerTest, ManyClientsAtOnceOnSeveralThreads) {
  options_.threads = 2;
  Start();
  std::vector<std::future<int>> clients;
  clients.reserve(16);
  for (int c = 0; c < 16; ++c) {
    clients.push_back(std::async(std::launch::async, [this] {
      int good = 0;
      RawConnection connection(port());
      for (int i = 0; i < 100; ++i) {
        connection.Send("POST /echo/x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
        good += connection.ReadAnswer().ends_with("|3|abc") ? 1 : 0;
      }
      return good;
    }));
  }
  for (auto& client : clients) EXPECT_EQ(client.get(), 100);
}

// --- TLS ---

class HttpsServerTest : public HttpServerTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(testing::MakeSelfSigned(dir_, "server"));
    options_.tls = TlsMaterial{testing::ReadWholeFile(dir_.path() / "server.pem"),
                               Secret(testing::ReadWholeFile(dir_.path() / "server.key")), ""};
  }
  testing::TempDir dir_;
};

TEST_F(HttpsServerTest, ServesOverTls) {
  Start();
  RawConnection connection(port());
  ASSERT_TRUE(connection.StartTls((dir_.path() / "server.pem").string()));
  for (int i = 0; i < 3; ++i) {
    connection.Send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(connection.ReadAnswer(), StartsWith("HTTP/1.1 200 "));
  }
}

TEST_F(HttpsServerTest, PlainHttpIsNotAnswered) {
  Start();
  EXPECT_THAT(RawConnection::Get(port(), "/healthz"), Not(HasSubstr("200 OK")));
}

TEST_F(HttpsServerTest, AHandshakeThatDoesNotComeIsCut) {
  options_.header_timeout = milliseconds(100);
  Start();
  RawConnection connection(port());
  bool closed = false;
  connection.ReadToEnd(&closed);
  EXPECT_TRUE(closed);
}

TEST_F(HttpsServerTest, StopEndsTlsConnectionsToo) {
  Start();
  RawConnection connection(port());
  ASSERT_TRUE(connection.StartTls((dir_.path() / "server.pem").string()));
  connection.Send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  connection.ReadAnswer();
  EXPECT_TRUE(server_->Stop(std::chrono::seconds(5)));
}

TEST_F(HttpsServerTest, AKeyThatDoesNotFitIsAnErrorAtStart) {
  ASSERT_TRUE(testing::MakeSelfSigned(dir_, "other"));
  options_.tls->private_key = Secret(testing::ReadWholeFile(dir_.path() / "other.key"));
  auto server = HttpServer::Start(options_, HttpRouter({}), *logger_, metrics_);
  ASSERT_FALSE(server.ok());
  EXPECT_EQ(server.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace yardmaster
