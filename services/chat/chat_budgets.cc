#include "services/chat/chat_budgets.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// What a limit counts the messages of.
enum class ChatScope : uint8_t { kApp, kChannel, kPerson };

struct ChatBudget {
  std::string_view platform;
  ChatScope scope;
  size_t messages;
  seconds within;
};
constexpr ChatBudget kChatBudgets[] = {
    {"slack", ChatScope::kChannel, 1, seconds(1)},
    // The limiter of a site counts all that one account does.
    {"mattermost", ChatScope::kApp, 8, seconds(1)},
    {"feishu", ChatScope::kApp, 45, seconds(1)},
    {"feishu", ChatScope::kApp, 950, seconds(60)},
    {"feishu", ChatScope::kChannel, 4, seconds(1)},
    {"dingtalk", ChatScope::kChannel, 18, seconds(60)},
    {"wecom", ChatScope::kPerson, 27, seconds(60)},
    {"wecom", ChatScope::kPerson, 950, seconds(3'600)},
};
// Where the platform's own "not now" holds.
constexpr ChatBudget kHolds[] = {{"slack", ChatScope::kChannel, 0, seconds(0)},
                                 {"mattermost", ChatScope::kApp, 0, seconds(0)},
                                 {"feishu", ChatScope::kApp, 0, seconds(0)},
                                 {"dingtalk", ChatScope::kChannel, 0, seconds(0)},
                                 {"wecom", ChatScope::kPerson, 0, seconds(0)}};

// More are looked through for what no longer counts.
constexpr size_t kMaxBuckets = 2'000;

std::string BucketName(const ChatBudget& budget, const ChatGoal& goal) {
  const std::string_view of = budget.scope == ChatScope::kApp       ? std::string_view()
                              : budget.scope == ChatScope::kChannel ? goal.channel
                                                                    : goal.user;
  return absl::StrCat(Abs(goal.platform), " ", static_cast<int>(budget.scope), " ", budget.within.count(), " ",
                      Abs(of));
}

}  // namespace

milliseconds ChatBudgets::Spend(const ChatGoal& goal) {
  const TimePoint now = clock_.Monotonic();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (buckets_.size() > kMaxBuckets) Prune(now);
  // All of them have room, or none counts it.
  TimePoint free = now;
  for (const ChatBudget& hold : kHolds) {
    if (hold.platform != goal.platform) continue;
    const auto held = buckets_.find(BucketName(hold, goal));
    if (held != buckets_.end()) free = std::max(free, held->second.until);
  }
  std::vector<Bucket*> counted;
  for (const ChatBudget& budget : kChatBudgets) {
    if (budget.platform != goal.platform) continue;
    Bucket& bucket = buckets_[BucketName(budget, goal)];
    bucket.until = std::max(bucket.until, now + budget.within);
    while (!bucket.sent.empty() && bucket.sent.front() + budget.within <= now) bucket.sent.pop_front();
    if (bucket.sent.size() >= budget.messages) free = std::max(free, bucket.sent.front() + budget.within);
    counted.push_back(&bucket);
  }
  if (free > now) return std::chrono::ceil<milliseconds>(free - now);
  for (Bucket* bucket : counted) bucket->sent.push_back(now);
  return milliseconds(0);
}

void ChatBudgets::Hold(const ChatGoal& goal, milliseconds wait) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const ChatBudget& hold : kHolds) {
    if (hold.platform != goal.platform) continue;
    Bucket& bucket = buckets_[BucketName(hold, goal)];
    bucket.until = std::max(bucket.until, clock_.Monotonic() + wait);
  }
}

void ChatBudgets::Prune(TimePoint now) {
  std::erase_if(buckets_, [now](const auto& entry) { return entry.second.until <= now; });
}

}  // namespace yardmaster
