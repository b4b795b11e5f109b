#include "services/core/store/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "services/core/store/dialect.h"
#include "services/core/store/sql.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    sql_ = Connect(dir_.path() / "test.db", {ConnectionRole::kWriter, 0, true});
    *sql_ << "create table rows (name text primary key)";
  }
  void Start(WriterOptions options = {}) {
    options.queue_deliveries = 100;
    options.queue_bytes = 1'000'000;
    options.committed = [this](const Changes&, int64_t writes) { groups_.push_back(writes); };
    writer_ = std::make_unique<Writer>(*sql_, clock_, std::move(options));
    writer_->Start();
  }
  static absl::Status Insert(Transaction& transaction, const std::string& name) {
    transaction.sql << "insert into rows (name) values (:name)", soci::use(name, "name");
    return absl::OkStatus();
  }
  std::vector<std::string> Rows() {
    std::vector<std::string> rows;
    std::string name;
    Select query(*sql_);
    query.Add("select name from rows order by name").Into(name);
    while (query.Next()) rows.push_back(name);
    return rows;
  }

  yardmaster::testing::TempDir dir_;
  yardmaster::testing::FakeClock clock_;
  std::unique_ptr<soci::session> sql_;
  std::vector<int64_t> groups_;
  std::unique_ptr<Writer> writer_;
};

// A write whose work and answer are functions.
class TestWrite final : public Write {
 public:
  TestWrite(std::function<absl::Status(Transaction&)> apply, std::function<void(const absl::Status&)> done,
            WriteKind kind = WriteKind::kTransition)
      : Write(kind), apply_(std::move(apply)), done_(std::move(done)) {}
  absl::Status Apply(Transaction& transaction) override { return apply_(transaction); }
  void Done(const absl::Status& status) override { done_(status); }

 private:
  std::function<absl::Status(Transaction&)> apply_;
  std::function<void(const absl::Status&)> done_;
};

TEST_F(WriterTest, OneThatThrowsIsSingledOutAndTheOthersAreCommitted) {
  Start();
  // Held up, so that all of them become one group.
  std::latch held(1);
  std::latch go(1);
  writer_->Submit(std::make_unique<TestWrite>([](Transaction&) { return absl::OkStatus(); },
                                              [&](const absl::Status&) {
                                                held.count_down();
                                                go.wait();
                                              }));
  held.wait();
  std::vector<std::promise<absl::Status>> answers(5);
  for (int i = 0; i < 5; ++i) {
    writer_->Submit(std::make_unique<TestWrite>(
        [i](Transaction& transaction) {
          // The same name twice: the database says no. And one of our own.
          if (i == 3) throw std::runtime_error("our own fault");
          return Insert(transaction, i == 2 ? "row 1" : "row " + std::to_string(i));
        },
        [&answers, i](const absl::Status& status) { answers[i].set_value(status); }));
  }
  go.count_down();
  std::vector<absl::Status> statuses;
  statuses.reserve(answers.size());
  for (auto& answer : answers) statuses.push_back(answer.get_future().get());
  writer_->Stop();
  EXPECT_TRUE(statuses[0].ok());
  EXPECT_TRUE(statuses[1].ok());
  EXPECT_EQ(statuses[2].code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(statuses[2].message()), HasSubstr("UNIQUE"));
  EXPECT_EQ(statuses[3].code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(statuses[3].message()), HasSubstr("our own fault"));
  EXPECT_TRUE(statuses[4].ok());
  EXPECT_THAT(Rows(), ElementsAre("row 0", "row 1", "row 4"));
  EXPECT_TRUE(writer_->Ready().code() == absl::StatusCode::kUnavailable);
}

TEST_F(WriterTest, WhatPeopleWroteIsNotInTheErrors) {
  Start();
  const std::string secret = "the content of an issue";
  ASSERT_TRUE(writer_->Run(WriteKind::kNew, [&](Transaction& t) { return Insert(t, secret); }).ok());
  const absl::Status again = writer_->Run(WriteKind::kNew, [&](Transaction& t) { return Insert(t, secret); });
  EXPECT_FALSE(again.ok());
  EXPECT_THAT(std::string(again.message()), ::testing::Not(HasSubstr(secret)));
}

TEST_F(WriterTest, ARefusalByTheWriteItselfHarmsNobody) {
  Start();
  EXPECT_EQ(writer_->Run(WriteKind::kNew, [](Transaction&) { return absl::NotFoundError("no such row"); }).code(),
            absl::StatusCode::kNotFound);
  EXPECT_TRUE(writer_->Run(WriteKind::kNew, [](Transaction& t) { return Insert(t, "a"); }).ok());
  writer_->Stop();
  EXPECT_THAT(Rows(), ElementsAre("a"));
}

TEST_F(WriterTest, UpkeepGetsItsTurnUnderLoadAndWhenIdle) {
  WriterOptions options;
  std::atomic<int> slices{0};
  options.next_slice = [&]() -> std::unique_ptr<Write> {
    if (slices >= 50) return nullptr;
    return std::make_unique<TestWrite>([](Transaction&) { return absl::OkStatus(); },
                                       [&](const absl::Status&) { ++slices; });
  };
  Start(std::move(options));
  // Each of these is a group.
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(writer_->Run(WriteKind::kNew, [&](Transaction& t) { return Insert(t, std::to_string(i)); }).ok());
  }
  EXPECT_GE(slices, 10);
  for (int i = 0; i < 1000 && slices < 50; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(slices, 50);
  writer_->Stop();
}

TEST_F(WriterTest, AStreamOfDeliveriesIsGatheredAndALoneOneIsNot) {
  // Long enough that a test which waits for it by mistake fails by its limit of time.
  constexpr std::chrono::seconds kFar{600};
  WriterOptions options;
  options.between_groups_of_many = kFar;
  Start(std::move(options));
  const auto submit = [&](const std::string& name, const std::function<void()>& told) {
    writer_->Submit(std::make_unique<TestWrite>([name](Transaction& t) { return Insert(t, name); },
                                                [told](const absl::Status&) { told(); }, WriteKind::kDelivery));
  };
  // One after the other: each is a group of its own.
  for (int i = 0; i < 5; ++i) {
    std::promise<void> told;
    submit("lone " + std::to_string(i), [&] { told.set_value(); });
    told.get_future().wait();
  }
  // Three at once, since the writer is held up.
  std::latch held(1);
  std::latch go(1);
  submit("first", [&] {
    held.count_down();
    go.wait();
  });
  held.wait();
  std::latch together(3);
  for (int i = 0; i < 3; ++i) submit("together " + std::to_string(i), [&] { together.count_down(); });
  go.count_down();
  together.wait();
  // What comes now waits for its fellows; only the end makes it go.
  for (int i = 0; i < 4; ++i) submit("gathered " + std::to_string(i), [] {});
  writer_->Stop();
  EXPECT_THAT(groups_, ElementsAre(1, 1, 1, 1, 1, 1, 3, 4));
}

TEST_F(WriterTest, AWriteThatAThreadWaitsForIsNotHeldBackByAStreamOfDeliveries) {
  WriterOptions options;
  options.between_groups_of_many = std::chrono::seconds(600);
  Start(std::move(options));
  const auto submit = [&](const std::string& name, const std::function<void()>& told) {
    writer_->Submit(std::make_unique<TestWrite>([name](Transaction& t) { return Insert(t, name); },
                                                [told](const absl::Status&) { told(); }, WriteKind::kDelivery));
  };
  std::latch held(1);
  std::latch go(1);
  submit("first", [&] {
    held.count_down();
    go.wait();
  });
  held.wait();
  std::latch together(3);
  for (int i = 0; i < 3; ++i) submit("together " + std::to_string(i), [&] { together.count_down(); });
  go.count_down();
  together.wait();
  submit("gathered", [] {});
  EXPECT_TRUE(writer_->Run(WriteKind::kTransition, [](Transaction& t) { return Insert(t, "awaited"); }).ok());
  writer_->Stop();
  EXPECT_THAT(groups_, ElementsAre(1, 3, 2));
}

TEST_F(WriterTest, AnErrorBetweenTransactionsIsNotLost) {
  WriterOptions options;
  std::atomic<bool> fail{false};
  options.between_groups = [&] {
    if (fail) throw soci::soci_error("some error of the log");
  };
  Start(std::move(options));
  fail = true;
  EXPECT_TRUE(writer_->Run(WriteKind::kNew, [](Transaction& t) { return Insert(t, "a"); }).ok());
  EXPECT_TRUE(writer_->Ready().ok());
  writer_->Stop();
}

}  // namespace
}  // namespace yardmaster::store
