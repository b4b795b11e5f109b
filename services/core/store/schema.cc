#include "services/core/store/schema.h"

#include <string>

#include "services/core/errors.h"
#include "services/core/store/dialect.h"
#include "services/core/store/effect_payloads.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {

// Rules for new steps: keys are integers and what must be unique has an index of its own (inserting is 2.4 times as
// fast as with a composite key). Times are microseconds since the epoch, 0 = none. Subjects are texts
// ("github:owner/name#7"), compared by lower(). A column that was added has a default. Long values stand last in their
// row: what comes before them is then read without them.
const std::vector<Migration>& Migrations() {
  static const std::vector<Migration> kMigrations = {
      {1,
       "inbox",
       {
           "create table deliveries ("
           " id $IDENTITY,"
           " forge text not null,"
           " delivery_id text not null,"
           " event text not null,"
           " action text not null default '',"
           " subject text not null default '',"
           " subject_kind bigint not null default 0,"
           " state text not null,"
           " reason text not null default '',"
           " attempts bigint not null default 0,"
           " received_at bigint not null,"
           " due_at bigint not null default 0,"
           " settled_at bigint not null default 0,"
           " body_sha256 text not null,"
           " body_key bigint not null,"  // the digest's first eight bytes
           " body_bytes bigint not null,"
           " headers text not null default '')",
           "create unique index deliveries_by_id on deliveries (forge, delivery_id)",
           // Knows a replay by its body. Over the key alone: digests come in no order, so each insert soils a page of
           // this index, and it has a fifth of the pages that one over the whole digest would have.
           "create index deliveries_by_body on deliveries (body_key)",
           // What is to be worked on: small whatever has piled up behind it.
           "create index deliveries_waiting on deliveries (due_at, id) where state = 'received'",
           "create index deliveries_given_up on deliveries (state, id) where state in ('failed', 'dead')",
           "create index deliveries_by_subject on deliveries (lower(subject), id) where subject <> ''",
           "create table bodies ("
           " delivery $KEY,"
           " kept_at bigint not null,"
           " stored_bytes bigint not null,"
           " encoding bigint not null,"
           " content $BLOB not null)",
           // Sums that would be slow to add up: kept in the transaction that changes them.
           "create table totals (name text primary key, value bigint not null)",
           "insert into totals (name, value) values ('bodies_bytes', 0)",
       }},
      {2,
       "ledger and decisions",
       {
           "create table effects ("
           " id $IDENTITY,"
           " key text not null,"
           " subject text not null,"
           " subject_kind bigint not null,"
           " kind text not null,"
           " decision text not null,"
           " delivery bigint not null,"
           " state text not null,"
           " forge_ref text not null default '',"
           " reason text not null default '',"
           " attempts bigint not null default 0,"
           " created_at bigint not null,"
           " sent_at bigint not null default 0,"
           " due_at bigint not null default 0,"
           " settled_at bigint not null default 0,"
           " payload $BLOB not null)",
           "create unique index effects_by_key on effects (key)",
           "create index effects_pending on effects (id) where state in ('intent', 'unknown')",
           "create index effects_by_subject on effects (lower(subject), id)",
           "create index effects_by_decision on effects (decision, id) where decision <> ''",
           "create table decisions ("
           " id $IDENTITY,"
           " decision_id text not null,"
           " subject text not null,"
           " subject_kind bigint not null,"
           " pack text not null,"
           " pack_revision text not null,"
           " input_digest text not null,"
           " mode text not null,"
           " delivery bigint not null,"
           " created_at bigint not null,"
           " plan_bytes bigint not null,"
           " encoding bigint not null,"
           " plan $BLOB not null)",
           "create unique index decisions_by_id on decisions (decision_id)",
           "create index decisions_by_subject on decisions (lower(subject), id)",
       }},
      {3,
       "subjects and their words",
       {
           "create table subjects ("
           " id $IDENTITY,"
           " subject text not null,"
           " subject_kind bigint not null,"
           " state text not null,"
           " author text not null,"
           " digest text not null,"
           " first_seen_at bigint not null,"
           " seen_at bigint not null,"
           " title text not null,"
           " labels text not null)",
           "create unique index subjects_by_subject on subjects (lower(subject), subject_kind)",
           "create index subjects_by_seen on subjects (seen_at)",
           "create table removed_labels ("
           " id $IDENTITY,"
           " subject text not null,"
           " subject_kind bigint not null,"
           " label text not null,"
           " removed_by text not null,"
           " removed_at bigint not null)",
           "create unique index removed_labels_by_label on removed_labels (lower(subject), subject_kind, lower(label))",
           "create index removed_labels_by_time on removed_labels (removed_at)",
           "$TEXT_INDEX",
       }},
      {4,
       "schedules",
       {
           "create table schedules ("
           " id $IDENTITY,"
           " name text not null,"
           " started_at bigint not null default 0,"
           " finished_at bigint not null default 0,"
           " outcome text not null default '',"
           " progress text not null default '')",
           "create unique index schedules_by_name on schedules (name)",
       }},
      {5,
       "operators under review",
       {
           "create table operators ("
           " id $IDENTITY,"
           " pack text not null,"
           " name text not null,"
           " updated_at bigint not null,"
           " state text not null)",
           "create unique index operators_by_name on operators (pack, name)",
       }},
      {6,
       "commands of people",
       {
           "create table commands ("
           " id $IDENTITY,"
           " subject text not null,"
           " subject_kind bigint not null,"
           " source text not null,"
           " slot bigint not null,"
           " revision bigint not null default 0,"
           " fingerprint text not null,"
           " command text not null,"
           " actor text not null,"
           " delivery bigint not null,"
           " progress text not null,"
           " seen_at bigint not null,"
           " settled_at bigint not null default 0,"
           " outcome text not null default '',"
           " plan_bytes bigint not null default 0,"
           " encoding bigint not null default 0,"
           " plan $BLOB not null)",
           "create unique index commands_by_place on commands (lower(subject), subject_kind, source, slot)",
           "create index commands_by_seen on commands (seen_at)",
       }},
      // Ids and digests come in no order: an index over either has a page of its own for each delivery to write, to the
      // log and to the main file. What has been seen is known in memory instead, see seen_deliveries.h.
      {7,
       "no index in which deliveries lie at random",
       {
           "drop index deliveries_by_id",
           "drop index deliveries_by_body",
       }},
      {8,
       "effects as actions, with their progress",
       {
           "alter table effects add column progress text not null default ''",
       },
       [](soci::session& sql, int64_t) { ConvertEffectPayloads(sql); }},
      // Fingerprints of settled commands that others were written in the place of, one a line.
      {9,
       "what stood in the place of a command before",
       {
           "alter table commands add column former text not null default ''",
       }},
      // Reviews are never updated, see SqlReviews::Put. Number 0: a range of commits.
      {10,
       "reviews, and findings of other tools",
       {
           "create table reviews ("
           " id $IDENTITY,"
           " review_id text not null,"
           " repository text not null,"
           " number bigint not null,"
           " subject_kind bigint not null,"
           " head text not null,"
           " revision text not null,"
           " created_at bigint not null,"
           " outline $BLOB not null,"
           " review_bytes bigint not null,"
           " encoding bigint not null,"
           " review $BLOB not null)",
           "create unique index reviews_by_id on reviews (review_id)",
           "create index reviews_by_pull on reviews (lower(repository), number, id)",
           "create table review_imports ("
           " id $IDENTITY,"
           " repository text not null,"
           " number bigint not null,"
           " head text not null,"
           " tool text not null,"
           " created_at bigint not null,"
           " findings_bytes bigint not null,"
           " encoding bigint not null,"
           " findings $BLOB not null)",
           "create unique index review_imports_by_tool on review_imports (lower(repository), number, head, tool)",
       }},
      // What a record holds is written and read by services/dispatch.
      {11,
       "jobs, leases and runners of dispatch",
       {
           "create table jobs ("
           " id $IDENTITY,"
           " job text not null,"
           " number bigint not null,"
           " repository text not null,"
           " ended bigint not null,"
           " record $BLOB not null)",
           "create unique index jobs_by_job on jobs (job)",
           "create unique index jobs_by_number on jobs (number)",
           "create index jobs_by_repository on jobs (lower(repository), number)",
           "create index jobs_live on jobs (number) where ended = 0",
           "create table leases ("
           " id $IDENTITY,"
           " job text not null,"
           " fence bigint not null,"
           " live bigint not null,"
           " record $BLOB not null)",
           "create unique index leases_by_fence on leases (job, fence)",
           "create index leases_live on leases (id) where live = 1",
           "create table runners (id $IDENTITY, name text not null, record $BLOB not null)",
           "create unique index runners_by_name on runners (name)",
       }},
      {12,
       "what packs in the shadow would have done",
       {
           "create table shadow_runs ("
           " id $IDENTITY,"
           " repository text not null,"
           " number bigint not null,"
           " subject_kind bigint not null,"
           " planner text not null,"
           " pack text not null,"
           " base_revision text not null,"
           " shadow_revision text not null,"
           " input text not null,"
           " created_at bigint not null,"
           " record_bytes bigint not null,"
           " encoding bigint not null,"
           " record $BLOB not null)",
           "create index shadow_runs_by_subject on shadow_runs (lower(repository), number, id)",
       }},
      // A row without a login is a code that nobody has brought yet.
      {13,
       "accounts of chat platforms that people linked themselves",
       {
           "create table chat_links ("
           " id $IDENTITY,"
           " platform text not null,"
           " chat_user text not null,"
           " forge text not null,"
           " login text not null default '',"
           " linked_at bigint not null default 0,"
           " code text not null,"
           " code_until bigint not null,"
           " code_used_by text not null default '')",
           "create unique index chat_links_by_user on chat_links (platform, chat_user, forge)",
           "create index chat_links_by_code on chat_links (code)",
       }},
      {14,
       "runs of schedules, and subscriptions of channels",
       {
           "create table schedule_marks (id $IDENTITY, schedule text not null, covered_at bigint not null)",
           "create unique index schedule_marks_by_name on schedule_marks (schedule)",
           "create table schedule_runs ("
           " id $IDENTITY,"
           " schedule text not null,"
           " due_at bigint not null,"
           " started_at bigint not null default 0,"
           " finished_at bigint not null default 0,"
           " state text not null,"
           " outcome text not null default '',"
           " attempts bigint not null default 0,"
           " asked_by text not null default '',"
           " owner text not null default '',"
           " lease_until bigint not null default 0)",
           "create index schedule_runs_by_name on schedule_runs (schedule, id)",
           "create table subscriptions ("
           " id $IDENTITY,"
           " platform text not null,"
           " channel text not null,"
           " forge text not null,"
           " repository text not null,"
           " topic text not null,"
           " asked_by text not null,"
           " since bigint not null)",
           "create unique index subscribed on subscriptions (platform, channel, forge, topic, lower(repository))",
       }},
      {15,
       "when pull requests got their heads",
       {
           "create table seen_heads ("
           " id $IDENTITY,"
           " subject text not null,"
           " subject_kind bigint not null,"
           " head text not null,"
           " head_before text not null,"
           " not_before bigint not null,"
           " not_after bigint not null,"
           " seen_at bigint not null)",
           "create unique index seen_heads_by_subject on seen_heads (lower(subject), subject_kind)",
           "create index seen_heads_by_time on seen_heads (seen_at)",
       }},
      {16,
       "what threads of chat were about last",
       {
           "create table chat_threads ("
           " id $IDENTITY,"
           " platform text not null,"
           " channel text not null,"
           " thread text not null,"
           " forge text not null,"
           " repository text not null,"
           " subject_kind bigint not null,"
           " number bigint not null,"
           " named_at bigint not null)",
           "create unique index chat_threads_by_place on chat_threads (platform, channel, thread)",
           "create index chat_threads_by_time on chat_threads (named_at)",
       }},
      // Of jobs that had ended before, nobody wrote when: they are kept as long as if they ended now.
      {17,
       "when jobs have ended",
       {
           "alter table jobs add column ended_at bigint not null default 0",
           "create index jobs_by_end on jobs (ended_at) where ended = 1",
       },
       [](soci::session& sql, int64_t now_micros) {
         const long long now = now_micros;
         sql << "update jobs set ended_at = :now where ended = 1", soci::use(now, "now");
       }},
      {18,
       "in which language channels are told",
       {"alter table subscriptions add column language text not null default ''"}},
  };
  return kMigrations;
}

int64_t SchemaVersion(soci::session& sql) {
  if (!TableExists(sql, "schema_steps")) return 0;
  long long version = 0;
  sql << "select coalesce(max(version), 0) from schema_steps", soci::into(version);
  return version;
}

absl::Status Migrate(soci::session& sql, int64_t version, int64_t now_micros) {
  const int64_t reached = SchemaVersion(sql);
  const int64_t known = Migrations().back().version;
  if (reached > known) return errors::StoreTooNew(reached, known);
  for (const Migration& migration : Migrations()) {
    if (migration.version <= reached || migration.version > version) continue;
    // All of a step or nothing; the session rolls back what is not committed.
    soci::transaction step(sql);
    if (migration.version == 1) {
      sql << "create table schema_steps (version bigint not null, what text not null, taken_at bigint not null)";
    }
    for (std::string_view statement : migration.statements) {
      for (const std::string& text : ExpandStatement(statement)) sql << text;
    }
    if (migration.convert != nullptr) migration.convert(sql, now_micros);
    const std::string what(migration.what);
    sql << "insert into schema_steps (version, what, taken_at) values (:version, :what, :now)",
        soci::use(migration.version, "version"), soci::use(what, "what"), soci::use(now_micros, "now");
    step.commit();
  }
  return absl::OkStatus();
}

}  // namespace yardmaster::store
