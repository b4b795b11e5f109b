#include "services/schedule/digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "yardmaster/v1/review.pb.h"

namespace yardmaster {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

class DigestTest : public ::testing::Test {
 protected:
  DigestTest() {
    store::StoreOptions options;
    options.data_dir = dir_.path() / "data";
    options.disk_floor_bytes = 1;
    store_ = *store::Store::Open(std::move(options), clock_, nullptr);
    repository_.set_forge("github");
    repository_.set_repository("octo/repo");
    repository_.set_kind(v1::SUBJECT_KIND_ISSUE);
  }
  v1::Subject Of(int64_t number, v1::SubjectKind kind = v1::SUBJECT_KIND_ISSUE) const {
    v1::Subject subject = repository_;
    subject.set_number(number);
    subject.set_kind(kind);
    return subject;
  }
  void Decide(int64_t number) {
    EXPECT_TRUE(store_->decisions()
                    .Put({"d" + std::to_string(++serial_), Of(number), "p", "r", "i", v1::MODE_APPLY, 0, ""})
                    .ok());
  }
  void AddLabel(int64_t number, const std::string& label) {
    store::NewEffect effect;
    effect.key = "k" + std::to_string(++serial_);
    effect.subject = Of(number);
    effect.kind = "add_labels";
    effect.action.mutable_add_labels()->add_labels(label);
    const auto intent = store_->ledger().Intent(effect);
    ASSERT_TRUE(intent.ok()) << intent.status();
    EXPECT_TRUE(store_->ledger().MarkConfirmed(intent->id, "x").ok());
  }
  void Review(int64_t number, bool blocks) {
    v1::Review review;
    v1::ReviewFinding& finding = *review.add_findings();
    finding.set_change(v1::FINDING_CHANGE_NEW);
    finding.set_severity(blocks ? v1::FINDING_SEVERITY_BLOCK : v1::FINDING_SEVERITY_INFO);
    EXPECT_TRUE(store_->reviews()
                    .Put({"r" + std::to_string(++serial_), Of(number, v1::SUBJECT_KIND_PULL_REQUEST), "h", "v", "",
                          review.SerializeAsString()})
                    .ok());
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<store::Store> store_;
  v1::Subject repository_;
  int serial_ = 0;
};

TEST_F(DigestTest, CountsTheDaysBeforeAndNothingElse) {
  Decide(1);
  AddLabel(1, "old");
  clock_.Advance(24h * 8);
  Decide(2);
  Decide(2);
  Decide(3);
  AddLabel(2, "bug");
  AddLabel(3, "bug");
  Review(7, true);
  clock_.Advance(1s);
  Review(7, false);
  Review(8, true);
  const store::TimePoint until = clock_.Now();
  clock_.Advance(1h);
  Decide(4);
  const absl::StatusOr<DigestCounts> counts = CountForDigest(*store_, repository_, until - 24h * 7, until);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->issues, 2);
  EXPECT_EQ(counts->labels, (std::map<std::string, int64_t>{{"bug", 2}}));
  EXPECT_EQ(counts->writes.at("add_labels"), 2);
  EXPECT_EQ(counts->pulls, 2);
  EXPECT_EQ(counts->blocked_pulls, 1) << "the last review of each counts";
  v1::Subject other = repository_;
  other.set_repository("octo/other");
  EXPECT_EQ(CountForDigest(*store_, other, until - 24h * 7, until)->issues, 0);
}

TEST(DigestText, NamesNobody) {
  v1::Subject repository;
  repository.set_forge("github");
  repository.set_repository("octo/repo");
  DigestCounts counts;
  counts.issues = 1;
  counts.labels = {{"@maria <!channel>", 3}};
  counts.dead_letters = 2;
  const SaidText text = DigestText(repository, 7, counts);
  EXPECT_THAT(text.en, HasSubstr("1 issue decided about"));
  EXPECT_THAT(text.en, HasSubstr("2 deliveries were given up"));
  EXPECT_THAT(text.zh, HasSubstr("分诊 issue 1 个"));
  for (const std::string& one : {text.en, text.zh}) EXPECT_THAT(one, Not(HasSubstr("@maria")));
}

}  // namespace
}  // namespace yardmaster
