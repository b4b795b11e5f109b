// The store's interfaces with a point before and after every write, where a test can end the world.
#ifndef YARDMASTER_TESTS_SUPPORT_CRASHING_STORE_H_
#define YARDMASTER_TESTS_SUPPORT_CRASHING_STORE_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/store/commands.h"
#include "services/core/store/decisions.h"
#include "services/core/store/inbox.h"
#include "services/core/store/ledger.h"
#include "services/core/store/subjects.h"

namespace yardmaster::testing {

using Point = std::function<void()>;

// Does `work` between two points.
template <typename Work>
auto Between(const Point& point, Work work) {
  point();
  auto result = work();
  point();
  return result;
}

class CrashingInbox final : public store::Inbox {
 public:
  CrashingInbox(store::Inbox& inner, const Point& point) : inner_(inner), point_(point) {}
  void Add(store::NewDelivery delivery, AddCallback done) override { inner_.Add(std::move(delivery), std::move(done)); }
  absl::StatusOr<std::vector<store::Delivery>> Claim(int64_t limit) override { return inner_.Claim(limit); }
  void Release(const std::vector<int64_t>& ids) override { inner_.Release(ids); }
  absl::StatusOr<std::optional<store::TimePoint>> NextDue() override { return inner_.NextDue(); }
  void SetListener(std::function<void()> listener) override { inner_.SetListener(std::move(listener)); }
  absl::Status Describe(int64_t id, std::string_view action, const v1::Subject& subject) override {
    return Between(point_, [&] { return inner_.Describe(id, action, subject); });
  }
  absl::Status Settle(const store::Settlement& settlement) override {
    return Between(point_, [&] { return inner_.Settle(settlement); });
  }
  void SettleAsync(store::Settlement settlement, std::function<void(absl::Status)> done) override {
    point_();
    inner_.SettleAsync(std::move(settlement), std::move(done));
    point_();
  }
  absl::Status Retry(int64_t id, store::TimePoint due_at, std::string_view reason) override {
    return Between(point_, [&] { return inner_.Retry(id, due_at, reason); });
  }
  absl::Status Requeue(int64_t id) override { return inner_.Requeue(id); }
  absl::StatusOr<store::Delivery> Get(int64_t id) override { return inner_.Get(id); }
  absl::StatusOr<store::Delivery> Find(std::string_view forge, std::string_view delivery_id) override {
    return inner_.Find(forge, delivery_id);
  }
  absl::StatusOr<std::string> Body(int64_t id) override { return inner_.Body(id); }
  absl::StatusOr<store::Page<store::Delivery>> List(const store::DeliveryFilter& filter,
                                                    const store::PageRequest& page) override {
    return inner_.List(filter, page);
  }
  absl::StatusOr<store::InboxCounts> Counts() override { return inner_.Counts(); }

 private:
  store::Inbox& inner_;
  const Point& point_;
};

class CrashingLedger final : public store::Ledger {
 public:
  CrashingLedger(store::Ledger& inner, const Point& point) : inner_(inner), point_(point) {}
  absl::StatusOr<store::IntentResult> Intent(const store::NewEffect& effect) override {
    return Between(point_, [&] { return inner_.Intent(effect); });
  }
  absl::Status Sending(int64_t id) override {
    return Between(point_, [&] { return inner_.Sending(id); });
  }
  absl::Status Postpone(int64_t id, store::TimePoint due_at, std::string_view reason) override {
    return Between(point_, [&] { return inner_.Postpone(id, due_at, reason); });
  }
  absl::Status MarkUnknown(int64_t id, store::TimePoint due_at, std::string_view reason,
                           std::string_view forge_ref) override {
    return Between(point_, [&] { return inner_.MarkUnknown(id, due_at, reason, forge_ref); });
  }
  absl::Status NoteProgress(int64_t id, std::string_view progress, store::TimePoint due_at) override {
    return Between(point_, [&] { return inner_.NoteProgress(id, progress, due_at); });
  }
  absl::Status UndoSending(int64_t id, std::string_view reason) override {
    return Between(point_, [&] { return inner_.UndoSending(id, reason); });
  }
  absl::Status MarkNotFound(int64_t id, std::string_view reason) override {
    return Between(point_, [&] { return inner_.MarkNotFound(id, reason); });
  }
  absl::Status MarkConfirmed(int64_t id, std::string_view forge_ref) override {
    return Between(point_, [&] { return inner_.MarkConfirmed(id, forge_ref); });
  }
  absl::Status MarkRefused(int64_t id, std::string_view reason) override {
    return Between(point_, [&] { return inner_.MarkRefused(id, reason); });
  }
  absl::Status MarkFailed(int64_t id, std::string_view reason) override {
    return Between(point_, [&] { return inner_.MarkFailed(id, reason); });
  }
  absl::StatusOr<store::Effect> Get(int64_t id) override { return inner_.Get(id); }
  absl::StatusOr<store::Effect> Find(std::string_view key) override { return inner_.Find(key); }
  absl::StatusOr<std::vector<store::Effect>> Pending(int64_t after, int64_t limit) override {
    return inner_.Pending(after, limit);
  }
  absl::StatusOr<int64_t> CountPending() override { return inner_.CountPending(); }
  absl::StatusOr<store::Page<store::Effect>> List(const store::EffectFilter& filter,
                                                  const store::PageRequest& page) override {
    return inner_.List(filter, page);
  }

 private:
  store::Ledger& inner_;
  const Point& point_;
};

class CrashingDecisions final : public store::Decisions {
 public:
  CrashingDecisions(store::Decisions& inner, const Point& point) : inner_(inner), point_(point) {}
  absl::Status Put(const store::NewDecision& decision) override {
    return Between(point_, [&] { return inner_.Put(decision); });
  }
  absl::StatusOr<store::Decision> Get(std::string_view id) override { return inner_.Get(id); }
  absl::StatusOr<std::optional<store::Decision>> Latest(const v1::Subject& subject) override {
    return inner_.Latest(subject);
  }
  absl::StatusOr<std::optional<store::Decision>> FindSame(const v1::Subject& subject, std::string_view input_digest,
                                                          std::string_view pack, std::string_view pack_revision,
                                                          std::optional<v1::Mode> mode) override {
    return inner_.FindSame(subject, input_digest, pack, pack_revision, mode);
  }
  absl::StatusOr<store::Page<store::Decision>> List(const store::DecisionFilter& filter,
                                                    const store::PageRequest& page) override {
    return inner_.List(filter, page);
  }

 private:
  store::Decisions& inner_;
  const Point& point_;
};

class CrashingSubjects final : public store::Subjects {
 public:
  CrashingSubjects(store::Subjects& inner, const Point& point) : inner_(inner), point_(point) {}
  absl::Status Put(const store::SeenSubject& seen) override {
    return Between(point_, [&] { return inner_.Put(seen); });
  }
  absl::StatusOr<std::optional<store::KnownSubject>> Get(const v1::Subject& subject) override {
    return inner_.Get(subject);
  }
  absl::Status NoteLabelRemoved(const v1::Subject& subject, std::string_view label, std::string_view by) override {
    return Between(point_, [&] { return inner_.NoteLabelRemoved(subject, label, by); });
  }
  absl::Status ForgetLabelRemoved(const v1::Subject& subject, std::string_view label) override {
    return Between(point_, [&] { return inner_.ForgetLabelRemoved(subject, label); });
  }
  absl::StatusOr<std::vector<store::RemovedLabel>> RemovedLabels(const v1::Subject& subject) override {
    return inner_.RemovedLabels(subject);
  }
  absl::StatusOr<store::SeenHead> SeeHead(const v1::Subject& subject, std::string_view head, store::TimePoint at,
                                          store::HeadSource source) override {
    return Between(point_, [&] { return inner_.SeeHead(subject, head, at, source); });
  }
  absl::StatusOr<std::vector<store::SimilarSubject>> Similar(const store::SimilarQuery& query) override {
    return inner_.Similar(query);
  }

 private:
  store::Subjects& inner_;
  const Point& point_;
};

class CrashingCommands final : public store::Commands {
 public:
  CrashingCommands(store::Commands& inner, const Point& point) : inner_(inner), point_(point) {}
  absl::StatusOr<std::vector<std::optional<store::StoredCommand>>> Take(const store::CommandsOfText& text) override {
    return Between(point_, [&] { return inner_.Take(text); });
  }
  absl::Status Plan(int64_t id, std::string_view plan) override {
    return Between(point_, [&] { return inner_.Plan(id, plan); });
  }
  absl::Status Settle(int64_t id, std::string_view outcome) override {
    return Between(point_, [&] { return inner_.Settle(id, outcome); });
  }
  absl::StatusOr<std::vector<store::StoredCommand>> List(const v1::Subject& subject) override {
    return inner_.List(subject);
  }

 private:
  store::Commands& inner_;
  const Point& point_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_CRASHING_STORE_H_
