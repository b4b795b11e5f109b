// One webhook, one POST: no retries, as real forges do it.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_WEBHOOK_POST_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_WEBHOOK_POST_H_

#include <atomic>
#include <string>

#include "tests/support/fakeforge/message.h"

namespace yardmaster::fakeforge {

// For one thread.
class WebhookPost {
 public:
  // `stop` ends what is in flight; it outlives this.
  explicit WebhookPost(const std::atomic<bool>& stop);
  ~WebhookPost();
  WebhookPost(const WebhookPost&) = delete;
  WebhookPost& operator=(const WebhookPost&) = delete;

  // The status of the answer; 0: there was none within ten seconds.
  int Send(const std::string& url, const Headers& headers, const std::string& body);

 private:
  const std::atomic<bool>& stop_;
  void* const curl_;
};

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_WEBHOOK_POST_H_
