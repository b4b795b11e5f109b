#include "services/core/store/sql_ledger.h"

#include <algorithm>
#include <string>

#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"
#include "services/core/store/codec.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

constexpr std::string_view kEffectColumns =
    "select id, key, subject, subject_kind, kind, decision, delivery, state, forge_ref, reason, attempts, created_at, "
    "sent_at, due_at, settled_at, progress, payload from effects";

struct EffectRow {
  explicit EffectRow(soci::session& sql) : payload(sql) {}

  Effect effect;
  long long subject_kind = 0, created_at = 0, sent_at = 0, due_at = 0, settled_at = 0;
  std::string subject, state;
  soci::blob payload;

  void Into(Select& query) {
    query.Into(effect.id).Into(effect.key).Into(subject).Into(subject_kind).Into(effect.kind).Into(effect.decision);
    query.Into(effect.delivery).Into(state).Into(effect.forge_ref).Into(effect.reason).Into(effect.attempts);
    query.Into(created_at).Into(sent_at).Into(due_at).Into(settled_at).Into(effect.progress).Into(payload);
  }
  const Effect& Read() {
    effect.subject = SubjectFromText(subject, subject_kind);
    // One that can't be read has no action set: it is never executed.
    if (!effect.action.ParseFromString(GetBlob(payload))) effect.action.Clear();
    // What is not known is never sent.
    effect.state = EffectStateFromName(state).value_or(EffectState::kFailed);
    effect.created_at = FromMicros(created_at);
    effect.sent_at = OptionalTime(sent_at);
    effect.due_at = OptionalTime(due_at);
    effect.settled_at = OptionalTime(settled_at);
    return effect;
  }
};

absl::StatusOr<Effect> ReadOne(soci::session& sql, Select& query, std::string_view name) {
  EffectRow row(sql);
  row.Into(query);
  if (!query.One()) return errors::EffectUnknown(name);
  return row.Read();
}

absl::Status CheckNewEffect(const NewEffect& effect) {
  RETURN_IF_ERROR(CheckStoredName("key", effect.key));
  RETURN_IF_ERROR(CheckStoredSubject(effect.subject));
  RETURN_IF_ERROR(CheckStoredName("kind", effect.kind));
  RETURN_IF_ERROR(CheckStoredName("decision", effect.decision, true));
  if (effect.action.ByteSizeLong() > kMaxEffectBytes) {
    return errors::OverLimit("action", effect.action.ByteSizeLong(), kMaxEffectBytes, "bytes");
  }
  return absl::OkStatus();
}

}  // namespace

struct SqlLedger::Statements {
  explicit Statements(soci::session& sql)
      : payload(sql),
        find((sql.prepare << "select id, lower(subject) = lower(:subject) and subject_kind = :subject_kind and kind = "
                             ":kind, state from effects where key = :key",
              soci::use(subject, "subject"), soci::use(subject_kind, "subject_kind"), soci::use(kind, "kind"),
              soci::use(key, "key"), soci::into(id), soci::into(found_same), soci::into(found_state))),
        insert((sql.prepare << "insert into effects (key, subject, subject_kind, kind, decision, delivery, state, "
                               "created_at, payload) values (:key, :subject, :subject_kind, :kind, :decision, "
                               ":delivery, 'intent', :now, :payload) returning id",
                soci::use(key, "key"), soci::use(subject, "subject"), soci::use(subject_kind, "subject_kind"),
                soci::use(kind, "kind"), soci::use(decision, "decision"), soci::use(delivery, "delivery"),
                soci::use(now, "now"), soci::use(payload, "payload"), soci::into(id))),
        get((sql.prepare << "select state, kind from effects where id = :id", soci::use(id, "id"),
             soci::into(found_state), soci::into(found_kind))),
        move((sql.prepare << "update effects set state = :state, reason = :reason, forge_ref = :forge_ref, due_at = "
                             ":due, sent_at = sent_at * :sent, settled_at = :settled where id = :id",
              soci::use(state, "state"), soci::use(reason, "reason"), soci::use(forge_ref, "forge_ref"),
              soci::use(due_at, "due"), soci::use(keep_sent, "sent"), soci::use(settled_at, "settled"),
              soci::use(id, "id"))),
        undo_sending((sql.prepare << "update effects set attempts = attempts - 1, sent_at = 0, reason = :reason "
                                     "where id = :id and attempts > 0",
                      soci::use(reason, "reason"), soci::use(id, "id"))),
        sending((sql.prepare << "update effects set attempts = attempts + 1, sent_at = :now, due_at = 0 where id = :id",
                 soci::use(now, "now"), soci::use(id, "id"))),
        put_off((sql.prepare << "update effects set due_at = :due, reason = :reason where id = :id",
                 soci::use(due_at, "due"), soci::use(reason, "reason"), soci::use(id, "id"))),
        note_progress((sql.prepare << "update effects set state = 'unknown', progress = :progress, due_at = :due, "
                                      "reason = '' where id = :id",
                       soci::use(progress, "progress"), soci::use(due_at, "due"), soci::use(id, "id"))) {}

  std::string key, subject, kind, decision, state, reason, forge_ref, progress;
  long long subject_kind = 0, delivery = 0, now = 0, id = 0, due_at = 0, settled_at = 0;
  long long keep_sent = 1;  // 0: what was sent is known to have done nothing
  soci::blob payload;

  std::string found_state, found_kind;
  long long found_same = 0;

  soci::statement find, insert, get, move, undo_sending, sending, put_off, note_progress;
};

SqlLedger::SqlLedger(soci::session& sql, Writer& writer, ReaderPool& readers)
    : writer_(writer), readers_(readers), statements_(std::make_unique<Statements>(sql)) {}
SqlLedger::~SqlLedger() = default;

void SqlLedger::Close() { statements_.reset(); }

absl::StatusOr<IntentResult> SqlLedger::Intent(const NewEffect& effect) {
  RETURN_IF_ERROR(CheckNewEffect(effect));
  IntentResult result;
  RETURN_IF_ERROR(writer_.Run(WriteKind::kNew, [&](Transaction& transaction) -> absl::Status {
    Statements& s = *statements_;
    s.key = effect.key;
    s.subject = SubjectText(effect.subject);
    s.subject_kind = effect.subject.kind();
    s.kind = effect.kind;
    result = {};
    if (RunOne(s.find)) {
      if (s.found_same == 0) return errors::EffectKeyTaken(effect.key);
      result.existed = true;
      result.state = EffectStateFromName(s.found_state).value_or(EffectState::kFailed);
    } else {
      s.decision = effect.decision;
      s.delivery = effect.delivery;
      s.now = transaction.now;
      SetBlob(s.payload, effect.action.SerializeAsString());
      RunOne(s.insert);
      transaction.changes.effects_pending += 1;
      transaction.changes.effects.emplace_back(effect.kind, EffectState::kIntent);
    }
    result.id = s.id;
    return absl::OkStatus();
  }));
  return result;
}

template <typename Change>
absl::Status SqlLedger::Alter(int64_t id, Change change) {
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) -> absl::Status {
    Statements& s = *statements_;
    s.id = id;
    if (!RunOne(s.get)) return errors::EffectUnknown(std::to_string(id));
    return change(s, transaction);
  });
}

absl::Status SqlLedger::Move(int64_t id, EffectState to, int64_t due_at, std::string_view reason,
                             std::string_view forge_ref) {
  return Alter(id, [&](Statements& s, Transaction& transaction) {
    const EffectState from = EffectStateFromName(s.found_state).value_or(EffectState::kFailed);
    if (!MayFollow(from, to)) return errors::TransitionRefused("effect", id, s.found_state, EffectStateName(to));
    s.state = EffectStateName(to);
    s.reason = CleanText(reason, kMaxReasonBytes);
    s.forge_ref = CleanText(forge_ref, kMaxReasonBytes);
    s.due_at = due_at;
    s.keep_sent = to == EffectState::kIntent ? 0 : 1;
    s.settled_at = IsFinal(to) ? transaction.now : 0;
    RunOne(s.move);
    if (IsFinal(to)) transaction.changes.effects_pending -= 1;
    transaction.changes.effects.emplace_back(s.found_kind, to);
    return absl::OkStatus();
  });
}

absl::Status SqlLedger::Sending(int64_t id) {
  return Alter(id, [&](Statements& s, Transaction& transaction) {
    if (s.found_state != "intent") return errors::TransitionRefused("effect", id, s.found_state, "intent (sending)");
    s.now = transaction.now;
    RunOne(s.sending);
    return absl::OkStatus();
  });
}

absl::Status SqlLedger::UndoSending(int64_t id, std::string_view reason) {
  return Alter(id, [&](Statements& s, Transaction&) {
    if (s.found_state != "intent") return errors::TransitionRefused("effect", id, s.found_state, "intent (not sent)");
    s.reason = CleanText(reason, kMaxReasonBytes);
    RunOne(s.undo_sending);
    return absl::OkStatus();
  });
}

absl::Status SqlLedger::Postpone(int64_t id, TimePoint due_at, std::string_view reason) {
  return Alter(id, [&](Statements& s, Transaction&) {
    if (IsFinal(EffectStateFromName(s.found_state).value_or(EffectState::kFailed))) {
      return errors::TransitionRefused("effect", id, s.found_state, "intent (postponed)");
    }
    s.due_at = std::max<int64_t>(ToMicros(due_at), 1);
    s.reason = CleanText(reason, kMaxReasonBytes);
    RunOne(s.put_off);
    return absl::OkStatus();
  });
}

absl::Status SqlLedger::NoteProgress(int64_t id, std::string_view progress, TimePoint due_at) {
  if (progress.size() > kMaxEffectProgressBytes) {
    return errors::OverLimit("progress", progress.size(), kMaxEffectProgressBytes, "bytes");
  }
  return Alter(id, [&](Statements& s, Transaction&) {
    if (IsFinal(EffectStateFromName(s.found_state).value_or(EffectState::kFailed))) {
      return errors::TransitionRefused("effect", id, s.found_state, "unknown (in progress)");
    }
    s.progress = progress;
    s.due_at = std::max<int64_t>(ToMicros(due_at), 1);
    RunOne(s.note_progress);
    return absl::OkStatus();
  });
}

absl::Status SqlLedger::MarkUnknown(int64_t id, TimePoint due_at, std::string_view reason, std::string_view forge_ref) {
  return Move(id, EffectState::kUnknown, std::max<int64_t>(ToMicros(due_at), 1), reason, forge_ref);
}
absl::Status SqlLedger::MarkNotFound(int64_t id, std::string_view reason) {
  return Move(id, EffectState::kIntent, 0, reason, "");
}
absl::Status SqlLedger::MarkConfirmed(int64_t id, std::string_view forge_ref) {
  return Move(id, EffectState::kConfirmed, 0, "", forge_ref);
}
absl::Status SqlLedger::MarkRefused(int64_t id, std::string_view reason) {
  return Move(id, EffectState::kRefused, 0, reason, "");
}
absl::Status SqlLedger::MarkFailed(int64_t id, std::string_view reason) {
  return Move(id, EffectState::kFailed, 0, reason, "");
}

absl::StatusOr<Effect> SqlLedger::Get(int64_t id) {
  return readers_.Read([&](soci::session& sql) {
    Select query(sql);
    query.Add(kEffectColumns).Add(" where id = :id").Bind("id", id);
    return ReadOne(sql, query, std::to_string(id));
  });
}

absl::StatusOr<Effect> SqlLedger::Find(std::string_view key) {
  return readers_.Read([&](soci::session& sql) {
    Select query(sql);
    query.Add(kEffectColumns).Add(" where key = :key").Bind("key", key);
    return ReadOne(sql, query, key);
  });
}

absl::StatusOr<std::vector<Effect>> SqlLedger::Pending(int64_t after, int64_t limit) {
  limit = std::clamp<int64_t>(limit, 1, kMaxStorePage);
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::vector<Effect>> {
    EffectRow row(sql);
    Select query(sql);
    query.Add(kEffectColumns).Add(" where state in ('intent', 'unknown') and id > :after order by id limit :limit");
    query.Bind("after", after).Bind("limit", limit);
    row.Into(query);
    std::vector<Effect> effects;
    while (query.Next()) effects.push_back(row.Read());
    return effects;
  });
}

absl::StatusOr<int64_t> SqlLedger::CountPending() {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<int64_t> {
    return CountOf(sql, "select count(*) from effects where state in ('intent', 'unknown')");
  });
}

absl::StatusOr<Page<Effect>> SqlLedger::List(const EffectFilter& filter, const PageRequest& page) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<Page<Effect>> {
    EffectRow row(sql);
    Select query(sql);
    query.Add(kEffectColumns).Add(" where id > 0");
    if (filter.subject.has_value()) BindSubject(query, *filter.subject);
    if (filter.state.has_value()) query.Add(" and state = '").Add(EffectStateName(*filter.state)).Add("'");
    if (!filter.kind.empty()) query.Add(" and kind = :kind").Bind("kind", filter.kind);
    if (!filter.decision.empty()) {
      query.Add(" and decision <> '' and decision = :decision").Bind("decision", filter.decision);
    }
    if (!filter.forge_ref.empty()) query.Add(" and forge_ref = :forge_ref").Bind("forge_ref", filter.forge_ref);
    return ReadPage(query, row, page, "id", &Effect::id);
  });
}

}  // namespace yardmaster::store
