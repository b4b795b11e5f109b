#include "services/worker/process/program_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EnvironmentValue, TheFirstEntryOfANameCounts) {
  const std::vector<std::string> environment = {"PATHS=/x", "PATH=/a=b", "PATH=/c", "EMPTY="};
  EXPECT_EQ(EnvironmentValue(environment, "PATH"), "/a=b");
  EXPECT_EQ(EnvironmentValue(environment, "EMPTY"), "");
  EXPECT_EQ(EnvironmentValue(environment, "MISSING"), "");
}

TEST(ProgramCandidates, ANameWithASlashIsNotLookedFor) {
  EXPECT_THAT(ProgramCandidates("./run", "/usr/bin"), ElementsAre("./run"));
  EXPECT_THAT(ProgramCandidates("/bin/sh", ""), ElementsAre("/bin/sh"));
}

TEST(ProgramCandidates, EachFolderOfThePathIsTriedInOrder) {
  EXPECT_THAT(ProgramCandidates("ls", "/usr/bin:/bin"), ElementsAre("/usr/bin/ls", "/bin/ls"));
  EXPECT_THAT(ProgramCandidates("ls", ":/bin:"), ElementsAre("./ls", "/bin/ls", "./ls"));
  EXPECT_THAT(ProgramCandidates("ls", ""), IsEmpty());
  EXPECT_THAT(ProgramCandidates("", "/bin"), IsEmpty());
}

TEST(MissingInterpreter, OfAScriptIsTheProgramOfItsFirstLine) {
  const yardmaster::testing::TempDir folder;
  EXPECT_EQ(MissingInterpreter(folder.Write("a", "#!/opt/none/python3 -u\n")), "/opt/none/python3");
  EXPECT_EQ(MissingInterpreter(folder.Write("b", "#! /opt/none/sh")), "/opt/none/sh");
  EXPECT_EQ(MissingInterpreter(folder.Write("c", "#!/bin/sh\n")), "");
}

TEST(MissingInterpreter, ALineEndOfWindowsIsShown) {
  const yardmaster::testing::TempDir folder;
  EXPECT_EQ(MissingInterpreter(folder.Write("a", "#!/bin/sh\r\necho\r\n")), "/bin/sh\\r");
}

TEST(MissingInterpreter, OfABinaryIsItsLoader) {
  const yardmaster::testing::TempDir folder;
  EXPECT_EQ(MissingInterpreter(folder.Write("a",
                                            "\x7f"
                                            "ELF rest")),
            "the loader that it names");
}

TEST(MissingInterpreter, OtherFilesNameNone) {
  const yardmaster::testing::TempDir folder;
  EXPECT_EQ(MissingInterpreter(folder.Write("a", "text")), "");
  EXPECT_EQ(MissingInterpreter(folder.Write("b", "#!")), "");
  EXPECT_EQ(MissingInterpreter(folder.Write("c", "")), "");
  EXPECT_EQ(MissingInterpreter(folder.path() / "missing"), "");
}

}  // namespace
}  // namespace yardmaster::worker
