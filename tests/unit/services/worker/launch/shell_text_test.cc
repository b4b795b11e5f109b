#include "services/worker/launch/shell_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;

// What a shell makes of the arguments.
std::string OutputOf(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) line += ShellQuoted(argument) + " ";
  std::string out;
  FILE* pipe = ::popen((line + "2>&1").c_str(), "r");
  char buffer[256];
  while (std::fgets(buffer, sizeof(buffer), pipe) != nullptr) out += buffer;
  ::pclose(pipe);
  return out;
}

TEST(ShellQuoted, BashReadsBackWhatWasMeant) {
  const std::string hostile = "a'b \"$HOME\" `id` \\ \n*;&|";
  EXPECT_EQ(OutputOf({"printf", "%s", hostile}), hostile);
}

TEST(CommandArguments, WordsWithoutSetUpAreStartedAsTheyAre) {
  rules::CommandLine command;
  command.words = {"python3", "a b"};
  EXPECT_THAT(CommandArguments(command, {}, {}), ElementsAre("python3", "a b"));
}

TEST(CommandArguments, ASetUpScriptSeesNoArgumentsAndWhatItDeclaresStays) {
  testing::TempDir dir;
  const std::string script =
      dir.Write("set env.sh", "echo \"args=$#\"\ndeclare -x FROM_SCRIPT=here\nGONE=x\nexport GONE\nfalse\n").native();
  rules::CommandLine command;
  command.words = {"sh", "-c", "echo $FROM_SCRIPT $GONE $1", "sh", "a b"};
  EXPECT_EQ(OutputOf(CommandArguments(command, {script}, {"GONE"})), "args=0\nhere a b\n");
  command = {};
  command.shell = "echo $UNSET $FROM_SCRIPT | cat";
  EXPECT_EQ(OutputOf(CommandArguments(command, {script}, {})), "args=0\nhere\n");
}

TEST(CommandArguments, AMissingSetUpScriptIsNamed) {
  rules::CommandLine command;
  command.words = {"echo", "no"};
  EXPECT_EQ(OutputOf(CommandArguments(command, {"/no/set_env.sh"}, {})), "set-up script not found: /no/set_env.sh\n");
}

}  // namespace
}  // namespace yardmaster::worker
