#include "services/core/store/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>
#include <zstd.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "services/core/limits.h"
#include "services/core/store/body_dictionary.h"

namespace yardmaster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Codec, PackedBytesComeBack) {
  for (const std::string& bytes :
       {std::string(), std::string("short"), std::string(100'000, 'a'), std::string("\0\xff\0", 3)}) {
    const Packed packed = Pack(bytes);
    auto back = Unpack(packed.encoding, packed.bytes, static_cast<int64_t>(bytes.size()));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, bytes);
  }
  EXPECT_LT(Pack(std::string(100'000, 'a')).bytes.size(), 1000u);
}

TEST(Codec, WhatDoesNotShrinkIsKeptAsItIs) {
  std::string noise;
  uint64_t state = 1;
  for (int i = 0; i < 4096; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    noise += static_cast<char>(state >> 56);
  }
  const Packed packed = Pack(noise);
  EXPECT_EQ(packed.encoding, 0);
  EXPECT_EQ(packed.bytes, noise);
}

TEST(Codec, WhatEarlierVersionsPackedIsRead) {
  const std::string bytes(10'000, 'a');
  std::string packed(1000, 0);
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
  auto back = Unpack(1, packed, 10'000);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, bytes);
}

TEST(Codec, TheFrameOfABodyTakesLittleRoom) {
  std::string body = R"({"action":"opened","issue":{"title":"Segmentation fault in a collective","labels":[],"user":{)";
  for (const char* name : {"followers", "following{/other_user}", "gists{/gist_id}", "starred{/owner}{/repo}"}) {
    body += R"("url":"https://api.github.com/users/somebody/)" + std::string(name) + "\",";
  }
  body += R"("type":"User","site_admin":false},"active_lock_reason":null,"author_association":"CONTRIBUTOR"}})";
  EXPECT_LT(Pack(body).bytes.size(), body.size() * 2 / 5);
}

// Bodies that are stored can be read with this text alone.
TEST(Codec, TheDictionaryIsTheOneThatStoredBodiesWerePackedWith) {
  const std::string_view text = BodyDictionary();
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  const unsigned char expected[] = {0x2a, 0xf6, 0xcf, 0xad, 0xa2, 0x50, 0x63, 0x2f};
  EXPECT_TRUE(std::equal(std::begin(expected), std::end(expected), digest));
}

TEST(Codec, DamagedValuesAreNoticed) {
  const std::string bytes(10'000, 'a');
  Packed packed = Pack(bytes);
  ASSERT_EQ(packed.encoding, 2);
  EXPECT_EQ(Unpack(2, packed.bytes, 9'999).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Unpack(2, packed.bytes, 10'001).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Unpack(2, packed.bytes, -1).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Unpack(7, packed.bytes, 10'000).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Unpack(0, "abc", 4).status().code(), absl::StatusCode::kDataLoss);
  packed.bytes.resize(packed.bytes.size() / 2);
  EXPECT_EQ(Unpack(2, packed.bytes, 10'000).status().code(), absl::StatusCode::kDataLoss);
}

TEST(Codec, TextIsMadeValidAndCutBetweenCharacters) {
  EXPECT_EQ(CleanText("plain", 100), "plain");
  EXPECT_EQ(CleanText(std::string("a\0b\xff", 4), 100),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(CleanText("通信", 5), "通");
  EXPECT_EQ(CleanText("通信", 2), "");
  // A surrogate, an overlong form and a character past the last one.
  EXPECT_EQ(CleanText("\xed\xa0\x80", 100), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(CleanText("\xc0\x80", 100), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(CleanText("\xf4\x90\x80\x80", 100), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(CleanText("\xf0\x9f\x98\x80", 100), "\xf0\x9f\x98\x80");
}

TEST(Codec, ListsOfTextsComeBack) {
  EXPECT_THAT(DecodeStrings(EncodeStrings({"a, b", "\"", "通信", ""})), ElementsAre("a, b", "\"", "通信", ""));
  EXPECT_THAT(DecodePairs(EncodePairs({{"x", "1"}, {"y\n", "\"2\""}})),
              ElementsAre(Pair("x", "1"), Pair("y\n", "\"2\"")));
  EXPECT_EQ(EncodePairs({}), "");
  EXPECT_THAT(DecodePairs(""), IsEmpty());
  EXPECT_THAT(DecodeStrings("not json"), IsEmpty());
  EXPECT_THAT(DecodeStrings("[1, \"a\", null]"), ElementsAre("a"));
}

TEST(Codec, SubjectsAreWrittenAsPeopleWriteThem) {
  v1::Subject subject;
  EXPECT_EQ(SubjectText(subject), "");
  subject.set_forge("gitcode");
  subject.set_repository("openeuler/kernel");
  EXPECT_EQ(SubjectText(subject), "gitcode:openeuler/kernel");
  subject.set_number(12);
  EXPECT_EQ(SubjectText(subject), "gitcode:openeuler/kernel#12");
  for (const char* text : {"", "gitcode:openeuler/kernel", "gitcode:openeuler/kernel#12", "github:a/b#c#7"}) {
    EXPECT_EQ(SubjectText(SubjectFromText(text, v1::SUBJECT_KIND_ISSUE)), text);
  }
  EXPECT_EQ(SubjectFromText("github:a/b#5", v1::SUBJECT_KIND_PULL_REQUEST).kind(), v1::SUBJECT_KIND_PULL_REQUEST);
  EXPECT_EQ(SubjectFromText("github:a/b#5", 99).kind(), v1::SUBJECT_KIND_UNSPECIFIED);
}

TEST(Codec, NamesThatCantBeComparedAreRefused) {
  EXPECT_TRUE(CheckStoredName("f", "kind/bug 缺陷").ok());
  EXPECT_FALSE(CheckStoredName("f", "").ok());
  EXPECT_TRUE(CheckStoredName("f", "", true).ok());
  EXPECT_FALSE(CheckStoredName("f", "a\tb").ok());
  EXPECT_FALSE(CheckStoredName("f", std::string("a\0", 2)).ok());
  EXPECT_FALSE(CheckStoredName("f", "\x80").ok());
  EXPECT_TRUE(CheckStoredName("f", std::string(kMaxNameBytes, 'a')).ok());
  EXPECT_FALSE(CheckStoredName("f", std::string(kMaxNameBytes + 1, 'a')).ok());
}

}  // namespace
}  // namespace yardmaster::store
