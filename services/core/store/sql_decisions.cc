#include "services/core/store/sql_decisions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"
#include "services/core/store/codec.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

std::string_view ModeText(v1::Mode mode) { return mode == v1::MODE_APPLY ? "apply" : "dry-run"; }
v1::Mode ModeFromText(std::string_view text) { return text == "apply" ? v1::MODE_APPLY : v1::MODE_DRY_RUN; }

constexpr std::string_view kDecisionColumns =
    "select id, decision_id, subject, subject_kind, pack, pack_revision, input_digest, mode, delivery, created_at";
constexpr std::string_view kWithPlan = ", plan_bytes, encoding, plan from decisions";
constexpr std::string_view kWithoutPlan = " from decisions";

struct DecisionRow {
  explicit DecisionRow(soci::session& sql) : plan(sql) {}

  Decision decision;
  long long subject_kind = 0, created_at = 0, plan_bytes = 0, encoding = 0;
  std::string subject, mode;
  soci::blob plan;

  void Into(Select& query) {
    query.Into(decision.row).Into(decision.id).Into(subject).Into(subject_kind).Into(decision.pack);
    query.Into(decision.pack_revision).Into(decision.input_digest).Into(mode).Into(decision.delivery).Into(created_at);
  }
  const Decision& Read() {
    decision.subject = SubjectFromText(subject, subject_kind);
    decision.mode = ModeFromText(mode);
    decision.created_at = FromMicros(created_at);
    return decision;
  }
};

// The first row with its plan, nullopt if there is none.
absl::StatusOr<std::optional<Decision>> ReadFirst(soci::session& sql, Select& query) {
  DecisionRow row(sql);
  row.Into(query);
  query.Into(row.plan_bytes).Into(row.encoding).Into(row.plan);
  if (!query.Next()) return std::nullopt;
  Decision decision = row.Read();
  const std::string packed = GetBlob(row.plan);
  while (query.Next()) {
  }
  ASSIGN_OR_RETURN(decision.plan, Unpack(row.encoding, packed, row.plan_bytes));
  return decision;
}

}  // namespace

struct SqlDecisions::Statements {
  explicit Statements(soci::session& sql)
      : plan(sql),
        insert((
            sql.prepare << "insert into decisions (decision_id, subject, subject_kind, pack, pack_revision, "
                           "input_digest, mode, delivery, created_at, plan_bytes, encoding, plan) values (:decision, "
                           ":subject, :subject_kind, :pack, :revision, :digest, :mode, :delivery, :now, :bytes, "
                           ":encoding, :plan) on conflict (decision_id) do nothing returning id",
            soci::use(decision_id, "decision"), soci::use(subject, "subject"), soci::use(subject_kind, "subject_kind"),
            soci::use(pack, "pack"), soci::use(revision, "revision"), soci::use(digest, "digest"),
            soci::use(mode, "mode"), soci::use(delivery, "delivery"), soci::use(now, "now"),
            soci::use(plan_bytes, "bytes"), soci::use(encoding, "encoding"), soci::use(plan, "plan"), soci::into(id))) {
  }

  std::string decision_id, subject, pack, revision, digest, mode;
  long long subject_kind = 0, delivery = 0, now = 0, plan_bytes = 0, encoding = 0, id = 0;
  soci::blob plan;
  soci::statement insert;
};

SqlDecisions::SqlDecisions(soci::session& sql, Writer& writer, ReaderPool& readers)
    : writer_(writer), readers_(readers), statements_(std::make_unique<Statements>(sql)) {}
SqlDecisions::~SqlDecisions() = default;

void SqlDecisions::Close() { statements_.reset(); }

absl::Status SqlDecisions::Put(const NewDecision& decision) {
  RETURN_IF_ERROR(CheckStoredName("id", decision.id));
  RETURN_IF_ERROR(CheckStoredSubject(decision.subject));
  RETURN_IF_ERROR(CheckStoredName("pack", decision.pack));
  RETURN_IF_ERROR(CheckStoredName("pack_revision", decision.pack_revision, true));
  RETURN_IF_ERROR(CheckStoredName("input_digest", decision.input_digest, true));
  if (decision.plan.size() > kMaxRpcMessageBytes) {
    return errors::OverLimit("plan", decision.plan.size(), kMaxRpcMessageBytes, "bytes");
  }
  const Packed packed = Pack(decision.plan);
  return writer_.Run(WriteKind::kNew, [&](Transaction& transaction) {
    Statements& s = *statements_;
    s.decision_id = decision.id;
    s.subject = SubjectText(decision.subject);
    s.subject_kind = decision.subject.kind();
    s.pack = decision.pack;
    s.revision = decision.pack_revision;
    s.digest = decision.input_digest;
    s.mode = ModeText(decision.mode);
    s.delivery = decision.delivery;
    s.now = transaction.now;
    s.plan_bytes = static_cast<long long>(decision.plan.size());
    s.encoding = packed.encoding;
    SetBlob(s.plan, packed.bytes);
    return RunOne(s.insert) ? absl::OkStatus() : errors::DecisionExists(decision.id);
  });
}

absl::StatusOr<Decision> SqlDecisions::Get(std::string_view id) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<Decision> {
    Select query(sql);
    query.Add(kDecisionColumns).Add(kWithPlan).Add(" where decision_id = :decision").Bind("decision", id);
    ASSIGN_OR_RETURN(std::optional<Decision> decision, ReadFirst(sql, query));
    if (!decision.has_value()) return errors::DecisionUnknown(id);
    return *std::move(decision);
  });
}

absl::StatusOr<std::optional<Decision>> SqlDecisions::Latest(const v1::Subject& subject) {
  return readers_.Read([&](soci::session& sql) {
    Select query(sql);
    query.Add(kDecisionColumns).Add(kWithPlan).Add(" where id > 0");
    BindSubject(query, subject);
    query.Add(" order by id desc limit 1");
    return ReadFirst(sql, query);
  });
}

absl::StatusOr<std::optional<Decision>> SqlDecisions::FindSame(const v1::Subject& subject,
                                                               std::string_view input_digest, std::string_view pack,
                                                               std::string_view pack_revision,
                                                               std::optional<v1::Mode> mode) {
  return readers_.Read([&](soci::session& sql) {
    Select query(sql);
    query.Add(kDecisionColumns).Add(kWithPlan).Add(" where id > 0");
    BindSubject(query, subject);
    query.Add(" and input_digest = :digest and pack = :pack and pack_revision = :revision");
    query.Bind("digest", input_digest).Bind("pack", pack).Bind("revision", pack_revision);
    if (mode.has_value()) query.Add(" and mode = :mode").Bind("mode", ModeText(*mode));
    query.Add(" order by id desc limit 1");
    return ReadFirst(sql, query);
  });
}

absl::StatusOr<Page<Decision>> SqlDecisions::List(const DecisionFilter& filter, const PageRequest& page) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<Page<Decision>> {
    DecisionRow row(sql);
    Select query(sql);
    query.Add(kDecisionColumns).Add(kWithoutPlan).Add(" where id > 0");
    if (filter.subject.has_value()) BindSubject(query, *filter.subject);
    if (!filter.pack.empty()) query.Add(" and pack = :pack").Bind("pack", filter.pack);
    if (filter.mode.has_value()) query.Add(" and mode = :mode").Bind("mode", ModeText(*filter.mode));
    return ReadPage(query, row, page, "id", &Decision::row);
  });
}

}  // namespace yardmaster::store
