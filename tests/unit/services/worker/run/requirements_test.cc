#include "services/worker/run/requirements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/fake_process.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

rules::Requirement Needs(rules::Requirement::Kind kind, std::string name, std::string version = "") {
  rules::Requirement requirement;
  requirement.kind = kind;
  requirement.name = std::move(name);
  requirement.version = std::move(version);
  return requirement;
}

class RequirementsTest : public ::testing::Test {
 protected:
  RequirementsTest() {
    std::filesystem::create_directories(dir_.path() / "bin");
    std::filesystem::create_directories(dir_.path() / "empty");
    context_.environment = {{"PATH", (dir_.path() / "bin").native()}, {"SET", "x"}, {"EMPTY", ""}};
    context_.python = "python3";
    context_.source = dir_.path();
    context_.empty = dir_.path() / "empty";
    context_.values = {{"SOURCE", dir_.path().native()}};
    context_.processes = &processes_;
  }
  void Program(const std::string& name, bool executable) {
    const auto path = dir_.Write("bin/" + name, "#!/bin/sh\n");
    if (executable) std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  // All that is started prints this.
  testing::FakeRun Answer(const worker::ProcessSpec& spec) {
    ++starts_;
    argv_ = spec.argv;
    testing::FakeRun run;
    run.refused = refused_;
    run.output = {{Stream::kStdout, printed_}};
    return run;
  }

  testing::TempDir dir_;
  std::string printed_;
  absl::Status refused_;
  int starts_ = 0;
  std::vector<std::string> argv_;
  testing::FakeProcessStarter processes_{[this](const worker::ProcessSpec& spec) { return Answer(spec); }};
  RequirementContext context_;
};

TEST_F(RequirementsTest, AToolMustBeThereAndExecutable) {
  Program("nvcc", true);
  Program("text", false);
  Requirements requirements(context_);
  EXPECT_EQ(requirements.WhyNot(Needs(rules::Requirement::Kind::kTool, "nvcc"), {}), std::nullopt);
  EXPECT_THAT(requirements.WhyNot(Needs(rules::Requirement::Kind::kTool, "text"), {}), Optional(HasSubstr("text")));
  EXPECT_THAT(requirements.WhyNot(Needs(rules::Requirement::Kind::kTool, "absent"), {}), Optional(HasSubstr("PATH")));
  EXPECT_EQ(starts_, 0);
}

TEST_F(RequirementsTest, AToolIsAskedForItsVersionOnce) {
  Program("nvcc", true);
  printed_ = "Cuda compilation tools, release 11.8, V11.8.89\n";
  Requirements requirements(context_);
  EXPECT_EQ(requirements.WhyNot(Needs(rules::Requirement::Kind::kTool, "nvcc", ">=11.0"), {}), std::nullopt);
  EXPECT_THAT(requirements.WhyNot(Needs(rules::Requirement::Kind::kTool, "nvcc", ">=12.0"), {}),
              Optional(HasSubstr("nvcc must be >=12.0, and it is 11.8")));
  EXPECT_EQ(starts_, 1);
  EXPECT_EQ(requirements.versions().at("nvcc"), "11.8");
}

TEST_F(RequirementsTest, TheToolchainIsNotedThoughNobodyAskedForIt) {
  Program("g++", true);
  Program("cmake", true);
  printed_ = "\nyard-tool g++\ng++ (Debian 12.2.0-14) 12.2.0\nCopyright\n\nyard-tool cmake\ncmake version 3.25.1\n";
  const std::filesystem::path cann = dir_.path() / "cann";
  dir_.Write("cann/compiler/version.info", "Version=8.0.RC3\n");
  context_.environment["ASCEND_HOME_PATH"] = cann.native();
  Requirements requirements(context_);
  requirements.NoteToolchain();
  EXPECT_EQ(requirements.versions().at("g++"), "12.2.0");
  EXPECT_EQ(requirements.versions().at("cmake"), "3.25.1");
  EXPECT_EQ(requirements.versions().at("cann"), "8.0.RC3");
  EXPECT_FALSE(requirements.versions().contains("clang++"));
  EXPECT_EQ(starts_, 1) << "one start for all";
}

TEST_F(RequirementsTest, PythonIsAskedOnceForAllModules) {
  printed_ =
      "noise\nyard-probe {\"python\": \"3.11.2\", \"modules\": {\"torch\": [true, \"1.13.0\", \"\"], "
      "\"torch_npu\": [false, \"\", \"there is no such module\"]}}\n";
  rules::SuiteModel suite;
  suite.requirements = {Needs(rules::Requirement::Kind::kModule, "torch", ">=2.0"),
                        Needs(rules::Requirement::Kind::kModule, "torch_npu")};
  Requirements requirements(context_);
  requirements.ExpectModules(suite);
  EXPECT_THAT(requirements.WhyNot(suite.requirements[0], {}), Optional(HasSubstr("and it is 1.13.0")));
  EXPECT_THAT(requirements.WhyNot(suite.requirements[1], {}), Optional(HasSubstr("no module torch_npu")));
  EXPECT_EQ(starts_, 1);
  EXPECT_EQ(argv_.at(0), "python3");
  EXPECT_EQ(requirements.versions().at("python"), "3.11.2");
  // The build may have brought the one that was missing.
  requirements.Refresh();
  requirements.WhyNot(suite.requirements[1], {});
  EXPECT_EQ(starts_, 2);
}

TEST_F(RequirementsTest, WithoutAnInterpreterNothingIsSaidOfModules) {
  refused_ = absl::NotFoundError("no such program");
  Requirements requirements(context_);
  EXPECT_EQ(requirements.WhyNot(Needs(rules::Requirement::Kind::kModule, "torch"), {}), std::nullopt);
}

TEST_F(RequirementsTest, FilesAndVariablesAreLookedFor) {
  dir_.Write("here.txt", "");
  Requirements requirements(context_);
  EXPECT_EQ(requirements.WhyNot(Needs(rules::Requirement::Kind::kFile, "${SOURCE}/here.txt"), {}), std::nullopt);
  EXPECT_EQ(requirements.WhyNot(Needs(rules::Requirement::Kind::kFile, "here.txt"), {}), std::nullopt);
  EXPECT_THAT(requirements.WhyNot(Needs(rules::Requirement::Kind::kFile, "there.txt"), {}),
              Optional(HasSubstr("there.txt")));
  EXPECT_EQ(requirements.WhyNot(Needs(rules::Requirement::Kind::kVariable, "SET"), {}), std::nullopt);
  EXPECT_NE(requirements.WhyNot(Needs(rules::Requirement::Kind::kVariable, "EMPTY"), {}), std::nullopt);
  EXPECT_NE(requirements.WhyNot(Needs(rules::Requirement::Kind::kVariable, "UNSET"), {}), std::nullopt);
}

TEST_F(RequirementsTest, ARequirementOfOtherCellsDoesNotHold) {
  rules::Requirement requirement = Needs(rules::Requirement::Kind::kTool, "absent");
  requirement.when = {{"backend", "nccl"}};
  Requirements requirements(context_);
  EXPECT_EQ(requirements.WhyNot(requirement, {{"backend", "gloo"}}), std::nullopt);
  EXPECT_NE(requirements.WhyNot(requirement, {{"backend", "nccl"}}), std::nullopt);
}

TEST_F(RequirementsTest, ARealInterpreterAnswersForRealModules) {
  const std::unique_ptr<ProcessStarter> real = MakeProcessStarter();
  context_.processes = real.get();
  context_.environment["PATH"] = "/usr/bin:/bin";
  rules::SuiteModel suite;
  suite.requirements = {Needs(rules::Requirement::Kind::kModule, "json.decoder"),
                        Needs(rules::Requirement::Kind::kModule, "no_such_module_here"),
                        Needs(rules::Requirement::Kind::kModule, "json.no_such_part")};
  Requirements requirements(context_);
  requirements.ExpectModules(suite);
  EXPECT_EQ(requirements.WhyNot(suite.requirements[0], {}), std::nullopt);
  EXPECT_THAT(requirements.WhyNot(suite.requirements[1], {}), Optional(HasSubstr("no_such_module_here")));
  EXPECT_NE(requirements.versions().at("python"), "");
}

TEST(VersionIn, TheWordBesideItCountsMoreThanTheOrder) {
  EXPECT_EQ(VersionIn("nvcc: NVIDIA (R) Cuda compiler driver\nBuilt on Thu_Mar_28_02:18:24_PDT_2024\n"
                      "Cuda compilation tools, release 12.4, V12.4.131\n"),
            "12.4");
  EXPECT_EQ(VersionIn("gcc (Debian 12.2.0-14) 12.2.0"), "12.2.0");
  EXPECT_EQ(VersionIn("cmake version 3.25.1"), "3.25.1");
  EXPECT_EQ(VersionIn("mpirun (Open MPI) 4.1.4"), "4.1.4");
  EXPECT_EQ(VersionIn("1.10.1"), "1.10.1");
  EXPECT_EQ(VersionIn("no number here, 2024"), "");
}

}  // namespace
}  // namespace yardmaster::worker
