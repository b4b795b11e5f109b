#include "rules/engine/signal_forms.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/engine/matcher.h"

namespace yardmaster::rules {
namespace {

// What the signal finds first in a title; nothing if it does not match.
std::optional<std::string> Found(SignalModel signal, std::string_view text) {
  signal.id = "s";
  signal.zones[static_cast<size_t>(Zone::kTitle)] = 1;
  Problems problems;
  const std::unique_ptr<Matcher> matcher = Matcher::Create({std::move(signal)}, {}, problems);
  if (matcher == nullptr) {
    ADD_FAILURE() << (problems.empty() ? "" : problems[0].ToString());
    return std::nullopt;
  }
  ZonedText title{TextSource::kTitle, 0, text, {}};
  title.zones.push_back({Zone::kTitle, 0, text.size(), {}});
  std::vector<SignalHit> hits;
  matcher->Match({title}, hits);
  if (hits.empty()) return std::nullopt;
  return std::string(text.substr(hits[0].begin, hits[0].end - hits[0].begin));
}

SignalModel Words(std::vector<std::string> words) {
  SignalModel signal;
  signal.words = std::move(words);
  return signal;
}

TEST(SignalForms, WordIsAWholeIdentifierInAnyCase) {
  const SignalModel ddp = Words({"ddp"});
  EXPECT_EQ(Found(ddp, "[DDP] hangs"), "DDP");
  EXPECT_EQ(Found(ddp, "my.ddp(model)"), "ddp");
  EXPECT_EQ(Found(ddp, "ddp_model"), std::nullopt);
  EXPECT_EQ(Found(ddp, "PyTorchDDP"), std::nullopt);
}

TEST(SignalForms, WordNextToChineseTextIsFound) { EXPECT_EQ(Found(Words({"fsdp"}), "使用FSDP时报错"), "FSDP"); }

TEST(SignalForms, WordWithPunctuationAtItsEdgeHasNoBoundaryThere) {
  EXPECT_EQ(Found(Words({"c++"}), "in C++20"), "C++");
  EXPECT_EQ(Found(Words({"--nproc"}), "run --nproc=2"), "--nproc");
}

TEST(SignalForms, ExactWordKeepsItsCase) {
  SignalModel shard;
  shard.exact = {"Shard"};
  EXPECT_EQ(Found(shard, "Shard(0)"), "Shard");
  EXPECT_EQ(Found(shard, "shard(0)"), std::nullopt);
}

TEST(SignalForms, WordLongerThanTheScannerLooksIsComparedToItsEnd) {
  const SignalModel name = Words({"DistributedDataParallel"});
  EXPECT_EQ(Found(name, "distributeddatasets distributeddataparallel"), "distributeddataparallel");
  EXPECT_EQ(Found(name, "DistributedDataPar"), std::nullopt);
}

TEST(SignalForms, PhraseBridgesBlanksLineEndsHyphensAndUnderscores) {
  SignalModel phrase;
  phrase.phrases = {"tensor parallel"};
  EXPECT_EQ(Found(phrase, "Tensor\n  Parallel"), "Tensor\n  Parallel");
  EXPECT_EQ(Found(phrase, "tensor-parallel"), "tensor-parallel");
  EXPECT_EQ(Found(phrase, "tensor_parallel"), "tensor_parallel");
  EXPECT_EQ(Found(phrase, "tensorparallel"), std::nullopt);
  EXPECT_EQ(Found(phrase, "tensor parallelism"), std::nullopt);
  EXPECT_EQ(Found(phrase, "tensor"), std::nullopt);
  EXPECT_EQ(Found(phrase, "tensor tensor parallel"), "tensor parallel");
}

TEST(SignalForms, WordOfAPhraseMayBeginWithWhatSeparatesWords) {
  SignalModel phrase;
  phrase.phrases = {"with -fPIC set"};
  EXPECT_EQ(Found(phrase, "built with  -fPIC set"), "with  -fPIC set");
  EXPECT_EQ(Found(phrase, "built with fPIC set"), std::nullopt);
}

TEST(SignalForms, ImportIsFoundInEveryFormOfImporting) {
  SignalModel module;
  module.imports = {"torch.distributed.fsdp"};
  EXPECT_EQ(Found(module, "import torch.distributed.fsdp"), "torch.distributed.fsdp");
  EXPECT_EQ(Found(module, "torch.distributed.fsdp.wrap.policy"), "torch.distributed.fsdp");
  EXPECT_EQ(Found(module, "from torch.distributed import rpc, fsdp"), "from torch.distributed import rpc, fsdp");
  EXPECT_EQ(Found(module, "from torch.distributed import fsdp2"), std::nullopt);
  EXPECT_EQ(Found(module, "torch.distributed.fsdp_utils"), std::nullopt);
}

TEST(SignalForms, WordsCountBeforePatterns) {
  SignalModel mixed = Words({"hang"});
  mixed.patterns = {"(?i)dead.?lock\\w*"};
  EXPECT_EQ(Found(mixed, "a dead lock, a hang"), "hang");
  EXPECT_EQ(Found(mixed, "a dead lock"), "dead lock");
}

TEST(SignalForms, PatternIsFoundWithAndWithoutALiteralThatItNeeds) {
  SignalModel list;
  list.patterns = {"(?m)^\\s*[2-9][.)]\\s+\\S"};
  EXPECT_EQ(Found(list, "1. a\n2. b"), "2. b");
  SignalModel folded;
  folded.patterns = {"(?i)größe"};  // letters whose case only RE2 knows
  EXPECT_EQ(Found(folded, "GRÖßE"), "GRÖßE");
  SignalModel chinese;
  chinese.patterns = {"保存.{0,12}checkpoint"};
  EXPECT_EQ(Found(chinese, "无法保存 checkpoint"), "保存 checkpoint");
}

TEST(SignalForms, DerivedSignalHasNone) {
  const SignalForms forms = FormsOf(SignalModel{});
  EXPECT_TRUE(forms.literals.empty());
}

TEST(SignalForms, OfAlternativesTheLeftmostWinsThenTheFirst) {
  const auto found = [](std::vector<std::string> patterns, std::string_view text) {
    SignalModel signal;
    signal.patterns = std::move(patterns);
    return Found(signal, text);
  };
  // Some are spelled out, others are searched for.
  EXPECT_EQ(found({"abc|ab.+"}, "abc d"), "abc");
  EXPECT_EQ(found({"ab.+|abc"}, "abc d"), "abc d");
  EXPECT_EQ(found({"abc|b.+"}, "b1 abc"), "b1 abc");
  EXPECT_EQ(found({"abc", "ab.+"}, "abc d"), "abc");
  EXPECT_EQ(found({"ab.+", "abc"}, "abc d"), "abc d");
  EXPECT_EQ(found({"\\b(?:shard\\w*|[xy]+z|mesh)\\b"}, "a xyxz mesh"), "xyxz");
  EXPECT_EQ(found({"\\b(?:shard\\w*|[xy]+z|mesh)\\b"}, "a mesh xyxz"), "mesh");
  EXPECT_EQ(found({"\\b(?:shard\\w*|[xy]+z|mesh)\\b"}, "unsharded sharded_1"), "sharded_1");
}

TEST(SignalForms, PatternThatBeginsWithWordsIsTriedWhereTheyStand) {
  SignalModel signal;
  signal.patterns = {"(?i)\\b(?:saves?|loads?)\\b.{0,12}\\bcheckpoint\\w*"};
  EXPECT_EQ(Found(signal, "it Loads, and then saves two checkpoints"), "saves two checkpoints");
  EXPECT_EQ(Found(signal, "unsaved, reloads: load a checkpoint"), "load a checkpoint");
  EXPECT_EQ(Found(signal, "saves a model, the checkpoint"), std::nullopt);
  // In many places, too, of which only the last will do.
  std::string many;
  for (int i = 0; i < 40; ++i) many += "loads nothing at all; ";
  EXPECT_EQ(Found(signal, many + "saves the checkpoint"), "saves the checkpoint");
  EXPECT_EQ(Found(signal, many), std::nullopt);
  SignalModel several;
  several.patterns = {"\\bload.{0,9}fails", "(?:x|y)+ fails", "\\bsave.{0,9}fails"};
  EXPECT_EQ(Found(several, "xy load save fails"), "load save fails");
  EXPECT_EQ(Found(several, "save, xyx fails"), "save, xyx fails");
  EXPECT_EQ(Found(several, "a yyx fails"), "yyx fails");
}

}  // namespace
}  // namespace yardmaster::rules
