#include "services/review/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/packs/validate.h"
#include "services/review/diff_review.h"
#include "services/review/progress_json.h"
#include "tests/support/memory_change.h"
#include "tests/support/source_path.h"

namespace yardmaster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using testing::MemoryTree;

class TreeInMemory final : public rules::ReviewTree {
 public:
  explicit TreeInMemory(MemoryTree files) : files_(std::move(files)) {
    for (const auto& [path, text] : files_) paths_.push_back(path);
  }
  const std::vector<std::string>& Paths(rules::TreeSide) override { return paths_; }
  std::optional<std::string> Read(rules::TreeSide, const std::string& path) override {
    const auto found = files_.find(path);
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  const MemoryTree files_;
  std::vector<std::string> paths_;
};

// Two stages of recipes: tasting needs a file, and what is burnt is inconsistent.
std::shared_ptr<const rules::CheckSet> Recipes(const std::string& more = "") {
  Problems problems;
  const rules::PackFiles files = {{"kitchen/pack.json", R"({"name": "kitchen", "title": "Recipes"})"},
                                  {"kitchen/checks/a.json", absl::StrCat(R"({
        "moments": [{"id": "progress", "title": "asked", "own": true}],
        "progress": [{"id": "cook", "title": "cooking"}, {"id": "taste", "title": "tasting"}],
        "checks": [
          {"id": "K1", "title": "recipe", "severity": "INFO", "at": ["progress"], "files": ["recipes/*.json"], "each": "file",
           "message": "{stem}", "fix": "-", "tags": {"progress": "subject"},
           "bad": [{"files": {"recipes/a.json": "{}"}}], "good": [{"files": {"b.json": "{}"}}]},
          {"id": "K2", "title": "cooked", "severity": "INFO", "at": ["progress"], "files": ["recipes/*.json"], "each": "file",
           "message": "cooked", "fix": "-", "tags": {"progress": "cook", "state": "there"},
           "bad": [{"files": {"recipes/a.json": "{}"}}], "good": [{"files": {"b.json": "{}"}}]},
          {"id": "K3", "title": "burnt", "severity": "MAJOR", "at": ["progress"], "files": ["recipes/*.json"], "each": "file",
           "where": {"text": {"contains": "burnt"}}, "message": "it is burnt", "fix": "Begin again.",
           "tags": {"progress": "cook", "state": "inconsistent"},
           "bad": [{"files": {"recipes/a.json": "{\"burnt\": 1}"}}], "good": [{"files": {"recipes/a.json": "{}"}}]},
          {"id": "K4", "title": "tasted", "severity": "MINOR", "at": ["progress"], "files": ["recipes/*.json"], "each": "file",
           "where": {"absent": {"each": "file", "tree": "notes/{row.stem}.md"}}, "message": "nobody tasted it",
           "fix": "Taste it.", "tags": {"progress": "taste", "state": "missing"},
           "bad": [{"files": {"recipes/a.json": "{}", "notes/b.md": "x"}}],
           "good": [{"files": {"recipes/a.json": "{}", "notes/a.md": "x"}}]})",
                                                                         more, "]}")}};
  auto set = rules::LoadChecks(files, "kitchen", problems);
  if (more.empty()) {
    for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  } else {
    EXPECT_THAT(problems.empty() ? "" : problems.front().ToString(), HasSubstr("/tags"));
  }
  return set;
}

// "soup: cook there, taste missing; next taste", …
std::vector<std::string> Told(const std::vector<SubjectProgress>& subjects) {
  std::vector<std::string> out;
  for (const SubjectProgress& subject : subjects) {
    std::string& line = out.emplace_back(subject.name + ":");
    for (const StageProgress& stage : subject.stages) {
      absl::StrAppend(&line, line.ends_with(':') ? " " : ", ", stage.id, " ", std::string(StageStateName(stage.state)));
    }
    if (const StageProgress* const next = subject.Next()) absl::StrAppend(&line, "; next ", next->id);
  }
  return out;
}

std::vector<SubjectProgress> ProgressIn(const std::shared_ptr<const rules::CheckSet>& pack, const MemoryTree& files) {
  TreeInMemory tree(files);
  const auto subjects = ProgressOf(pack, tree, 1);
  EXPECT_TRUE(subjects.ok()) << subjects.status();
  return subjects.value_or(std::vector<SubjectProgress>());
}

TEST(Progress, TheWorstOfAStageCountsAndTheFirstOpenStageIsNext) {
  const auto pack = Recipes();
  const auto subjects = ProgressIn(
      pack, {{"recipes/soup.json", "{}"}, {"recipes/tart.json", "{\"burnt\": 1}"}, {"notes/tart.md", "good"}});
  EXPECT_THAT(Told(subjects), ElementsAre("soup: cook there, taste missing; next taste",
                                          "tart: cook inconsistent, taste unknown; next cook"));
  EXPECT_EQ(subjects[1].stages[0].text, "it is burnt");
  EXPECT_EQ(subjects[1].Next()->next, "Begin again.");
  EXPECT_EQ(ProgressJson(subjects[1])["next"], "cook");
}

TEST(Progress, ChecksOfAnOwnMomentStayOutOfOtherReviews) {
  testing::MemoryChange change({}, {{"recipes/tart.json", "{\"burnt\": 1}"}});
  const auto report = ReviewChange({Recipes()}, change, DiffReviewOptions());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->findings, IsEmpty());
}

TEST(Progress, AChangeTellsOfWhatItAdds) {
  testing::MemoryChange change({{"recipes/soup.json", "{}"}},
                               {{"recipes/soup.json", "{ }"}, {"recipes/tart.json", "{}"}});
  const auto report = ReviewChange({Recipes()}, change, DiffReviewOptions());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(Told(report->progress), ElementsAre("tart: cook there, taste missing; next taste"));

  testing::MemoryChange other({{"readme.md", "a"}, {"recipes/soup.json", "{}"}},
                              {{"readme.md", "b"}, {"recipes/soup.json", "{}"}});
  EXPECT_THAT(ReviewChange({Recipes()}, other, DiffReviewOptions())->progress, IsEmpty());
}

TEST(Progress, AStageThatIsNoneIsAnError) {
  EXPECT_EQ(Recipes(R"(,
    {"id": "K5", "title": "t", "severity": "INFO", "at": ["progress"], "each": "file", "message": "m", "fix": "-",
     "tags": {"progress": "serve", "state": "there"}, "bad": [""], "good": [""]})"),
            nullptr);
}

// ---- The stages of the pack hyper-parallel, on trees that are made here after five operators of its repository. The
// real ones are looked at by tests/replay/run.py --progress.

class OperatorStages : public ::testing::Test {
 protected:
  OperatorStages() {
    Problems problems;
    const PacksFolder packs = ReadPacksFolder(testing::SourcePath("rules/packs"));
    pack_ = rules::LoadChecks(packs.files, "hyper-parallel", problems);
    for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
    files_[kOps + "parallel_ops.py"] = "class DistributedOp:\n    pass\n";
  }
  void Table(const std::string& name, const std::string& key, const std::string& cls, const std::string& file) {
    absl::StrAppend(&files_[kOps + "yaml/" + name], key, ":\n  dist_op_name: _x\n  distributed_op_class: ", cls,
                    "\n  distributed_op_file: ", file, "\n");
  }
  void Class(const std::string& file, const std::string& cls, bool checks_partial) {
    absl::StrAppend(
        &files_[kOps + file], "class ", cls, "(DistributedOp):\n    def infer_layout(self, layouts, extra_args):\n",
        checks_partial ? "        self._check_partial_inputs(layouts)\n" : "", "        return layouts[0]\n");
  }
  void UnitTest(const std::string& name, const std::string& cls, const std::string& op) {
    files_["tests/mindspore/ut/parallel_ops_infer/" + name] = "op = " + cls + "('" + op + "')\n";
  }
  static std::string Runner(const std::string& file, int processes = 8) {
    return absl::StrCat(
        "@arg_mark(plat_marks=['platform_ascend'], level_mark='level0', card_mark='allcards', "
        "essential_mark='essential')\ndef test_a():\n    file_name = '",
        file, "'\n    case_name = 'test_a'\n    num_proc = ", processes, "\n    run(file_name, case_name, num_proc)\n");
  }
  void TorchTest(const std::string& name, const std::string& call, int processes = 8) {
    files_["tests/torch/shard/ops/parallel_op_" + name + ".py"] =
        absl::StrCat("def test_a():\n    mesh = init_device_mesh('npu', (2, 4))\n    y = torch.", call,
                     "(x, 1)\n    assert torch.allclose(y, want)\n");
    files_["tests/torch/shard/ops/test_parallel_op_" + name + ".py"] = Runner("parallel_op_" + name + ".py", processes);
  }
  std::vector<std::string> Now() const { return Told(ProgressIn(pack_, files_)); }

  const std::string kOps = "hyper_parallel/core/shard/ops/";
  std::shared_ptr<const rules::CheckSet> pack_;
  MemoryTree files_;
};

TEST_F(OperatorStages, CumsumLooksAtNoPartialLayout) {
  EXPECT_THAT(Now(), IsEmpty());
  Table("torch_cumsum.yaml", "cumsum", "CumsumDistributedOp", "parallel_cumsum");
  Class("parallel_cumsum.py", "CumsumDistributedOp", false);
  UnitTest("test_parallel_cumsum.py", "CumsumDistributedOp", "cumsum");
  TorchTest("cumsum", "cumsum");
  EXPECT_THAT(Now(), ElementsAre("cumsum: analysis unknown, implementation inconsistent, yaml there, unit test there, "
                                 "system test there, pull request unknown; next implementation"));
}

TEST_F(OperatorStages, AllCameWithoutAUnitTestIntoATableThatOthersShare) {
  Table("torch_reduce.yaml", "sum", "SumExtDistributedOp", "parallel_reduce");
  Class("parallel_reduce.py", "SumExtDistributedOp", true);
  UnitTest("test_parallel_sum_mean_ext.py", "SumExtDistributedOp", "sum");
  TorchTest("sum", "sum");
  const std::string sum =
      "sum: analysis unknown, implementation there, yaml there, unit test there, system test there, pull request "
      "unknown";
  EXPECT_THAT(Now(), ElementsAre(sum));
  Table("torch_reduce.yaml", "all", "AllExtDistributedOp", "parallel_reduce");
  Class("parallel_reduce.py", "AllExtDistributedOp", true);
  TorchTest("all", "all");
  EXPECT_THAT(Now(), ElementsAre("all: analysis unknown, implementation there, yaml there, unit test missing, system "
                                 "test there, pull request unknown; next unit test",
                                 sum));
}

TEST_F(OperatorStages, OneHotExtIsOfMindSporeAndComplete) {
  Table("one_hot_ext_ops.yaml", "OneHotExt", "OneHotExtDistributedOp", "parallel_one_hot_ext");
  Class("parallel_one_hot_ext.py", "OneHotExtDistributedOp", true);
  UnitTest("test_parallel_one_hot_ext.py", "OneHotExtDistributedOp", "OneHotExt");
  files_["tests/mindspore/st/shard/one_hot_ext_shard_in_python.py"] = "def test_a():\n    assert allclose(y, want)\n";
  EXPECT_THAT(Now(), Contains(HasSubstr("system test inconsistent")));  // nobody starts it
  files_["tests/mindspore/st/shard/test_ops_one_hot_ext.py"] = Runner("one_hot_ext_shard_in_python.py");
  EXPECT_THAT(Now(), ElementsAre("OneHotExt: analysis unknown, implementation there, yaml there, unit test there, "
                                 "system test there, pull request unknown"));
}

TEST_F(OperatorStages, MaskedScatterStepByStep) {
  Class("parallel_masked_scatter.py", "MaskedScatterDistributedOp", true);
  Table("torch_other.yaml", "other", "DistributedOp", "parallel_ops");
  EXPECT_THAT(Now(), Contains("MaskedScatterDistributedOp: analysis unknown, implementation there, yaml missing, unit "
                              "test missing, system test unknown, pull request unknown; next yaml"));
  Table("torch_masked_scatter.yaml", "masked_scatter", "MaskedScatterDistributedOp", "parallel_masked_scatter");
  EXPECT_THAT(Now(), Contains("masked_scatter: analysis unknown, implementation there, yaml there, unit test missing, "
                              "system test missing, pull request unknown; next unit test"));
  UnitTest("test_parallel_masked_scatter.py", "MaskedScatterDistributedOp", "masked_scatter");
  TorchTest("masked_scatter", "masked_scatter");
  EXPECT_THAT(Now(), Contains("masked_scatter: analysis unknown, implementation there, yaml there, unit test there, "
                              "system test there, pull request unknown"));
}

TEST_F(OperatorStages, PadWithATableThatNamesAnotherFile) {
  Table("torch_pad.yaml", "pad", "PadDistributedOp", "parallel_padding");
  Class("parallel_pad.py", "PadDistributedOp", true);
  UnitTest("test_parallel_pad.py", "PadDistributedOp", "pad");
  TorchTest("pad", "nn.functional.pad");
  files_[".agentic/skills/dist-op-dev/analysis-results/Pad-analysis.md"] = "# Pad\n";
  EXPECT_THAT(Now(), ElementsAre("pad: analysis there, implementation there, yaml inconsistent, unit test there, "
                                 "system test there, pull request unknown; next yaml"));
}

// What the stages say of an operator of which everything is there, but for what a test spoils.
class CompleteOperator : public OperatorStages {
 protected:
  CompleteOperator() {
    Table("torch_roll.yaml", "roll", "RollDistributedOp", "parallel_roll");
    Class("parallel_roll.py", "RollDistributedOp", true);
    UnitTest("test_parallel_roll.py", "RollDistributedOp", "roll");
    TorchTest("roll", "roll");
  }
  // "STATE: text" of a stage.
  std::string Stage(const std::string& id) const {
    const auto progress = ProgressIn(pack_, files_);
    for (const StageProgress& stage : progress.at(0).stages) {
      if (stage.id == id) return absl::StrCat(std::string(StageStateName(stage.state)), ": ", stage.text);
    }
    return "";
  }
};

TEST_F(CompleteOperator, ItsUnitTestMustCallItByTheNameOfItsTable) {
  EXPECT_THAT(Stage("unit test"), HasSubstr("there: "));
  UnitTest("test_parallel_roll.py", "RollDistributedOp", "rolls");
  EXPECT_EQ(Stage("unit test"), "inconsistent: a unit test makes its class with the name rolls, which no table has");
}

TEST_F(CompleteOperator, AnOperatorThatIsGivenShapesIsTestedWithSome) {
  files_[kOps + "yaml/torch_roll.yaml"] += "  infer_layout_suffix: WithShape\n";
  EXPECT_EQ(Stage("unit test"), "inconsistent: its table asks for shapes, and its unit test passes none");
  files_["tests/mindspore/ut/parallel_ops_infer/test_parallel_roll.py"] += "shapes = [[8, 8]]\n";
  EXPECT_THAT(Stage("unit test"), HasSubstr("there: "));
}

TEST_F(CompleteOperator, ItsSystemTestIsMarkedComparesAndStartsEnoughProcesses) {
  EXPECT_THAT(Stage("system test"), HasSubstr("there: "));
  TorchTest("roll", "roll", 4);
  EXPECT_EQ(Stage("system test"),
            "inconsistent: its system test makes a mesh of more places than processes are launched");
  TorchTest("roll", "roll");
  files_["tests/torch/shard/ops/parallel_op_roll.py"] = "def test_a():\n    y = torch.roll(x, 1)\n";
  EXPECT_EQ(Stage("system test"), "inconsistent: its system test compares no values");
  TorchTest("roll", "roll");
  files_["tests/torch/shard/ops/test_parallel_op_roll.py"] = "def test_a():\n    file_name = 'parallel_op_roll.py'\n";
  EXPECT_EQ(Stage("system test"), "inconsistent: no runner of its system test is marked for all cards");
}

TEST_F(CompleteOperator, TheReportOfAnotherOperatorIsNotItsAnalysis) {
  files_[".agentic/skills/dist-op-dev/analysis-results/RollingSum-analysis.md"] = "# RollingSum\n";
  EXPECT_THAT(Stage("analysis"), HasSubstr("unknown: "));
  files_[".agentic/skills/dist-op-dev/analysis-results/Roll-analysis.md"] = "# Roll\n";
  EXPECT_THAT(Stage("analysis"), HasSubstr("there: "));
}

TEST_F(CompleteOperator, ThePullRequestIsAStageWhereTheForgeTellsOfIt) {
  testing::MemoryChange change({{kOps + "parallel_ops.py", files_[kOps + "parallel_ops.py"]}}, files_);
  DiffReviewOptions options;
  const auto stage = [&] {
    const auto report = ReviewChange({pack_}, change, options);
    EXPECT_TRUE(report.ok()) << report.status();
    const StageProgress& last = report->progress.at(0).stages.back();
    return absl::StrCat(std::string(StageStateName(last.state)), ": ", last.text);
  };
  EXPECT_EQ(stage(), "unknown: the forge knows: title, description, labels");
  options.meta.emplace().title = "Add roll";
  EXPECT_EQ(stage(), "inconsistent: its title has not the usual form");
  options.meta->title = "feat(shard): add roll operator distributed support";
  EXPECT_EQ(stage(), "there: it says what it does");
  options.meta->body = "It rolls.";
  options.meta->commits = {{"a1", "feat(shard): add roll", ""}, {"b2", "mend", ""}};
  EXPECT_EQ(stage(), "inconsistent: it has several commits; its description has no line `/kind …`");
}

}  // namespace
}  // namespace yardmaster
