#include "services/worker/run/installs.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace yardmaster::worker {
namespace {

bool MayBring(std::string line, std::string_view module = "torch") {
  rules::CommandLine command;
  command.shell = std::move(line);
  return MayInstall(command, module);
}

TEST(MayInstall, ProgramsThatInstallPackages) {
  EXPECT_TRUE(MayBring("pip install -r requirements.txt"));
  EXPECT_TRUE(MayBring("python3 -m pip install ."));
  EXPECT_TRUE(MayBring("cd x && /opt/venv/bin/pip3.11 install -e '.[test]'"));
  EXPECT_TRUE(MayBring("(uv sync)"));
  EXPECT_TRUE(MayBring("sudo apt-get install -y python3-dev"));
  rules::CommandLine command;
  command.words = {"poetry", "install"};
  EXPECT_TRUE(MayInstall(command, "torch"));
}

TEST(MayInstall, WordsThatOnlyHoldTheirNamesAreNone) {
  EXPECT_FALSE(MayBring("cmake --build build --target pipeline"));
  EXPECT_FALSE(MayBring("make capture adapter"));
  EXPECT_FALSE(MayBring("echo uvw > recipe; make pipes"));
  EXPECT_FALSE(MayBring("g++ main.cc -o shell.shared"));
}

TEST(MayInstall, WithoutWhatPackagesNeedOnlyThoseThatAreNamed) {
  EXPECT_FALSE(MayBring("pip install --no-deps ."));
  EXPECT_TRUE(MayBring("pip install --no-deps torch==2.1.0"));
  EXPECT_TRUE(MayBring("pip install --no-deps pytest-timeout", "pytest_timeout"));
  EXPECT_FALSE(MayBring("make torchvision"));
}

TEST(MayInstall, AScriptMayDoAnything) {
  EXPECT_TRUE(MayBring("bash build.sh"));
  EXPECT_TRUE(MayBring("./tools/setup.sh --quick"));
}

}  // namespace
}  // namespace yardmaster::worker
