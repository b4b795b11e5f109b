#include "services/core/store/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <soci/soci.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "services/core/store/codec.h"
#include "services/core/store/dialect.h"
#include "services/core/store/sql.h"
#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// What a database of each step can hold, as that step's program would have written it. A new step adds its rows here
// and its expectations to CheckRows; what is here is never changed.
// `program` is the step of the program that writes.
void FillStep(soci::session& sql, int64_t step, int64_t program) {
  if (step == 1) {
    for (int i = 1; i <= 300; ++i) {
      const std::string id = "old-" + std::to_string(i);
      const std::string state = i <= 100 ? "done" : i <= 200 ? "failed" : "received";
      const std::string sha = std::string(61, 'a') + std::to_string(100 + i);
      const Packed packed = Pack("body of " + id + std::string(200, '.'));
      const long long stored = static_cast<long long>(packed.bytes.size());
      const long long bytes = 208 + static_cast<long long>(id.size());
      soci::blob content(sql);
      SetBlob(content, packed.bytes);
      sql << "insert into deliveries (forge, delivery_id, event, action, subject, subject_kind, state, received_at, "
             "body_sha256, body_key, body_bytes) values ('github', :id, 'issues', 'opened', 'github:o/r#5', 1, :state, "
             "1714564800000000, :sha, :row, :bytes)",
          soci::use(id, "id"), soci::use(state, "state"), soci::use(sha, "sha"), soci::use(i, "row"),
          soci::use(bytes, "bytes");
      sql << "insert into bodies (delivery, kept_at, stored_bytes, encoding, content) values (:row, 1714564800000000, "
             ":stored, :encoding, :content)",
          soci::use(i, "row"), soci::use(stored, "stored"), soci::use(packed.encoding, "encoding"),
          soci::use(content, "content");
      sql << "update totals set value = value + :stored where name = 'bodies_bytes'", soci::use(stored, "stored");
    }
  }
  if (step == 2) {
    for (int i = 1; i <= 300; ++i) {
      const std::string name = "old-" + std::to_string(i);
      const std::string state = i % 3 == 0 ? "intent" : i % 3 == 1 ? "unknown" : "confirmed";
      soci::blob payload(sql);
      v1::Action action;
      action.mutable_add_labels()->add_labels(name);
      SetBlob(payload, program < 8 ? R"({"labels":[")" + name + R"("],"command":""})" : action.SerializeAsString());
      sql << "insert into effects (key, subject, subject_kind, kind, decision, delivery, state, created_at, payload) "
             "values (:key, 'github:o/r#5', 1, 'add_labels', 'd-old', 1, :state, 1714564800000000, :payload)",
          soci::use(name, "key"), soci::use(state, "state"), soci::use(payload, "payload");
      soci::blob plan(sql);
      SetBlob(plan, "plan " + name);
      const long long bytes = 5 + static_cast<long long>(name.size());
      sql << "insert into decisions (decision_id, subject, subject_kind, pack, pack_revision, input_digest, mode, "
             "delivery, created_at, plan_bytes, encoding, plan) values (:id, 'github:o/r#5', 1, 'p', 'r', 'i', "
             "'apply', "
             "1, 1714564800000000, :bytes, 0, :plan)",
          soci::use(name, "id"), soci::use(bytes, "bytes"), soci::use(plan, "plan");
    }
  }
  if (step == 3) {
    sql << "insert into subjects (subject, subject_kind, state, author, digest, first_seen_at, seen_at, title, labels) "
           "values ('github:o/r#5', 1, 'open', 'alice', 'x', 1714564800000000, 1714564800000000, 'old title', '[]')";
    TextIndexWriter(sql).Put(1, {"zebra"});
    sql << "insert into removed_labels (subject, subject_kind, label, removed_by, removed_at) values ('github:o/r#5', "
           "1, "
           "'triaged', 'bob', 1714564800000000)";
  }
  if (step == 4) {
    sql << "insert into schedules (name, started_at, progress) values ('nightly', 1714564800000000, 'page 3')";
  }
  if (step == 5) {
    sql << "insert into operators (pack, name, updated_at, state) values ('p', 'demo', 1714564800000000, 'old state')";
  }
  if (step == 6) {
    const Packed packed = Pack("plan of old");
    soci::blob plan(sql);
    SetBlob(plan, packed.bytes);
    sql << "insert into commands (subject, subject_kind, source, slot, fingerprint, command, actor, delivery, "
           "progress, seen_at, plan_bytes, encoding, plan) values ('github:o/r#5', 1, 'c77', 0, 'f-old', 'label', "
           "'alice', 201, 'planned', 1714564800000000, 11, :encoding, :plan)",
        soci::use(packed.encoding, "encoding"), soci::use(plan, "plan");
  }
  if (step == 7) {
    sql << "insert into deliveries (forge, delivery_id, event, state, received_at, body_sha256, body_key, body_bytes) "
           "values ('gitcode', 'old-7', 'issues', 'done', 1714564800000000, "
           "'230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5', 2525819383705405584, 4)";
  }
  if (step == 10) {
    soci::blob content(sql);
    SetBlob(content, "old");
    sql << "insert into reviews (review_id, repository, number, subject_kind, head, revision, created_at, outline, "
           "review_bytes, encoding, review) values ('r-old', 'github:o/r', 5, 2, 'c1', 'rev', 1714564800000000, "
           ":outline, 3, 0, :review)",
        soci::use(content, "outline"), soci::use(content, "review");
    sql << "insert into review_imports (repository, number, head, tool, created_at, findings_bytes, encoding, "
           "findings) values ('github:o/r', 5, 'c1', 'ruff', 1714564800000000, 3, 0, :findings)",
        soci::use(content, "findings");
  }
  if (step == 11) {
    soci::blob record(sql);
    SetBlob(record, "old record");
    sql << "insert into jobs (job, number, repository, ended, record) values ('j-old', 1, 'github:o/r', 1, :record)",
        soci::use(record, "record");
  }
  if (step == 15) {
    sql << "insert into seen_heads (subject, subject_kind, head, head_before, not_before, not_after, seen_at) values "
           "('github:o/r#5', 1, 'old', '', 0, 1714564700000000, 1714564700000000)";
  }
  if (step == 16) {
    sql << "insert into chat_threads (platform, channel, thread, forge, repository, subject_kind, number, named_at) "
           "values ('slack', 'C9', '1.1', 'github', 'o/r', 1, 5, 1714564800000000)";
  }
}

// What a program of today reads of a database that was filled up to `step`.
void CheckRows(Store& store, int64_t step) {
  if (step >= 1) {
    auto counts = store.inbox().Counts();
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_EQ(counts->received, 100);
    EXPECT_EQ(counts->failed, 100);
    auto body = store.inbox().Body(300);
    ASSERT_TRUE(body.ok()) << body.status();
    EXPECT_EQ(*body, "body of old-300" + std::string(200, '.'));
    EXPECT_EQ(store.inbox().Get(1)->subject.number(), 5);
    EXPECT_TRUE(store.inbox().AddAndWait(Opened("old-7", "x"))->duplicate);
    EXPECT_EQ(store.inbox().Find("github", "old-7")->id, 7);
    EXPECT_GT(store.Stats().bodies_bytes, 0u);
  }
  if (step >= 2) {
    EXPECT_EQ(*store.ledger().CountPending(), 200);
    EXPECT_EQ(store.ledger().Find("old-2")->action.add_labels().labels(0), "old-2");
    EXPECT_EQ(store.decisions().Get("old-300")->plan, "plan old-300");
  }
  if (step >= 3) {
    EXPECT_EQ((*store.subjects().Get(Issue(5, "o/r")))->title, "old title");
    EXPECT_THAT(*store.subjects().RemovedLabels(Issue(5, "o/r")), SizeIs(1));
    SimilarQuery query;
    query.title = "zebra";
    EXPECT_THAT(*store.subjects().Similar(query), SizeIs(1));
  }
  if (step >= 4) {
    EXPECT_EQ((*store.schedules().Get("nightly"))->cursor, "page 3");
  }
  if (step >= 5) {
    EXPECT_EQ(*store.operators().Get("p", "demo"), "old state");
  }
  if (step >= 6) {
    CommandsOfText text{Issue(5, "o/r"), "c77", "bob", 201, {{"f-old", "label"}}};
    const auto taken = store.commands().Take(text);
    ASSERT_TRUE(taken.ok()) << taken.status();
    ASSERT_TRUE(taken->front().has_value());
    EXPECT_EQ(taken->front()->plan, "plan of old");
    EXPECT_EQ(taken->front()->actor, "alice");
  }
  if (step >= 7) {
    NewDelivery replay = Opened("new-id", "body");
    replay.forge = "gitcode";
    EXPECT_EQ(store.inbox().AddAndWait(replay)->reason, "replay of delivery old-7");
    replay.delivery_id = "old-7";
    EXPECT_TRUE(store.inbox().AddAndWait(replay)->duplicate);
  }
  if (step >= 10) {
    EXPECT_EQ((*store.reviews().Latest(Issue(5, "o/r"), ""))->review, "old");
    EXPECT_EQ(store.reviews().Imports(Issue(5, "o/r"), "c1")->front().findings, "old");
  }
  if (step >= 11) {
    const auto job = store.jobs().Get("j-old");
    ASSERT_TRUE(job.ok()) << job.status();
    EXPECT_EQ(job->record, "old record");
    // A row of the newest step would say when.
    if (step < 17) EXPECT_GT(job->ended_at, 0) << "it is kept from the migration on";
  }
  if (step >= 15) {
    const auto seen =
        store.subjects().SeeHead(Issue(5, "o/r"), "new", FromMicros(1714564800000000), HeadSource::kAnswer);
    ASSERT_TRUE(seen.ok()) << seen.status();
    EXPECT_EQ(seen->not_before, FromMicros(1714564700000000));
  }
  if (step >= 16) {
    const auto thread = store.chat_threads().Find({"slack", "C9", "1.1"});
    ASSERT_TRUE(thread.ok()) << thread.status();
    ASSERT_TRUE(thread->has_value());
    EXPECT_EQ((*thread)->subject.number(), 5);
  }
  // And all of it can be written.
  EXPECT_TRUE(store.inbox().AddAndWait(Opened("new", "new body")).ok());
  NewEffect effect;
  effect.key = "new";
  effect.kind = "add_labels";
  effect.subject = Issue(5);
  EXPECT_TRUE(store.ledger().Intent(effect).ok());
  NewDecision decision;
  decision.id = "new";
  decision.subject = Issue(5);
  decision.pack = "p";
  EXPECT_TRUE(store.decisions().Put(decision).ok());
  SeenSubject seen;
  seen.subject = Issue(6);
  seen.title = "new";
  EXPECT_TRUE(store.subjects().Put(seen).ok());
  EXPECT_TRUE(store.schedules().Start("new").ok());
  EXPECT_TRUE(store.operators().Put("p", "new", "state").ok());
  EXPECT_TRUE(store.commands().Take({Issue(5), "post", "alice", 1, {{"f", "help"}}}).ok());
  EXPECT_TRUE(store.reviews().Put({"new", Issue(5), "c1", "r1", "outline", "review"}).ok());
  EXPECT_TRUE(store.reviews().PutImport(Issue(5), "c1", {"ruff", "findings"}).ok());
  EXPECT_TRUE(store.chat_threads().Put({"slack", "C9", "2.2"}, Issue(5)).ok());
  EXPECT_TRUE(store.jobs().Put({.jobs = {{"j-new", 2, "github:o/r", false, 0, "record"}}}, /*is_new=*/true).ok());
}

std::string SchemaText(soci::session& sql) {
  std::string text;
  std::string line;
  Select query(sql);
  query.Add("select type || ' ' || name || ': ' || coalesce(sql, '') from sqlite_master order by type, name");
  query.Into(line);
  while (query.Next()) text += line + "\n";
  return text;
}

class SchemaTest : public ::testing::Test {
 protected:
  std::unique_ptr<soci::session> Connect(const std::string& name) {
    std::filesystem::create_directories(dir_.path() / name);
    return store::Connect(dir_.path() / name / "yardmaster.db", {ConnectionRole::kWriter, 0, true});
  }
  yardmaster::testing::TempDir dir_;
  yardmaster::testing::FakeClock clock_;
};

TEST_F(SchemaTest, StepsAreNumberedWithoutGaps) {
  int64_t expected = 0;
  for (const Migration& migration : Migrations()) {
    EXPECT_EQ(migration.version, ++expected);
    EXPECT_FALSE(migration.what.empty());
    EXPECT_FALSE(migration.statements.empty());
  }
}

TEST_F(SchemaTest, EveryEarlierVersionIsMigratedWithItsRows) {
  const int64_t newest = Migrations().back().version;
  std::set<std::string> schemas;
  for (int64_t step = 0; step <= newest; ++step) {
    SCOPED_TRACE("from step " + std::to_string(step));
    const std::string name = "from-" + std::to_string(step);
    {
      auto sql = Connect(name);
      ASSERT_TRUE(Migrate(*sql, step, 1).ok());
      EXPECT_EQ(SchemaVersion(*sql), step);
      soci::transaction rows(*sql);
      for (int64_t filled = 1; filled <= step; ++filled) FillStep(*sql, filled, step);
      rows.commit();
    }
    {
      StoreOptions options;
      options.data_dir = dir_.path() / name;
      options.single_threaded = true;
      options.disk_floor_bytes = 1;
      auto store = Store::Open(options, clock_, nullptr);
      ASSERT_TRUE(store.ok()) << store.status();
      CheckRows(**store, step);
    }
    auto sql = Connect(name);
    EXPECT_EQ(SchemaVersion(*sql), newest);
    schemas.insert(SchemaText(*sql));
  }
  // However it came about, it is the same schema.
  EXPECT_THAT(schemas, SizeIs(1));
}

TEST_F(SchemaTest, AStepThatFailsLeavesTheDatabaseAsItWas) {
  auto sql = Connect("a");
  ASSERT_TRUE(Migrate(*sql, 1, 1).ok());
  // Something of that name is in the way of step 2's last table.
  *sql << "create table decisions (x integer)";
  const std::string before = SchemaText(*sql);
  EXPECT_THROW(Migrate(*sql, 2, 2).IgnoreError(), std::exception);
  EXPECT_EQ(SchemaVersion(*sql), 1);
  EXPECT_EQ(SchemaText(*sql), before);
  // With it gone, the step can be taken.
  *sql << "drop table decisions";
  EXPECT_TRUE(Migrate(*sql, 2, 3).ok());
  EXPECT_EQ(SchemaVersion(*sql), 2);
}

TEST_F(SchemaTest, ADatabaseOfANewerVersionIsLeftAlone) {
  const int64_t newest = Migrations().back().version;
  {
    auto sql = Connect("a");
    ASSERT_TRUE(Migrate(*sql, newest, 1).ok());
    *sql << "insert into schema_steps (version, what, taken_at) values (99, 'from the future', 1)";
  }
  StoreOptions options;
  options.data_dir = dir_.path() / "a";
  const auto store = Store::Open(options, clock_, nullptr);
  ASSERT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(store.status().message()), HasSubstr("99"));
}

TEST_F(SchemaTest, QueriesOfTheHotPathUseTheirIndexes) {
  auto sql = Connect("a");
  ASSERT_TRUE(Migrate(*sql, Migrations().back().version, 1).ok());
  const std::map<std::string, std::string> expected = {
      {"select delivery_id from deliveries where id = 1 and body_sha256 = 'a' and forge = 'b' and event = 'c'",
       "INTEGER PRIMARY KEY"},
      {"select id from deliveries d where d.id > 0 and d.id in (0, 7, 9) and d.delivery_id = 'b' order by d.id desc",
       "INTEGER PRIMARY KEY"},
      {"select id from deliveries d where d.state = 'received' and d.due_at = 0 order by d.id limit 5",
       "deliveries_waiting"},
      {"select id from deliveries d where d.state = 'received' and d.due_at > 0 and d.due_at <= 5 order by d.due_at, "
       "d.id limit 5",
       "deliveries_waiting"},
      {"select count(*) from deliveries where state in ('failed', 'dead') and state = 'dead'", "deliveries_given_up"},
      {"select id from deliveries d where d.id > 0 and d.state = 'failed' and d.state in ('failed', 'dead') order by "
       "d.id desc limit 5",
       "deliveries_given_up"},
      {"select id from deliveries d where d.id > 0 and d.subject <> '' and lower(d.subject) = lower('x') order by d.id "
       "desc",
       "deliveries_by_subject"},
      {"select id from effects where state in ('intent', 'unknown') and id > 5 order by id", "effects_pending"},
      {"select id from effects where id > 0 and lower(subject) = lower('x') order by id desc", "effects_by_subject"},
      {"select id from decisions where id > 0 and lower(subject) = lower('x') order by id desc limit 1",
       "decisions_by_subject"},
      {"select id from reviews where lower(repository) = lower('x') and number = 7 order by id desc limit 1",
       "reviews_by_pull"},
      {"select tool from review_imports where lower(repository) = lower('x') and number = 7 and head = 'c' order by "
       "tool",
       "review_imports_by_tool"},
      {"select id from shadow_runs where lower(repository) = lower('x') and number = 7 and planner = 'p' and input = "
       "'i'",
       "shadow_runs_by_subject"},
      {"select id from chat_links where code = 'c' and forge = 'f'", "chat_links_by_code"},
      {"select id from seen_heads where lower(subject) = lower('x') and subject_kind = 1", "seen_heads_by_subject"},
      {"select id from seen_heads where seen_at < 5 order by seen_at limit 5", "seen_heads_by_time"},
      {"select id from jobs where ended = 1 and ended_at < 5 order by ended_at limit 5", "jobs_by_end"},
      {"select number from chat_threads where platform = 'p' and channel = 'c' and thread = 't'",
       "chat_threads_by_place"},
      {"select id from chat_threads where named_at < 7", "chat_threads_by_time"},
  };
  for (const auto& [query_text, index] : expected) {
    long long a = 0;
    long long b = 0;
    long long c = 0;
    std::string detail;
    std::string plan;
    Select query(*sql);
    query.Add("explain query plan " + query_text).Into(a).Into(b).Into(c).Into(detail);
    while (query.Next()) plan += detail + "; ";
    EXPECT_THAT(plan, HasSubstr(index)) << query_text;
    EXPECT_THAT(plan, ::testing::Not(HasSubstr("TEMP B-TREE"))) << query_text;
  }
}

TEST_F(SchemaTest, WhatIsCommittedIsDurable) {
  auto sql = Connect("a");
  long long synchronous = 0;
  std::string mode;
  long long vacuum = 0;
  *sql << "pragma synchronous", soci::into(synchronous);
  *sql << "pragma journal_mode", soci::into(mode);
  *sql << "pragma auto_vacuum", soci::into(vacuum);
  EXPECT_EQ(synchronous, 2) << "FULL";
  EXPECT_EQ(mode, "wal");
  EXPECT_EQ(vacuum, 2) << "incremental";
}

}  // namespace
}  // namespace yardmaster::store
