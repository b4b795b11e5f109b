#include "tests/support/fakeforge/server.h"

#include "tests/support/fakeforge/webhook_post.h"

namespace yardmaster::fakeforge {
namespace {

Time Now() { return std::chrono::system_clock::now(); }

StateOptions WithWebhooks(const ServerOptions& options) {
  StateOptions state = options.state;
  state.github.webhooks = !options.webhook_url_github.empty();
  state.gitcode.webhooks = !options.webhook_url_gitcode.empty();
  return state;
}

}  // namespace

Server::Server(ServerOptions options)
    : options_(std::move(options)),
      state_(WithWebhooks(options_)),
      chat_(options_.chat_url, options_.chat_secret, closing_) {}

std::unique_ptr<Server> Server::Start(ServerOptions options, std::string& error) {
  auto server = std::unique_ptr<Server>(new Server(std::move(options)));
  Server* const raw = server.get();
  server->listener_ = HttpListener::Start(
      raw->options_.host, raw->options_.port,
      [raw](const Request& request) {
        // Without the lock: a fetch takes its time.
        if (const GitRoot* const git = raw->state_.git();
            git != nullptr && request.path().starts_with(GitRoot::kPath)) {
          return git->Serve(request);
        }
        // What people say waits for the daemon, which may call us meanwhile.
        if (request.path().starts_with(ChatTalk::kPath) || ChatTalk::IsOwn(request.Parts())) {
          return raw->chat_.Handle(request);
        }
        Answer answer;
        int slow_ms = 0;
        raw->WithState([&](State& state, Time now) {
          answer = state.Handle(request, now);
          slow_ms = state.faults().slow_ms;
        });
        if (slow_ms > 0 && !request.path().starts_with("/_fake/")) raw->Rest(std::chrono::milliseconds(slow_ms));
        return answer;
      },
      error);
  if (server->listener_ == nullptr) return nullptr;
  for (int i = 0; i < raw->options_.webhook_connections; ++i) {
    server->senders_.emplace_back([raw] { raw->SendWebhooks(); });
  }
  return server;
}

Server::~Server() {
  closing_ = true;
  listener_.reset();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& sender : senders_) sender.join();
}

std::string Server::ApiUrl(std::string_view forge) const {
  const std::string base = "http://" + options_.host + ":" + std::to_string(port());
  return forge == "gitcode" ? base + "/api/v5" : base;
}

std::string Server::ChatUrl(std::string_view platform) const {
  return "http://" + options_.host + ":" + std::to_string(port()) + ChatTalk::kPath + std::string(platform);
}

std::string Server::GitUrl() const { return "http://" + options_.host + ":" + std::to_string(port()) + "/git"; }

void Server::WithState(const std::function<void(State& state, Time now)>& use) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    use(state_, Now());
  }
  changed_.notify_all();
}

void Server::Rest(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds kStep{20};
  for (const Time end = Now() + time; !closing_ && Now() < end;) std::this_thread::sleep_for(kStep);
}

void Server::SendWebhooks() {
  WebhookPost post(stopping_);
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    const std::vector<Outgoing> due = state_.TakeDue(Now(), 1);
    if (due.empty()) {
      if (const std::optional<Time> next = state_.NextDue(); next.has_value()) {
        changed_.wait_until(lock, *next);
      } else {
        changed_.wait(lock);
      }
      continue;
    }
    const Outgoing& webhook = due.front();
    lock.unlock();
    const std::string& url = webhook.forge == "gitcode" ? options_.webhook_url_gitcode : options_.webhook_url_github;
    const int status = post.Send(url, webhook.headers, webhook.body);
    lock.lock();
    state_.Settle(webhook.id, status, Now());
  }
}

}  // namespace yardmaster::fakeforge
