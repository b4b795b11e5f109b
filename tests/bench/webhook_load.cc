// Sends signed webhooks, each with a delivery id and a body of its own, and measures the answers. Either as fast as the
// answers come, or at a fixed rate whatever the answers do: then the time of a delivery counts from when it was due, so
// that a server that stalls does not hide what it made wait. h2load and wrk can't do this: the one sends the same body
// again and again, which is a replay; the other has no fixed rate.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/hex.h"
#include "tests/support/webhook_examples.h"

namespace yardmaster::bench {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

constexpr size_t kPayloadBytes = 11'600;
// The issue's number. All have as many digits, so that all bodies have the same size.
constexpr int64_t kFirstNumber = 1'000'000'000;
// No answer for so long: the server is stuck.
constexpr std::chrono::seconds kPatience{30};

struct Options {
  uint16_t port = 0;
  std::string path;
  std::string secret;
  int connections = 128;
  int64_t first = 0;
  int64_t requests = 100'000;
  double seconds = 4;
  double rate = 0;  // 0: as fast as the answers come
  std::string repository;
  std::vector<std::string> labels;
};

[[noreturn]] void Fail(const std::string& what) {
  std::cerr << "webhook_load: " << what << "\n";
  std::exit(4);
}

// A body around the number of its issue.
struct Payload {
  std::string head, tail;
};

// GitHub's own example of an opened issue, of 11.6 KB.
Payload MakePayload(const Options& options) {
  ordered_json best = testing::OpenedIssueOfAbout(kPayloadBytes);
  if (!options.repository.empty()) best["repository"]["full_name"] = options.repository;
  if (!options.labels.empty()) {
    ordered_json label = best["issue"]["labels"].empty() ? ordered_json::object() : best["issue"]["labels"][0];
    best["issue"]["labels"] = ordered_json::array();
    for (const std::string& name : options.labels) {
      label["name"] = name;
      best["issue"]["labels"].push_back(label);
    }
  }
  constexpr std::string_view kMark = "\"NUMBER OF THE ISSUE\"";
  best["issue"]["number"] = kMark.substr(1, kMark.size() - 2);
  const std::string text = best.dump();
  const size_t at = text.find(kMark);
  return {text.substr(0, at), text.substr(at + kMark.size())};
}

// What differs between deliveries.
struct Delivery {
  std::array<char, 10> number;
  std::array<char, 64> signature;  // hex
};

std::vector<Delivery> Sign(const Options& options, const Payload& payload) {
  std::vector<Delivery> deliveries(static_cast<size_t>(options.requests));
  std::string body = payload.head + std::string(10, '0') + payload.tail;
  for (size_t i = 0; i < deliveries.size(); ++i) {
    const std::string number = std::to_string(kFirstNumber + options.first + static_cast<int64_t>(i));
    std::copy(number.begin(), number.end(), deliveries[i].number.begin());
    body.replace(payload.head.size(), 10, number);
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    HMAC(EVP_sha256(), options.secret.data(), static_cast<int>(options.secret.size()),
         reinterpret_cast<const unsigned char*>(body.data()), body.size(), digest, &size);
    const std::string hex = Hex({digest, size});
    std::copy(hex.begin(), hex.end(), deliveries[i].signature.begin());
  }
  return deliveries;
}

struct Connection {
  int socket = -1;
  bool busy = false;
  int64_t request = 0;      // index of the one that is being answered
  std::string head;         // of the request
  size_t sent = 0;          // bytes of head, payload head, number and payload tail
  bool wants_room = false;  // epoll tells when there is room to send
  std::string answer;
};

class Load {
 public:
  explicit Load(Options options)
      : options_(std::move(options)), payload_(MakePayload(options_)), deliveries_(Sign(options_, payload_)) {
    due_.resize(deliveries_.size());
    latencies_.reserve(deliveries_.size());
  }

  void Run();
  void Print() const;

 private:
  void Connect(Connection& connection);
  void Watch(Connection& connection, int operation, uint32_t events) const;
  void Begin(Connection& connection, int64_t request);
  void Send(Connection& connection);
  void Receive(Connection& connection);
  // True and the length of the whole answer if it has arrived.
  static bool Complete(const std::string& answer, size_t& length);
  void SendWhatIsDue();
  void SetTimer(Clock::time_point when) const;

  const Options options_;
  const Payload payload_;
  const std::vector<Delivery> deliveries_;
  std::vector<Connection> connections_;
  std::vector<size_t> idle_;
  int epoll_ = -1;
  int timer_ = -1;
  Clock::time_point begin_;
  Clock::time_point end_;
  int64_t next_ = 0;
  std::vector<Clock::time_point> due_;
  std::vector<double> latencies_;  // milliseconds
  std::map<int, int64_t> statuses_;
  size_t largest_wait_ = 0;  // deliveries that were due and had no free connection
};

void Load::Connect(Connection& connection) {
  connection.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options_.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(connection.socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) Fail("can't connect");
  const int on = 1;
  ::setsockopt(connection.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::fcntl(connection.socket, F_SETFL, O_NONBLOCK);
  Watch(connection, EPOLL_CTL_ADD, EPOLLIN);
}

void Load::Watch(Connection& connection, int operation, uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.u64 = static_cast<uint64_t>(&connection - connections_.data());
  ::epoll_ctl(epoll_, operation, connection.socket, &event);
}

void Load::Begin(Connection& connection, int64_t request) {
  connection.busy = true;
  connection.request = request;
  connection.sent = 0;
  connection.answer.clear();
  const Delivery& delivery = deliveries_[static_cast<size_t>(request)];
  // Ids of GitHub are random: neighbours in time are not neighbours in an index.
  char id[64];
  const auto number = static_cast<uint64_t>(options_.first + request);
  const uint64_t mixed = number * 0x9e3779b97f4a7c15;
  std::snprintf(id, sizeof(id), "%08" PRIx64 "-%04" PRIx64 "-11ee-8000-%012" PRIx64, mixed >> 32, mixed >> 16 & 0xffff,
                number);
  connection.head = "POST " + options_.path +
                    " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: GitHub-Hookshot/044aadd\r\nContent-Length: " +
                    std::to_string(payload_.head.size() + 10 + payload_.tail.size()) +
                    "\r\nAccept: */*\r\nContent-Type: application/json\r\nX-GitHub-Delivery: " + id +
                    "\r\nX-GitHub-Event: issues\r\nX-GitHub-Hook-ID: 292430182\r\n"
                    "X-GitHub-Hook-Installation-Target-ID: 79929171\r\n"
                    "X-GitHub-Hook-Installation-Target-Type: repository\r\nX-Hub-Signature-256: sha256=" +
                    std::string(delivery.signature.data(), delivery.signature.size()) + "\r\n\r\n";
  Send(connection);
}

void Load::Send(Connection& connection) {
  const Delivery& delivery = deliveries_[static_cast<size_t>(connection.request)];
  const std::string_view parts[] = {
      connection.head, payload_.head, {delivery.number.data(), delivery.number.size()}, payload_.tail};
  while (true) {
    iovec pieces[4];
    int count = 0;
    size_t skip = connection.sent;
    for (const std::string_view part : parts) {
      if (skip >= part.size()) {
        skip -= part.size();
        continue;
      }
      pieces[count++] = {const_cast<char*>(part.data()) + skip, part.size() - skip};
      skip = 0;
    }
    // All is sent. Epoll was asked for room only where there was none.
    if (count == 0) {
      if (connection.wants_room) Watch(connection, EPOLL_CTL_MOD, EPOLLIN);
      connection.wants_room = false;
      return;
    }
    const ssize_t sent = ::writev(connection.socket, pieces, count);
    if (sent < 0 && errno == EAGAIN) {
      if (!connection.wants_room) Watch(connection, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
      connection.wants_room = true;
      return;
    }
    if (sent < 0) Fail(std::string("can't send: ") + std::strerror(errno));
    connection.sent += static_cast<size_t>(sent);
  }
}

bool Load::Complete(const std::string& answer, size_t& length) {
  const size_t head = answer.find("\r\n\r\n");
  if (head == std::string::npos) return false;
  std::string lower = answer.substr(0, head + 2);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  constexpr std::string_view kLength = "\r\ncontent-length:";
  if (const size_t at = lower.find(kLength); at != std::string::npos) {
    length = head + 4 + std::strtoull(lower.c_str() + at + kLength.size(), nullptr, 10);
    return answer.size() >= length;
  }
  if (lower.find("\r\ntransfer-encoding: chunked") == std::string::npos) Fail("an answer without a length");
  constexpr std::string_view kLastChunk = "0\r\n\r\n";
  const size_t last = answer.find(kLastChunk, head + 4);
  length = last + kLastChunk.size();
  return last != std::string::npos;
}

void Load::Receive(Connection& connection) {
  char buffer[4096];
  while (true) {
    const ssize_t got = ::read(connection.socket, buffer, sizeof(buffer));
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) Fail("the server closed a connection");
    if (!connection.busy) Fail("an answer that nobody asked for");
    connection.answer.append(buffer, static_cast<size_t>(got));
    size_t length = 0;
    if (Complete(connection.answer, length)) break;
  }
  if (connection.answer.size() < 12) Fail("not an answer: " + connection.answer);
  const Clock::time_point now = Clock::now();
  end_ = now;
  statuses_[std::atoi(connection.answer.c_str() + 9)] += 1;
  const std::chrono::duration<double, std::milli> took = now - due_[static_cast<size_t>(connection.request)];
  latencies_.push_back(took.count());
  connection.busy = false;
  idle_.push_back(static_cast<size_t>(&connection - connections_.data()));
}

void Load::SetTimer(Clock::time_point when) const {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch()).count();
  itimerspec at{};
  at.it_value.tv_sec = since / 1'000'000'000;
  at.it_value.tv_nsec = since % 1'000'000'000;
  ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &at, nullptr);
}

void Load::SendWhatIsDue() {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> length(options_.seconds);
  if (options_.rate <= 0) {
    while (!idle_.empty() && next_ < options_.requests && now - begin_ < length) {
      due_[static_cast<size_t>(next_)] = Clock::now();
      Connection& connection = connections_[idle_.back()];
      idle_.pop_back();
      Begin(connection, next_++);
    }
    return;
  }
  const auto due_at = [&](int64_t i) {
    return begin_ + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(static_cast<double>(i) / options_.rate));
  };
  while (next_ < options_.requests && due_at(next_) <= now && !idle_.empty()) {
    due_[static_cast<size_t>(next_)] = due_at(next_);
    Connection& connection = connections_[idle_.back()];
    idle_.pop_back();
    Begin(connection, next_++);
  }
  if (next_ == options_.requests) return;
  if (idle_.empty()) {
    const double waited = std::chrono::duration<double>(now - due_at(next_)).count() * options_.rate;
    if (waited > 0) largest_wait_ = std::max(largest_wait_, static_cast<size_t>(waited) + 1);
    return;  // an answer brings us here again
  }
  SetTimer(due_at(next_));
}

void Load::Run() {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  connections_.resize(static_cast<size_t>(options_.connections));
  for (Connection& connection : connections_) Connect(connection);
  for (size_t i = connections_.size(); i > 0; --i) idle_.push_back(i - 1);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = UINT64_MAX;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, timer_, &event);

  begin_ = end_ = Clock::now();
  SendWhatIsDue();
  std::array<epoll_event, 256> events;
  const auto flying = [&] { return idle_.size() < connections_.size(); };
  // In an open load the clock brings the rest, in a closed one there is none when nothing flies.
  while (flying() || (options_.rate > 0 && next_ < options_.requests)) {
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                                   static_cast<int>(std::chrono::milliseconds(kPatience).count()));
    if (count == 0) Fail("no answer for 30 s");
    for (int i = 0; i < count; ++i) {
      const epoll_event& happened = events[static_cast<size_t>(i)];
      if (happened.data.u64 == UINT64_MAX) {
        uint64_t ticks = 0;
        if (::read(timer_, &ticks, sizeof(ticks)) < 0 && errno != EAGAIN) Fail("the timer fails");
        continue;
      }
      Connection& connection = connections_[happened.data.u64];
      if ((happened.events & EPOLLOUT) != 0) Send(connection);
      if ((happened.events & ~static_cast<uint32_t>(EPOLLOUT)) != 0) Receive(connection);
    }
    SendWhatIsDue();
  }
}

void Load::Print() const {
  std::vector<double> sorted = latencies_;
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double q) {
    return sorted.empty() ? 0.0 : sorted[std::min(sorted.size() - 1, static_cast<size_t>(q * sorted.size()))];
  };
  const double seconds = std::chrono::duration<double>(end_ - begin_).count();
  int64_t accepted = 0;
  ordered_json statuses = ordered_json::object();
  for (const auto& [status, count] : statuses_) {
    statuses[std::to_string(status)] = count;
    if (status >= 200 && status < 300) accepted += count;
  }
  const ordered_json out = {{"payload_bytes", payload_.head.size() + 10 + payload_.tail.size()},
                            {"sent", next_},
                            {"accepted", accepted},
                            {"statuses", statuses},
                            {"seconds", seconds},
                            {"per_second", seconds > 0 ? static_cast<double>(accepted) / seconds : 0},
                            {"p50_ms", quantile(0.5)},
                            {"p99_ms", quantile(0.99)},
                            {"max_ms", sorted.empty() ? 0.0 : sorted.back()},
                            {"largest_wait", largest_wait_}};
  std::cout << out.dump() << "\n";
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app{"Sends signed webhooks of 11.6 KB, no two alike, to 127.0.0.1, and prints one JSON object."};
  app.add_option("--port", options.port)->required();
  app.add_option("--path", options.path, "of the URL")->required();
  app.add_option("--secret", options.secret, "that bodies are signed with")->required();
  app.add_option("--connections", options.connections)->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--first", options.first, "number of the first delivery; runs must not overlap")
      ->check(CLI::Range(int64_t{0}, int64_t{1'000'000'000}));
  app.add_option("--requests", options.requests, "at most so many")
      ->check(CLI::Range(int64_t{1}, int64_t{10'000'000}))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "of sending")->capture_default_str();
  app.add_option("--rate", options.rate, "deliveries a second, whatever the answers do; 0: as fast as they come");
  app.add_option("--repository", options.repository, "instead of the example's own");
  app.add_option("--label", options.labels, "of the issue, instead of the example's own");
  CLI11_PARSE(app, argc, argv);
  if (options.rate > 0) {
    options.requests = std::min(options.requests, static_cast<int64_t>(options.rate * options.seconds));
  }
  Load load(std::move(options));
  load.Run();
  load.Print();
  return 0;
}

}  // namespace
}  // namespace yardmaster::bench

int main(int argc, char** argv) { return yardmaster::bench::Main(argc, argv); }
