#include "clients/forge/conditional.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace yardmaster {

size_t ConditionalTransport::Entry::Bytes() const {
  size_t bytes = sizeof(Entry) + target.size() + etag.size() + body.size();
  for (const HttpHeader& header : headers) bytes += sizeof(HttpHeader) + header.name.size() + header.value.size();
  return bytes;
}

ForgeAnswer ConditionalTransport::Send(const ForgeRequest& request) {
  if (!request.IsRead()) return inner_.Send(request);
  const std::shared_ptr<const Entry> known = Find(request.target);
  ForgeAnswer answer;
  if (known == nullptr) {
    answer = inner_.Send(request);
  } else {
    ForgeRequest conditional = request;
    conditional.headers.push_back({"If-None-Match", known->etag});
    answer = inner_.Send(conditional);
  }
  if (answer.error.has_value()) return answer;

  if (answer.status == 304) {
    if (known == nullptr) {
      return FailedAnswer({ForgeReason::kBadAnswer, ForgeOutcome::kRefused, 304, std::nullopt},
                          absl::StrCat(DescribeRequest(request), ": 304 to a request that had no condition"));
    }
    // 304 tells its limits in headers of its own; the rest (Link) stands in the remembered ones.
    answer.status = 200;
    answer.body = known->body;
    answer.headers.insert(answer.headers.end(), known->headers.begin(), known->headers.end());
    return answer;
  }

  const std::string_view etag = answer.Header("ETag");
  // A followed redirect answers for another place.
  if (answer.status != 200 || etag.empty() || answer.redirected) {
    if (known != nullptr) Forget(request.target);
    return answer;
  }
  auto entry = std::make_shared<Entry>();
  entry->target = request.target;
  entry->etag = std::string(etag);
  for (const HttpHeader& header : answer.headers) {
    // What adapters read; times and limits of an old answer would mislead.
    if (EqualsIgnoreCase(header.name, "Link") || EqualsIgnoreCase(header.name, "total_page") ||
        EqualsIgnoreCase(header.name, "total_count")) {
      entry->headers.push_back(header);
    }
  }
  entry->body = answer.body;
  Remember(std::move(entry));
  return answer;
}

size_t ConditionalTransport::bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

size_t ConditionalTransport::entries() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return order_.size();
}

std::shared_ptr<const ConditionalTransport::Entry> ConditionalTransport::Find(const std::string& target) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = by_target_.find(target);
  if (it == by_target_.end()) return nullptr;
  order_.splice(order_.begin(), order_, it->second);
  return *it->second;
}

void ConditionalTransport::Remember(std::shared_ptr<const Entry> entry) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const auto it = by_target_.find(entry->target); it != by_target_.end()) Erase(it->second);
  const size_t bytes = entry->Bytes();
  if (bytes > limits_.entry_bytes || bytes > limits_.total_bytes) return;
  while (bytes_ + bytes > limits_.total_bytes) Erase(std::prev(order_.end()));
  order_.push_front(std::move(entry));
  by_target_.emplace(order_.front()->target, order_.begin());
  bytes_ += bytes;
}

void ConditionalTransport::Forget(const std::string& target) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const auto it = by_target_.find(target); it != by_target_.end()) Erase(it->second);
}

void ConditionalTransport::Erase(Order::iterator it) {
  bytes_ -= (*it)->Bytes();
  by_target_.erase((*it)->target);
  order_.erase(it);
}

}  // namespace yardmaster
