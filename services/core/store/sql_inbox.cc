#include "services/core/store/sql_inbox.h"

#include <algorithm>
#include <charconv>
#include <future>
#include <memory>
#include <utility>

#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/sha256.h"
#include "services/core/status_macros.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

// A header's value is cut to this; the router looks at short ones.
constexpr size_t kMaxHeaderBytes = 1024;
constexpr size_t kMaxHeaders = 32;

bool IsHexSha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The first eight bytes of a digest, for the index.
int64_t BodyKey(std::string_view hex) {
  uint64_t key = 0;
  std::from_chars(hex.data(), hex.data() + std::min<size_t>(hex.size(), 16), key, 16);
  return static_cast<int64_t>(key);
}

Headers CleanHeaders(const Headers& headers) {
  Headers clean;
  for (const auto& [name, value] : headers) {
    if (clean.size() == kMaxHeaders) break;
    clean.emplace_back(CleanText(name, kMaxHeaderBytes), CleanText(value, kMaxHeaderBytes));
  }
  return clean;
}

// Columns of a delivery, in the order of DeliveryRow::Into.
constexpr std::string_view kDeliveryColumns =
    "select d.id, d.forge, d.delivery_id, d.event, d.action, d.subject, d.subject_kind, d.state, d.reason, d.attempts, "
    "d.received_at, d.due_at, d.settled_at, d.body_sha256, d.body_bytes, d.headers, "
    "(select count(*) from bodies b where b.delivery = d.id) from deliveries d";

struct DeliveryRow {
  long long id = 0;
  std::string forge, delivery_id, event, action, subject, state, reason, body_sha256, headers;
  long long subject_kind = 0, attempts = 0, received_at = 0, due_at = 0, settled_at = 0, body_bytes = 0, kept = 0;

  void Into(Select& query) {
    query.Into(id).Into(forge).Into(delivery_id).Into(event).Into(action).Into(subject).Into(subject_kind);
    query.Into(state).Into(reason).Into(attempts).Into(received_at).Into(due_at).Into(settled_at).Into(body_sha256);
    query.Into(body_bytes).Into(headers).Into(kept);
  }
  Delivery Read() const {
    Delivery delivery;
    delivery.id = id;
    delivery.forge = forge;
    delivery.delivery_id = delivery_id;
    delivery.event = event;
    delivery.action = action;
    delivery.subject = SubjectFromText(subject, subject_kind);
    delivery.state = DeliveryStateFromName(state).value_or(DeliveryState::kFailed);
    delivery.reason = reason;
    delivery.attempts = attempts;
    delivery.received_at = FromMicros(received_at);
    delivery.due_at = OptionalTime(due_at);
    delivery.settled_at = OptionalTime(settled_at);
    delivery.body_sha256 = body_sha256;
    delivery.body_bytes = body_bytes;
    delivery.body_kept = kept > 0;
    delivery.headers = DecodePairs(headers);
    return delivery;
  }
};

absl::StatusOr<Delivery> ReadOne(Select& query, std::string_view name) {
  DeliveryRow row;
  row.Into(query);
  if (!query.Next()) return errors::DeliveryUnknown(name);
  Delivery delivery = row.Read();
  while (query.Next()) {
  }
  return delivery;
}

// A condition that only these rows meet.
std::string AmongRows(const std::vector<int64_t>& rows) {
  std::string condition = "d.id in (0";
  for (int64_t row : rows) condition.append(", ").append(std::to_string(row));
  return condition + ")";
}

}  // namespace

// What the writer has prepared. The members are the statements' parameters and results.
struct SqlInbox::Statements {
  explicit Statements(soci::session& sql)
      : content(sql),
        same_id(
            (sql.prepare << "select state, reason from deliveries where id = :id and forge = :forge and delivery_id "
                            "= :delivery",
             soci::use(found_id, "id"), soci::use(forge, "forge"), soci::use(delivery, "delivery"),
             soci::into(found_state), soci::into(found_reason))),
        same_body(
            (sql.prepare << "select delivery_id from deliveries where id = :id and body_sha256 = :sha and forge = "
                            ":forge and event = :event",
             soci::use(found_id, "id"), soci::use(sha256, "sha"), soci::use(forge, "forge"), soci::use(event, "event"),
             soci::into(found_delivery))),
        insert((sql.prepare
                    << "insert into deliveries (forge, delivery_id, event, action, subject, subject_kind, state, "
                       "reason, received_at, settled_at, body_sha256, body_key, body_bytes, headers) values (:forge, "
                       ":delivery, "
                       ":event, :action, :subject, :kind, :state, :reason, :received, :settled, :sha, :key, :bytes, "
                       ":headers) returning id",
                soci::use(forge, "forge"), soci::use(delivery, "delivery"), soci::use(event, "event"),
                soci::use(action, "action"), soci::use(subject, "subject"), soci::use(kind, "kind"),
                soci::use(state, "state"), soci::use(reason, "reason"), soci::use(received_at, "received"),
                soci::use(settled_at, "settled"), soci::use(sha256, "sha"), soci::use(body_key, "key"),
                soci::use(body_bytes, "bytes"), soci::use(headers, "headers"), soci::into(id))),
        insert_body((sql.prepare << "insert into bodies (delivery, kept_at, stored_bytes, encoding, content) values "
                                    "(:id, :now, :stored, :encoding, :content)",
                     soci::use(id, "id"), soci::use(received_at, "now"), soci::use(stored_bytes, "stored"),
                     soci::use(encoding, "encoding"), soci::use(content, "content"))),
        describe((sql.prepare << "update deliveries set action = :action, subject = :subject, subject_kind = :kind "
                                 "where id = :id returning id",
                  soci::use(action, "action"), soci::use(subject, "subject"), soci::use(kind, "kind"),
                  soci::use(id, "id"), soci::into(found_id))),
        // Describes as well, where there is something to say that is not known yet.
        settle((sql.prepare << "update deliveries set state = :state, reason = :reason, attempts = attempts + "
                               ":attempts, due_at = 0, settled_at = :settled, action = case when action = '' then "
                               ":action else action end, subject_kind = case when subject = '' then :kind else "
                               "subject_kind end, subject = case when subject = '' then :subject else subject end "
                               "where id = :id and state = 'received' returning forge",
                soci::use(state, "state"), soci::use(reason, "reason"), soci::use(attempts, "attempts"),
                soci::use(settled_at, "settled"), soci::use(action, "action"), soci::use(kind, "kind"),
                soci::use(subject, "subject"), soci::use(id, "id"), soci::into(found_forge))),
        retry((sql.prepare << "update deliveries set attempts = attempts + 1, due_at = :due, reason = :reason where id "
                              "= :id and state = 'received' returning id",
               soci::use(due_at, "due"), soci::use(reason, "reason"), soci::use(id, "id"), soci::into(found_id))),
        requeue((sql.prepare << "update deliveries set state = 'received', reason = '', attempts = 0, due_at = 0, "
                                "settled_at = 0 where id = :id and state <> 'received' and exists (select 1 from "
                                "bodies where delivery = :id) returning forge",
                 soci::use(id, "id"), soci::into(found_forge))),
        state_of((sql.prepare << "select state from deliveries where id = :id", soci::use(id, "id"),
                  soci::into(found_state))) {}

  // NOT_FOUND or FAILED_PRECONDITION for a delivery that was not in the state that a change needs.
  absl::Status Refusal(std::string_view wanted) {
    if (!RunOne(state_of)) return errors::DeliveryUnknown(std::to_string(id));
    return errors::TransitionRefused("delivery", id, found_state, wanted);
  }

  std::string forge, delivery, event, action, subject, state, reason, sha256, headers;
  long long id = 0, kind = 0, received_at = 0, settled_at = 0, due_at = 0, attempts = 0, body_bytes = 0;
  long long stored_bytes = 0, encoding = 0, body_key = 0;
  soci::blob content;

  long long found_id = 0;
  std::string found_delivery, found_state, found_reason, found_forge;

  soci::statement same_id, same_body, insert, insert_body, describe, settle, retry, requeue, state_of;
};

// One delivery on its way to the disk.
class SqlInbox::AddWrite final : public Write {
 public:
  AddWrite(SqlInbox& inbox, NewDelivery delivery, Packed packed, int64_t body_bytes, AddCallback done)
      : Write(WriteKind::kDelivery, packed.bytes.size()),
        inbox_(inbox),
        delivery_(std::move(delivery)),
        packed_(std::move(packed)),
        body_bytes_(body_bytes),
        headers_(EncodePairs(CleanHeaders(delivery_.headers))),
        done_(std::move(done)) {}

  absl::Status Apply(Transaction& transaction) override {
    Statements& s = *inbox_.statements_;
    s.forge = delivery_.forge;
    s.delivery = delivery_.delivery_id;
    s.event = delivery_.event;
    s.action = delivery_.action;
    s.subject = SubjectText(delivery_.subject);
    s.kind = delivery_.subject.kind();
    s.received_at = ToMicros(delivery_.received_at);
    s.sha256 = delivery_.body_sha256;
    s.body_key = BodyKey(delivery_.body_sha256);
    s.body_bytes = body_bytes_;
    s.headers = headers_;

    // The same id?
    result_ = AddResult();
    const uint32_t id_print = IdPrint(delivery_.delivery_id);
    const uint32_t body_print = BodyPrint(s.body_key);
    if (inbox_.FindFirst(inbox_.seen_.WithId(id_print), transaction.changes, &SeenDelivery::id_print, id_print,
                         s.same_id)) {
      result_.id = s.found_id;
      result_.duplicate = true;
      result_.state = DeliveryStateFromName(s.found_state).value_or(DeliveryState::kReceived);
      result_.reason = s.found_reason;
      transaction.changes.duplicates.push_back(delivery_.forge);
      return absl::OkStatus();
    }

    // The same body under another id?
    const bool same_body = inbox_.FindFirst(inbox_.seen_.WithBody(body_print), transaction.changes,
                                            &SeenDelivery::body_print, body_print, s.same_body);
    if (delivery_.ignored_because.has_value()) {
      result_.state = DeliveryState::kIgnored;
      result_.reason = *delivery_.ignored_because;
    }
    if (same_body) {
      result_.state = DeliveryState::kIgnored;
      result_.reason = "replay of delivery " + s.found_delivery;
    }
    s.state = DeliveryStateName(result_.state);
    s.reason = result_.reason;
    s.settled_at = result_.state == DeliveryState::kIgnored ? transaction.now : 0;
    RunOne(s.insert);
    result_.id = s.id;
    transaction.changes.seen.push_back({s.id, id_print, body_print});
    if (!same_body) {
      s.stored_bytes = static_cast<long long>(packed_.bytes.size());
      s.encoding = packed_.encoding;
      SetBlob(s.content, packed_.bytes);
      RunOne(s.insert_body);
      transaction.changes.bodies_bytes += s.stored_bytes;
    }
    transaction.changes.deliveries.emplace_back(delivery_.forge, result_.state);
    if (result_.state == DeliveryState::kReceived) {
      transaction.changes.inbox_pending += 1;
      transaction.changes.claimable = true;
    }
    return absl::OkStatus();
  }

  void Done(const absl::Status& status) override {
    if (status.ok()) {
      done_(std::move(result_));
    } else {
      done_(status);
    }
  }

 private:
  SqlInbox& inbox_;
  const NewDelivery delivery_;
  const Packed packed_;
  const int64_t body_bytes_;
  const std::string headers_;
  const AddCallback done_;
  AddResult result_;
};

bool SqlInbox::FindFirst(const std::vector<int64_t>& committed, const Changes& changes, uint32_t SeenDelivery::*print,
                         uint32_t wanted, soci::statement& same) {
  Statements& s = *statements_;
  for (int64_t row : committed) {
    s.found_id = row;
    if (RunOne(same)) return true;
  }
  for (const SeenDelivery& delivery : changes.seen) {
    if (delivery.*print != wanted) continue;
    s.found_id = delivery.row;
    if (RunOne(same)) return true;
  }
  return false;
}

class SqlInbox::SettleWrite final : public Write {
 public:
  SettleWrite(SqlInbox& inbox, Settlement settlement, std::function<void(absl::Status)> done)
      : Write(WriteKind::kTransition), inbox_(inbox), settlement_(std::move(settlement)), done_(std::move(done)) {}

  absl::Status Apply(Transaction& transaction) override {
    Statements& s = *inbox_.statements_;
    s.id = settlement_.id;
    s.state = DeliveryStateName(settlement_.state);
    s.reason = CleanText(settlement_.reason, kMaxReasonBytes);
    s.attempts = settlement_.state == DeliveryState::kFailed ? 1 : 0;
    s.settled_at = transaction.now;
    s.action = CleanText(settlement_.action, kMaxNameBytes);
    s.subject = SubjectText(settlement_.subject);
    s.kind = settlement_.subject.kind();
    if (!RunOne(s.settle)) return s.Refusal(s.state);
    transaction.changes.inbox_pending -= 1;
    transaction.changes.deliveries.emplace_back(s.found_forge, settlement_.state);
    return absl::OkStatus();
  }

  void Done(const absl::Status& status) override {
    if (status.ok()) inbox_.Unclaim(settlement_.id);
    if (done_ != nullptr) done_(status);
  }

 private:
  SqlInbox& inbox_;
  const Settlement settlement_;
  const std::function<void(absl::Status)> done_;
};

SqlInbox::SqlInbox(soci::session& sql, Writer& writer, ReaderPool& readers, const SeenDeliveries& seen,
                   const Clock& clock)
    : writer_(writer), readers_(readers), seen_(seen), clock_(clock), statements_(std::make_unique<Statements>(sql)) {}
SqlInbox::~SqlInbox() = default;

void SqlInbox::ReadSeen(soci::session& sql, SeenDeliveries& seen) {
  constexpr size_t kAtOnce = 4096;
  std::vector<SeenDelivery> some;
  long long row = 0;
  long long body_key = 0;
  std::string delivery_id;
  Select query(sql);
  query.Add("select id, body_key, delivery_id from deliveries order by id").Into(row).Into(body_key).Into(delivery_id);
  while (query.Next()) {
    some.push_back({row, IdPrint(delivery_id), BodyPrint(body_key)});
    if (some.size() < kAtOnce) continue;
    seen.Add(some);
    some.clear();
  }
  seen.Add(some);
}

void SqlInbox::Close() { statements_.reset(); }

void SqlInbox::Add(NewDelivery delivery, AddCallback done) {
  // What can be refused without the database.
  absl::Status status = CheckStoredName("forge", delivery.forge);
  if (status.ok()) status = CheckStoredName("delivery_id", delivery.delivery_id);
  if (status.ok()) status = CheckStoredName("event", delivery.event, true);
  if (status.ok()) status = CheckStoredName("action", delivery.action, true);
  if (status.ok()) status = CheckStoredName("subject.forge", delivery.subject.forge(), true);
  if (status.ok()) status = CheckStoredName("subject.repository", delivery.subject.repository(), true);
  if (status.ok() && delivery.body.size() > kMostHttpBodyBytes) {
    status = errors::OverLimit("body", delivery.body.size(), kMostHttpBodyBytes, "bytes");
  }
  if (status.ok() && !delivery.body_sha256.empty() && !IsHexSha256(delivery.body_sha256)) {
    status = errors::FieldInvalid("body_sha256", "64 lower-case hex characters");
  }
  if (status.ok()) status = writer_.EarlyRefusal();
  if (!status.ok()) return done(status);

  // Hashing and compressing happen here, in the caller's thread: the writer has enough to do.
  if (delivery.body_sha256.empty()) delivery.body_sha256 = Sha256Hex(delivery.body);
  if (delivery.received_at == TimePoint{}) delivery.received_at = clock_.Now();
  if (delivery.ignored_because.has_value()) {
    delivery.ignored_because = CleanText(*delivery.ignored_because, kMaxReasonBytes);
  }
  Packed packed = Pack(delivery.body);
  const auto body_bytes = static_cast<int64_t>(delivery.body.size());
  delivery.body = std::string();
  writer_.Submit(
      std::make_unique<AddWrite>(*this, std::move(delivery), std::move(packed), body_bytes, std::move(done)));
}

absl::StatusOr<std::vector<Delivery>> SqlInbox::Claim(int64_t limit) {
  limit = std::clamp<int64_t>(limit, 1, kMaxStorePage);
  std::lock_guard<std::mutex> lock(claims_mutex_);
  {
    std::lock_guard<std::mutex> released(released_mutex_);
    for (int64_t id : released_) claimed_.erase(id);
    released_.clear();
  }
  // Claimed ones stand in both lists; so many more are asked for that enough are left.
  const int64_t asked = limit + static_cast<int64_t>(claimed_.size());
  const int64_t now = ToMicros(clock_.Now());
  absl::StatusOr<std::vector<Delivery>> taken =
      readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::vector<Delivery>> {
        const auto unclaimed = [&](std::string_view condition, std::string_view order) {
          Select query(sql);
          query.Add(kDeliveryColumns)
              .Add(" where d.state = 'received' and ")
              .Add(condition)
              .Add(order)
              .Add(" limit :limit");
          DeliveryRow row;
          row.Into(query);
          if (condition.find(":now") != std::string_view::npos) query.Bind("now", now);
          query.Bind("limit", asked);
          std::vector<Delivery> found;
          while (query.Next()) {
            if (claimed_.count(row.id) == 0 && static_cast<int64_t>(found.size()) < limit) found.push_back(row.Read());
          }
          return found;
        };
        std::vector<Delivery> retries = unclaimed("d.due_at > 0 and d.due_at <= :now", " order by d.due_at, d.id");
        std::vector<Delivery> fresh = unclaimed("d.due_at = 0", " order by d.id");
        // Retries first, but both get their half.
        const auto half = static_cast<size_t>(limit - limit / 2);
        const size_t room =
            std::max(half, static_cast<size_t>(limit) - std::min(fresh.size(), static_cast<size_t>(limit)));
        if (retries.size() > room) retries.erase(retries.begin() + static_cast<ptrdiff_t>(room), retries.end());
        for (Delivery& delivery : fresh) {
          if (retries.size() == static_cast<size_t>(limit)) break;
          retries.push_back(std::move(delivery));
        }
        return retries;
      });
  if (taken.ok()) {
    for (const Delivery& delivery : *taken) claimed_.insert(delivery.id);
  }
  return taken;
}

void SqlInbox::Release(const std::vector<int64_t>& ids) {
  std::lock_guard<std::mutex> lock(released_mutex_);
  released_.insert(released_.end(), ids.begin(), ids.end());
}

void SqlInbox::Unclaim(int64_t id) {
  std::lock_guard<std::mutex> lock(released_mutex_);
  released_.push_back(id);
}

absl::StatusOr<std::optional<TimePoint>> SqlInbox::NextDue() {
  const int64_t now = ToMicros(clock_.Now());
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::optional<TimePoint>> {
    long long due_at = 0;
    Select query(sql);
    query.Add("select due_at from deliveries where state = 'received' and due_at > :now order by due_at limit 1")
        .Bind("now", now)
        .Into(due_at);
    std::optional<TimePoint> due;
    while (query.Next()) due = OptionalTime(due_at);
    return due;
  });
}

void SqlInbox::SetListener(std::function<void()> listener) {
  std::lock_guard<std::mutex> lock(listener_mutex_);
  listener_ = std::move(listener);
}

void SqlInbox::Tell() {
  std::lock_guard<std::mutex> lock(listener_mutex_);
  if (listener_ != nullptr) listener_();
}

absl::Status SqlInbox::Describe(int64_t id, std::string_view action, const v1::Subject& subject) {
  return writer_.Run(WriteKind::kTransition, [&](Transaction&) {
    Statements& s = *statements_;
    s.id = id;
    s.action = CleanText(action, kMaxNameBytes);
    s.subject = CleanText(SubjectText(subject), 3 * kMaxNameBytes);
    s.kind = subject.kind();
    return RunOne(s.describe) ? absl::OkStatus() : errors::DeliveryUnknown(std::to_string(id));
  });
}

namespace {

absl::Status CheckSettlement(const Settlement& settlement) {
  if (settlement.state == DeliveryState::kReceived) return errors::FieldInvalid("state", "a state that ends the work");
  if (settlement.reason.empty() && settlement.state != DeliveryState::kDone) return errors::FieldMissing("reason");
  RETURN_IF_ERROR(CheckStoredName("subject.forge", settlement.subject.forge(), true));
  return CheckStoredName("subject.repository", settlement.subject.repository(), true);
}

}  // namespace

absl::Status SqlInbox::Settle(const Settlement& settlement) {
  RETURN_IF_ERROR(CheckSettlement(settlement));
  if (writer_.OnWriterThread()) return errors::WriteFromCallback();
  // The claim ends before anybody is told, so that whoever hears of it finds the delivery free.
  auto promise = std::make_shared<std::promise<absl::Status>>();
  std::future<absl::Status> done = promise->get_future();
  writer_.Submit(std::make_unique<SettleWrite>(
      *this, settlement, [promise](absl::Status status) { promise->set_value(std::move(status)); }));
  return done.get();
}

void SqlInbox::SettleAsync(Settlement settlement, std::function<void(absl::Status)> done) {
  if (absl::Status status = CheckSettlement(settlement); !status.ok()) {
    if (done != nullptr) done(status);
    return;
  }
  writer_.Submit(std::make_unique<SettleWrite>(*this, std::move(settlement), std::move(done)));
}

absl::Status SqlInbox::Retry(int64_t id, TimePoint due_at, std::string_view reason) {
  absl::Status status = writer_.Run(WriteKind::kTransition, [&](Transaction&) {
    Statements& s = *statements_;
    s.id = id;
    s.due_at = std::max<int64_t>(ToMicros(due_at), 1);
    s.reason = CleanText(reason, kMaxReasonBytes);
    return RunOne(s.retry) ? absl::OkStatus() : s.Refusal("received (retry)");
  });
  if (status.ok()) Unclaim(id);
  return status;
}

absl::Status SqlInbox::Requeue(int64_t id) {
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    Statements& s = *statements_;
    s.id = id;
    if (!RunOne(s.requeue)) {
      absl::Status refusal = s.Refusal("received");
      // It is not in `received`, so the body is what is missing.
      if (refusal.code() == absl::StatusCode::kFailedPrecondition && s.found_state != "received") {
        return errors::RequeueWithoutBody(id);
      }
      return refusal;
    }
    transaction.changes.inbox_pending += 1;
    transaction.changes.claimable = true;
    transaction.changes.deliveries.emplace_back(s.found_forge, DeliveryState::kReceived);
    return absl::OkStatus();
  });
}

absl::StatusOr<Delivery> SqlInbox::Get(int64_t id) {
  return readers_.Read([&](soci::session& sql) {
    Select query(sql);
    query.Add(kDeliveryColumns).Add(" where d.id = :id").Bind("id", id);
    return ReadOne(query, std::to_string(id));
  });
}

absl::StatusOr<Delivery> SqlInbox::Find(std::string_view forge, std::string_view delivery_id) {
  return readers_.Read([&](soci::session& sql) {
    Select query(sql);
    query.Add(kDeliveryColumns).Add(" where ").Add(AmongRows(seen_.WithId(IdPrint(delivery_id))));
    query.Add(" and d.forge = :forge and d.delivery_id = :delivery");
    query.Bind("forge", forge).Bind("delivery", delivery_id);
    return ReadOne(query, delivery_id);
  });
}

absl::StatusOr<std::string> SqlInbox::Body(int64_t id) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::string> {
    long long encoding = 0;
    long long body_bytes = 0;
    soci::blob content(sql);
    std::string bytes;
    Select query(sql);
    query.Add(
        "select b.encoding, d.body_bytes, b.content from bodies b join deliveries d on d.id = b.delivery where "
        "b.delivery = :id");
    query.Bind("id", id).Into(encoding).Into(body_bytes).Into(content);
    bool found = false;
    while (query.Next()) {
      found = true;
      bytes = GetBlob(content);
    }
    if (!found) return errors::BodyNotKept(std::to_string(id));
    return Unpack(encoding, bytes, body_bytes);
  });
}

absl::StatusOr<Page<Delivery>> SqlInbox::List(const DeliveryFilter& filter, const PageRequest& page) {
  const int64_t limit = std::clamp<int64_t>(page.limit, 1, kMaxStorePage);
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<Page<Delivery>> {
    Select query(sql);
    query.Add(kDeliveryColumns).Add(" where d.id > 0");
    if (page.before > 0) query.Add(" and d.id < :before").Bind("before", page.before);
    if (!filter.forge.empty()) query.Add(" and d.forge = :forge").Bind("forge", filter.forge);
    if (!filter.delivery_id.empty()) {
      query.Add(" and ").Add(AmongRows(seen_.WithId(IdPrint(filter.delivery_id))));
      query.Add(" and d.delivery_id = :delivery").Bind("delivery", filter.delivery_id);
    }
    if (!filter.event.empty()) query.Add(" and d.event = :event").Bind("event", filter.event);
    // As literals, and the second one as the index says it, so that the indexes over what waits and over what was given
    // up can be used.
    if (filter.state.has_value()) {
      query.Add(" and d.state = '").Add(DeliveryStateName(*filter.state)).Add("'");
      if (*filter.state == DeliveryState::kFailed || *filter.state == DeliveryState::kDead) {
        query.Add(" and d.state in ('failed', 'dead')");
      }
    }
    if (filter.subject.has_value()) {
      query.Add(" and d.subject <> '' and lower(d.subject) = lower(:subject)");
      query.Bind("subject", SubjectText(*filter.subject));
      if (filter.subject->kind() != v1::SUBJECT_KIND_UNSPECIFIED) {
        query.Add(" and d.subject_kind = :kind").Bind("kind", filter.subject->kind());
      }
    }
    query.Add(" order by d.id desc limit :limit").Bind("limit", limit + 1);
    DeliveryRow row;
    row.Into(query);
    Page<Delivery> answer;
    while (query.Next()) {
      if (static_cast<int64_t>(answer.items.size()) == limit) {
        answer.next = answer.items.back().id;
      } else {
        answer.items.push_back(row.Read());
      }
    }
    return answer;
  });
}

absl::StatusOr<InboxCounts> SqlInbox::Counts() {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<InboxCounts> {
    long long received = 0;
    long long failed = 0;
    long long dead = 0;
    Select query(sql);
    query.Add(
        "select (select count(*) from deliveries where state = 'received'), (select count(*) from deliveries where "
        "state in ('failed', 'dead') and state = 'failed'), (select count(*) from deliveries where state in ('failed', "
        "'dead') and state = 'dead')");
    query.Into(received).Into(failed).Into(dead);
    while (query.Next()) {
    }
    return InboxCounts{received, failed, dead};
  });
}

}  // namespace yardmaster::store
