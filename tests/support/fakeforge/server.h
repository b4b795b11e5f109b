// The state machine on real sockets and a real clock: answers calls, sends webhooks.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_SERVER_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_SERVER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fakeforge/chat_talk.h"
#include "tests/support/fakeforge/http_listener.h"
#include "tests/support/fakeforge/state.h"

namespace yardmaster::fakeforge {

struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 0;
  // Where deliveries go; empty: none are made.
  std::string webhook_url_github;
  std::string webhook_url_gitcode;
  // Deliveries in flight at once. With one, they arrive in the order in which things happened.
  int webhook_connections = 1;
  StateOptions state;
  // The daemon, for what people say in chat: "http://HOST:PORT"; empty: nobody hears it.
  std::string chat_url;
  std::string chat_secret;  // as of ChatSide
};

// Thread-safe.
class Server {
 public:
  // nullptr and `error` if the address can't be listened on.
  static std::unique_ptr<Server> Start(ServerOptions options, std::string& error);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const { return listener_->port(); }
  // What a client's api_url must be: "http://127.0.0.1:PORT", "http://127.0.0.1:PORT/api/v5".
  std::string ApiUrl(std::string_view forge) const;
  // What a platform's api_url must be.
  std::string ChatUrl(std::string_view platform) const;
  // What a client's git_url must be, with StateOptions.git_root.
  std::string GitUrl() const;
  // Runs `use` while nothing else does.
  void WithState(const std::function<void(State& state, Time now)>& use);

 private:
  explicit Server(ServerOptions options);
  void SendWebhooks();
  // Ends early where this object ends.
  void Rest(std::chrono::milliseconds time);

  const ServerOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> closing_{false};
  ChatTalk chat_;
  std::vector<std::thread> senders_;
  std::unique_ptr<HttpListener> listener_;
};

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_SERVER_H_
