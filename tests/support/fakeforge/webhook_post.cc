#include "tests/support/fakeforge/webhook_post.h"

#include <curl/curl.h>

namespace yardmaster::fakeforge {
namespace {

constexpr long kTimeoutMs = 10'000;

size_t Discard(char*, size_t size, size_t count, void*) { return size * count; }

int Stopped(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::atomic<bool>*>(stop)->load() ? 1 : 0;
}

}  // namespace

WebhookPost::WebhookPost(const std::atomic<bool>& stop) : stop_(stop), curl_(curl_easy_init()) {}

WebhookPost::~WebhookPost() { curl_easy_cleanup(curl_); }

int WebhookPost::Send(const std::string& url, const Headers& headers, const std::string& body) {
  curl_easy_reset(curl_);
  curl_slist* list = curl_slist_append(nullptr, "Expect:");
  for (const auto& [name, value] : headers) {
    std::string line = name;
    line.append(": ").append(value);
    list = curl_slist_append(list, line.c_str());
  }
  curl_easy_setopt(curl_, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl_, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS, kTimeoutMs);
  curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &Discard);
  curl_easy_setopt(curl_, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl_, CURLOPT_XFERINFOFUNCTION, &Stopped);
  curl_easy_setopt(curl_, CURLOPT_XFERINFODATA, &stop_);
  long status = 0;
  if (curl_easy_perform(curl_) == CURLE_OK) curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
  curl_slist_free_all(list);
  return static_cast<int>(status);
}

}  // namespace yardmaster::fakeforge
