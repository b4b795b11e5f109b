#include "rules/engine/signal_pattern.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

namespace yardmaster::rules {
namespace {

bool Finds(const std::string& pattern, const std::string& text) {
  const RE2 compiled(pattern);
  EXPECT_TRUE(compiled.ok()) << pattern << ": " << compiled.error();
  return RE2::PartialMatch(text, compiled);
}

TEST(SignalPattern, WordIsAWholeIdentifierInAnyCase) {
  const std::string ddp = WordPattern("ddp", /*fold_case=*/true);
  EXPECT_TRUE(Finds(ddp, "[DDP] hangs"));
  EXPECT_TRUE(Finds(ddp, "my.ddp(model)"));
  EXPECT_FALSE(Finds(ddp, "ddp_model"));
  EXPECT_FALSE(Finds(ddp, "PyTorchDDP"));
}

TEST(SignalPattern, WordNextToChineseTextIsFound) { EXPECT_TRUE(Finds(WordPattern("FSDP", true), "使用FSDP时报错")); }

TEST(SignalPattern, WordWithPunctuationAtItsEdgeHasNoBoundaryThere) {
  EXPECT_TRUE(Finds(WordPattern("c++", true), "in C++20"));
  EXPECT_TRUE(Finds(WordPattern("--nproc", true), "run --nproc=2"));
}

TEST(SignalPattern, ExactWordKeepsItsCase) {
  const std::string shard = WordPattern("Shard", /*fold_case=*/false);
  EXPECT_TRUE(Finds(shard, "Shard(0)"));
  EXPECT_FALSE(Finds(shard, "shard(0)"));
}

TEST(SignalPattern, PhraseBridgesBlanksLineEndsHyphensAndUnderscores) {
  const std::string phrase = PhrasePattern("tensor parallel");
  EXPECT_TRUE(Finds(phrase, "Tensor\n  Parallel"));
  EXPECT_TRUE(Finds(phrase, "tensor-parallel"));
  EXPECT_TRUE(Finds(phrase, "tensor_parallel"));
  EXPECT_FALSE(Finds(phrase, "tensorparallel"));
  EXPECT_FALSE(Finds(phrase, "tensor parallelism"));
}

TEST(SignalPattern, ImportIsFoundInEveryFormOfImporting) {
  const std::string module = ImportPattern("torch.distributed.fsdp");
  EXPECT_TRUE(Finds(module, "import torch.distributed.fsdp"));
  EXPECT_TRUE(Finds(module, "from torch.distributed.fsdp import X"));
  EXPECT_TRUE(Finds(module, "torch.distributed.fsdp.wrap.policy"));
  EXPECT_TRUE(Finds(module, "from torch.distributed import rpc, fsdp"));
  EXPECT_FALSE(Finds(module, "from torch.distributed import fsdp2"));
  EXPECT_FALSE(Finds(module, "torch.distributed.fsdp_utils"));
}

TEST(SignalPattern, DerivedSignalHasNoPattern) { EXPECT_EQ(SignalPattern(SignalModel{}), ""); }

}  // namespace
}  // namespace yardmaster::rules
