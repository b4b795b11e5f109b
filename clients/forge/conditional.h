// Decorator: remembers answers that came with an ETag and asks with it the next time; 304 then stands for what is
// remembered. GitHub does not count 304 against its primary limit, so reading a subject again right before a write
// costs next to nothing. The forge decides every time: nothing is ever served without asking.
#ifndef YARDMASTER_CLIENTS_FORGE_CONDITIONAL_H_
#define YARDMASTER_CLIENTS_FORGE_CONDITIONAL_H_

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "clients/forge/transport.h"

namespace yardmaster {

struct ConditionalLimits {
  size_t total_bytes = 32 * 1024 * 1024;
  size_t entry_bytes = 2 * 1024 * 1024;  // larger answers are not remembered
};

class ConditionalTransport final : public ForgeTransport {
 public:
  ConditionalTransport(ForgeTransport& inner, const ConditionalLimits& limits) : inner_(inner), limits_(limits) {}

  ForgeAnswer Send(const ForgeRequest& request) override;
  void Stop() override { inner_.Stop(); }

  size_t bytes() const;
  size_t entries() const;

 private:
  struct Entry {
    std::string target;
    std::string etag;
    std::vector<HttpHeader> headers;
    std::string body;
    size_t Bytes() const;
  };
  using Order = std::list<std::shared_ptr<const Entry>>;  // the one used last in front

  std::shared_ptr<const Entry> Find(const std::string& target);
  void Remember(std::shared_ptr<const Entry> entry);
  void Forget(const std::string& target);
  // Callers hold the mutex.
  void Erase(Order::iterator it);

  ForgeTransport& inner_;
  const ConditionalLimits limits_;
  mutable std::mutex mutex_;
  Order order_;
  // Keys are views into the entries.
  std::unordered_map<std::string_view, Order::iterator> by_target_;
  size_t bytes_ = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_CONDITIONAL_H_
