// Loading a backend has no effect: no thread, no file, no device, nothing printed. This program is loaded afresh for
// it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "kernels.h"
#include "test/fixture.h"

namespace kernels::testing {
namespace {

int Threads() {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("Threads:", 0) == 0) return std::stoi(line.substr(8));
  }
  return -1;
}

int Descriptors() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) count += !entry.path().empty();
  return count;
}

TEST(Import, LoadingTheBackendChangesNothing) {
  const int threads = Threads();
  const int descriptors = Descriptors();
  const std::filesystem::path folder = std::filesystem::current_path();
  void* const object = dlopen(BackendPath().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(object, nullptr) << dlerror();
  EXPECT_EQ(Threads(), threads);
  EXPECT_EQ(Descriptors(), descriptors);
  EXPECT_EQ(std::filesystem::current_path(), folder);
  EXPECT_NE(dlsym(object, "MakeKernelBackend"), nullptr) << dlerror();
  dlclose(object);
}

TEST(Import, NothingButTheEntryIsExported) {
  void* const object = dlopen(BackendPath().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(object, nullptr) << dlerror();
  // A second backend in the same process must not find the first one's parts.
  EXPECT_EQ(dlsym(object, "_ZN7kernels4PoolC1Ei"), nullptr);
  dlclose(object);
}

TEST(Import, ABackendThatIsNotThereIsNamed) {
  EXPECT_EQ(dlopen("./libkernels_nowhere.so", RTLD_NOW), nullptr);
  EXPECT_NE(std::string(dlerror()).find("libkernels_nowhere"), std::string::npos);
}

TEST(Import, MakingTheBackendStartsNoThread) {
  if (BackendPath().find("cuda") != std::string::npos) GTEST_SKIP() << "CUDA starts threads of its own";
  const int threads = Threads();
  EXPECT_FALSE(TheBackend().Name().empty());
  EXPECT_EQ(Threads(), threads);
}

}  // namespace
}  // namespace kernels::testing
