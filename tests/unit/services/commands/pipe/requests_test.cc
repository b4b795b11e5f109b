#include "services/commands/pipe/requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "rules/engine/compiled_pack.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/limits.h"
#include "tests/support/shipped_packs.h"
#include "tests/support/shipped_phrases.h"

namespace yardmaster::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The shipped commands and phrases.
class RequestReaderTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Problems problems;
    std::optional<rules::PackModel> model = rules::LoadPack(yardmaster::testing::ShippedPacks(), "common", problems);
    ASSERT_TRUE(model.has_value());
    pack_ = new std::shared_ptr<const rules::CompiledPack>(rules::CompiledPack::Compile(*std::move(model), problems));
    phrases_ = new std::shared_ptr<const rules::PhraseSet>(yardmaster::testing::ShippedPhrases());
    ASSERT_NE(*phrases_, nullptr);
  }
  static void TearDownTestSuite() {
    delete pack_;
    delete phrases_;
  }

  RequestReaderTest() {
    subject_.set_forge("github");
    subject_.set_repository("octo/repo");
    subject_.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
    subject_.set_number(7);
    options_.bot_logins = {"bot"};
  }
  std::vector<Request> Read(const std::string& text) const {
    return RequestReader((*pack_)->commands(), options_, *phrases_, subject_).Read(text);
  }
  static std::vector<std::string> Ids(const std::vector<Request>& requests) {
    std::vector<std::string> out;
    out.reserve(requests.size());
    for (const Request& request : requests) out.emplace_back(request.command.id());
    return out;
  }

  static std::shared_ptr<const rules::CompiledPack>* pack_;
  static std::shared_ptr<const rules::PhraseSet>* phrases_;
  v1::Subject subject_;
  GrammarOptions options_;
};
std::shared_ptr<const rules::CompiledPack>* RequestReaderTest::pack_ = nullptr;
std::shared_ptr<const rules::PhraseSet>* RequestReaderTest::phrases_ = nullptr;

TEST_F(RequestReaderTest, LinesAndSentencesAreReadInTheirOrder) {
  const std::vector<Request> requests = Read("/review\n\n@bot 帮我把 #160 压成一个 commit\n\n/why");
  EXPECT_THAT(Ids(requests), ElementsAre("review", "squash", "why"));
  EXPECT_EQ(requests[1].written, "@bot 帮我把 #160 压成一个 commit");
  EXPECT_TRUE(requests[1].chinese);
  EXPECT_FALSE(requests[2].chinese);
}

TEST_F(RequestReaderTest, ASentenceOfSeveralCommandsIsSeveralRequests) {
  const std::vector<Request> requests = Read("@bot review PR 160, then squash it");
  ASSERT_THAT(Ids(requests), ElementsAre("review", "squash"));
  EXPECT_EQ(requests[0].written, "/review 160");
  EXPECT_EQ(requests[1].written, "/squash 160");
  EXPECT_NE(requests[0].fingerprint, requests[1].fingerprint);
  ASSERT_THAT(requests[1].before, SizeIs(1)) << "what writes needs all that comes before it";
  EXPECT_EQ(requests[1].before[0].fingerprint, requests[0].fingerprint);
  // The same words, the same names.
  EXPECT_EQ(Read("Hello\n\n@bot  review PR 160, then squash it")[1].fingerprint, requests[1].fingerprint);
}

TEST_F(RequestReaderTest, WhatOnlyReadsDoesNotDependOnWhatOnlyReads) {
  const std::vector<Request> requests = Read("@bot review PR 160, then tell me why it got its labels");
  ASSERT_THAT(Ids(requests), ElementsAre("review", "why"));
  EXPECT_THAT(requests[1].before, IsEmpty());
}

TEST_F(RequestReaderTest, ADecisionByCommandIsAWriteThatWaitsForWhatComesBefore) {
  const std::vector<Request> requests = Read("@bot review PR 160, and if it passes triage this issue again");
  ASSERT_THAT(Ids(requests), ElementsAre("review", "triage"));
  EXPECT_TRUE(requests[1].conditional);
  EXPECT_THAT(requests[1].before, SizeIs(1));
}

TEST_F(RequestReaderTest, AConditionIsNoticed) {
  const std::vector<Request> requests = Read("@bot review PR 160, and if it passes squash it");
  ASSERT_THAT(Ids(requests), ElementsAre("review", "squash"));
  EXPECT_FALSE(requests[0].conditional);
  EXPECT_TRUE(requests[1].conditional);
}

TEST_F(RequestReaderTest, DoubtHasChoices) {
  const std::vector<Request> requests = Read("@bot 合并 #12");
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(requests[0].command.command, nullptr);
  EXPECT_THAT(requests[0].choices, ElementsAre("/squash 12", "/check-pr 12", "/status 12"));
}

TEST_F(RequestReaderTest, TalkAsksForNothingAndAMereCallIsACallForHelp) {
  EXPECT_THAT(Read("@bot thanks a lot!"), IsEmpty());
  EXPECT_THAT(Ids(Read("@bot")), ElementsAre("help"));
}

TEST_F(RequestReaderTest, TextThatHoldsTooMuchSaysSoWithItsLastRequest) {
  std::string many;
  for (size_t i = 0; i < kMaxCommandsInText - 1; ++i) many += "/why " + std::to_string(i + 1) + "\n\n";
  const std::vector<Request> requests = Read(many + "@bot review PR 160, then squash it");
  ASSERT_THAT(requests, SizeIs(kMaxCommandsInText)) << "a command of the sentence is too much";
  EXPECT_THAT(requests.back().unread.en, HasSubstr("may hold 20 commands"));
  EXPECT_TRUE(requests.front().unread.en.empty());
  EXPECT_FALSE(requests.back().IsNote());

  const std::vector<Request> late = Read(std::string(70'000, 'x') + "\n/why");
  ASSERT_THAT(late, SizeIs(1));
  EXPECT_TRUE(late[0].IsNote());
  EXPECT_THAT(late[0].unread.en, HasSubstr("64 KiB"));
  EXPECT_THAT(Read(std::string(70'000, 'x') + "\n@alice look"), IsEmpty()) << "nobody asked us";
}

}  // namespace
}  // namespace yardmaster::commands
