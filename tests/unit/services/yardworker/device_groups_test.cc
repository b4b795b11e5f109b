// Device nodes that only a group may open, in a sandbox where root has no capabilities.
#include "services/yardworker/device_groups.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "services/yardworker/sandbox.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::yardworker {
namespace {

// Whether a program in a sandbox can write to the node.
bool CanWrite(const std::filesystem::path& node, bool join) {
  SandboxPolicy policy;
  policy.device_nodes = {node};
  worker::ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", "echo x > \"$0\"", node.native()};
  spec.directory = "/";
  std::vector<std::string> words = SandboxCommand(policy, spec);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (join) JoinGroupsOf({node});
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(JoinGroupsOf, RootInASandboxOpensWhatAGroupMayOpen) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root joins groups by itself";
  const testing::TempDir dir;
  std::filesystem::permissions(dir.path(), std::filesystem::perms::all);
  // As the nodes of Ascend: of a user and a group of its own. Behind it is /dev/null.
  constexpr gid_t kGroup = 54'321;
  const std::filesystem::path node = dir.path() / "davinci0";
  if (::mknod(node.c_str(), S_IFCHR | 0660, makedev(1, 3)) != 0 || ::chown(node.c_str(), kGroup, kGroup) != 0 ||
      ::chmod(node.c_str(), 0660) != 0) {
    GTEST_SKIP() << "nodes can't be made here";
  }
  const std::filesystem::path open = dir.path() / "open";
  ASSERT_EQ(::mknod(open.c_str(), S_IFCHR | 0666, makedev(1, 3)), 0);
  ASSERT_EQ(::chmod(open.c_str(), 0666), 0);
  if (!CanWrite(open, false)) GTEST_SKIP() << "there is no sandbox here, or no device in it";
  EXPECT_FALSE(CanWrite(node, false));
  EXPECT_TRUE(CanWrite(node, true));
}

TEST(JoinGroupsOf, NodesThatAreNotThereAreNoMatter) { JoinGroupsOf({"/dev/no-such-node"}); }

}  // namespace
}  // namespace yardmaster::yardworker
