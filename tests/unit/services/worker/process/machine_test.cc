// Disk, ports and shared memory.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "services/worker/process/disk.h"
#include "services/worker/process/ports.h"
#include "services/worker/process/shared_memory.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using yardmaster::testing::TempDir;

TEST(FreeDiskBytes, OfAFolderThatDoesNotExistYetIsThatOfItsPlace) {
  const TempDir folder;
  const absl::StatusOr<uint64_t> place = FreeDiskBytes(folder.path());
  const absl::StatusOr<uint64_t> below = FreeDiskBytes(folder.path() / "not" / "yet");
  ASSERT_TRUE(place.ok());
  ASSERT_TRUE(below.ok());
  EXPECT_GT(*place, 0u);
  // Others write meanwhile.
  EXPECT_NEAR(static_cast<double>(*below), static_cast<double>(*place), 1e9);
}

TEST(FreeDiskBytes, BelowAFileThereIsNoRoom) {
  const TempDir folder;
  const absl::StatusOr<uint64_t> bytes = FreeDiskBytes(folder.Write("file", "") / "x");
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(bytes.status().message()), HasSubstr("file/x"));
}

// A listening socket on one address; its port.
class Listener {
 public:
  explicit Listener(const char* address, uint16_t port = 0) {
    const bool six = std::string(address).find(':') != std::string::npos;
    socket_ = ::socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in6 v6{};
    sockaddr_in v4{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    ::inet_pton(AF_INET6, address, &v6.sin6_addr);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    ::inet_pton(AF_INET, address, &v4.sin_addr);
    auto* name = six ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
    socklen_t size = six ? sizeof(v6) : sizeof(v4);
    if (::bind(socket_, name, size) != 0 || ::listen(socket_, 1) != 0) return;
    ::getsockname(socket_, name, &size);
    port_ = ntohs(six ? v6.sin6_port : v4.sin_port);
  }
  ~Listener() { ::close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  uint16_t port() const { return port_; }  // 0: the address is not to be had

 private:
  int socket_ = -1;
  uint16_t port_ = 0;
};

class PortsTest : public ::testing::Test {
 protected:
  PortRequest Request(size_t count, uint16_t first, uint16_t last, bool consecutive = false) const {
    PortRequest request;
    request.count = count;
    request.consecutive = consecutive;
    request.first = first;
    request.last = last;
    request.folder = folder_.path() / "ports";
    return request;
  }
  TempDir folder_;
};

TEST_F(PortsTest, APortThatSomebodyListensOnIsNotFree) {
  for (const char* address : {"127.0.0.1", "0.0.0.0", "::1", "::"}) {
    const Listener listener(address);
    if (listener.port() == 0) continue;  // no IPv6 here
    EXPECT_FALSE(PortIsFree(listener.port())) << address;
  }
}

TEST_F(PortsTest, TwoRunsNeverGetTheSame) {
  const auto first = PortLease::Take(Request(20, 21'000, 21'199));
  const auto second = PortLease::Take(Request(20, 21'000, 21'199));
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE(second.ok()) << second.status();
  std::set<uint16_t> all((*first)->ports().begin(), (*first)->ports().end());
  all.insert((*second)->ports().begin(), (*second)->ports().end());
  EXPECT_THAT(all, SizeIs(40));
  EXPECT_GE(*all.begin(), 21'000);
  EXPECT_LE(*all.rbegin(), 21'199);
}

TEST_F(PortsTest, WhatIsGivenBackCanBeHadAgainAndNothingIsLeft) {
  // As many as there are: the second needs those of the first.
  size_t free = 0;
  for (uint16_t port = 22'000; port < 22'010; ++port) free += PortIsFree(port) ? 1 : 0;
  for (int i = 0; i < 2; ++i) {
    const auto lease = PortLease::Take(Request(free, 22'000, 22'009));
    ASSERT_TRUE(lease.ok()) << lease.status();
    EXPECT_EQ(PortLease::Take(Request(1, 22'000, 22'009)).status().code(), absl::StatusCode::kResourceExhausted);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "ports"));
}

TEST_F(PortsTest, AForeignProgramsPortIsPassedOver) {
  const Listener listener("127.0.0.1");
  const uint16_t taken = listener.port();
  const auto none = PortLease::Take(Request(1, taken, taken));
  EXPECT_EQ(none.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("fewer than 1 are free"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "ports"));
}

TEST_F(PortsTest, ConsecutivePortsAreOneBehindTheOther) {
  const auto lease = PortLease::Take(Request(16, 23'000, 23'499, /*consecutive=*/true));
  ASSERT_TRUE(lease.ok()) << lease.status();
  const std::vector<uint16_t>& ports = (*lease)->ports();
  ASSERT_THAT(ports, SizeIs(16));
  EXPECT_EQ(ports.back() - ports.front(), 15);
  // They don't wrap around.
  EXPECT_EQ(PortLease::Take(Request(6, 23'500, 23'504, /*consecutive=*/true)).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(PortsTest, ManyAtTheSameTimeGetDifferentOnes) {
  std::vector<std::unique_ptr<PortLease>> leases(16);
  std::vector<std::thread> threads;
  threads.reserve(leases.size());
  for (std::unique_ptr<PortLease>& lease : leases) {
    threads.emplace_back([&] {
      // Given back and taken again, so that files and folder come and go.
      for (int i = 0; i < 20; ++i) {
        lease.reset();
        auto taken = PortLease::Take(Request(3, 24'000, 24'299));
        if (taken.ok()) lease = std::move(*taken);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<uint16_t> all;
  for (const std::unique_ptr<PortLease>& lease : leases) {
    ASSERT_NE(lease, nullptr);
    all.insert(lease->ports().begin(), lease->ports().end());
  }
  EXPECT_THAT(all, SizeIs(48));
}

TEST_F(PortsTest, AFolderThatIsNoneIsRefused) {
  folder_.Write("ports", "a file");
  const auto lease = PortLease::Take(Request(1, 25'000, 25'100));
  EXPECT_EQ(lease.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(lease.status().message()), HasSubstr("ports"));
}

TEST(ParseSystemVSegments, ReadsTheTableOfTheKernel) {
  const std::vector<SystemVSegment> segments = ParseSystemVSegments(
      "       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime\n"
      "1627654414      32769  1600               1048576  4711  4712      2  1000  1000  1001  1000 1763782000\n"
      "         0          3   600                  4096    12     0      0     0     0     0     0          0\n"
      "  cut off\n");
  ASSERT_THAT(segments, SizeIs(2));
  EXPECT_EQ(segments[0].id, 32769);
  EXPECT_EQ(segments[0].bytes, 1048576u);
  EXPECT_EQ(segments[0].creator, 4711);
  EXPECT_EQ(segments[0].attached, 2u);
  EXPECT_EQ(segments[0].owner, 1001u);
  EXPECT_EQ(segments[1].id, 3);
  EXPECT_THAT(ParseSystemVSegments(""), IsEmpty());
}

TEST(SharedMemorySnapshot, WhatIsNewAndUnusedIsNamedAndStays) {
  const TempDir folder;
  folder.Write("before", "old");
  const SharedMemorySnapshot snapshot = SharedMemorySnapshot::Take(folder.path());
  folder.Write("left", "12345");
  folder.Write("sem.left", "123");
  const std::filesystem::path open = folder.Write("open", "in use");
  const std::filesystem::path mapped = folder.Write("mapped", "in use");
  std::filesystem::create_directory(folder.path() / "folder");
  const int held = ::open(open.c_str(), O_RDONLY | O_CLOEXEC);
  const int fd = ::open(mapped.c_str(), O_RDONLY | O_CLOEXEC);
  void* memory = ::mmap(nullptr, 6, PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);

  const SharedMemoryLeft left = snapshot.New();
  EXPECT_THAT(left.names, ElementsAre("left", "sem.left"));
  EXPECT_GE(left.bytes, 8u);
  for (const char* name : {"before", "left", "sem.left", "open", "mapped"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path() / name)) << name;
  }

  // When nobody uses them any more they are named, too.
  ::close(held);
  ::munmap(memory, 6);
  EXPECT_THAT(snapshot.New().names, ElementsAre("left", "mapped", "open", "sem.left"));
}

TEST(SharedMemorySnapshot, ANameThatWasMadeAnewIsNew) {
  const TempDir folder;
  const std::filesystem::path old = folder.Write("name", "old");
  const int held = ::open(old.c_str(), O_RDONLY | O_CLOEXEC);  // so that its inode is not used again
  const SharedMemorySnapshot snapshot = SharedMemorySnapshot::Take(folder.path());
  std::filesystem::remove(old);
  folder.Write("name", "new");
  EXPECT_THAT(snapshot.New().names, ElementsAre("name"));
  ::close(held);
}

TEST(SharedMemorySnapshot, ASystemVSegmentOfADeadProcessIsNamedAndStays) {
  const TempDir folder;
  const SharedMemorySnapshot snapshot = SharedMemorySnapshot::Take(folder.path());
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const int id = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    ::_exit(::write(pipe_ends[1], &id, sizeof(id)) == sizeof(id) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  int id = -1;
  ASSERT_EQ(::read(pipe_ends[0], &id, sizeof(id)), static_cast<ssize_t>(sizeof(id)));
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  if (id < 0) GTEST_SKIP() << "not tested here, since there is no System V shared memory";
  // One of ours that is alive stays.
  const int own = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  const SharedMemoryLeft left = snapshot.New();
  EXPECT_THAT(left.system_v, ::testing::Contains(id));
  EXPECT_THAT(left.system_v, ::testing::Not(::testing::Contains(own)));
  EXPECT_EQ(::shmctl(own, IPC_RMID, nullptr), 0);
  EXPECT_EQ(::shmctl(id, IPC_RMID, nullptr), 0) << "it is not ours to remove";
}

// Without the right to make namespaces of other kinds, which tests as root have, a user namespace is tried.
class NamespacedSharedMemoryTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    std::string reason;
    memory_ = NamespacedSharedMemory::Make(reason, GetParam());
    if (memory_ == nullptr) GTEST_SKIP() << "not tested here, since namespaces are refused: " << reason;
  }

  int Run(const std::string& line) {
    const std::unique_ptr<ProcessStarter> processes = MakeProcessStarter();
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", line};
    spec.environment = {"PATH=/usr/bin:/bin"};
    spec.directory = folder_.path();
    spec.shared_memory = memory_.get();
    spec.output = [&](Stream, std::string_view bytes) { said_ += bytes; };
    absl::StatusOr<std::unique_ptr<Process>> process = processes->Start(spec, nullptr);
    EXPECT_TRUE(process.ok()) << process.status();
    if (!process.ok()) return -1;
    const auto exit = (*process)->WaitUntil(std::chrono::steady_clock::now() + std::chrono::seconds(30));
    return exit.has_value() ? exit->code : -1;
  }

  const TempDir folder_;
  std::unique_ptr<NamespacedSharedMemory> memory_;
  std::string said_;
};

TEST_P(NamespacedSharedMemoryTest, WhatItsProcessesMakeIsSeenByThemAlone) {
  const std::string name = "yard-test-" + folder_.path().filename().native();
  EXPECT_TRUE(memory_->Left().empty());
  EXPECT_EQ(Run("printf 12345 > /dev/shm/" + name), 0);
  EXPECT_EQ(Run("cat /dev/shm/" + name), 0);
  EXPECT_EQ(said_, "12345");
  EXPECT_FALSE(std::filesystem::exists("/dev/shm/" + name));
  EXPECT_THAT(memory_->Left().names, ElementsAre(name));
  EXPECT_EQ(memory_->Left().bytes, 5u);
}

TEST_P(NamespacedSharedMemoryTest, SystemVSegmentsAreItsOwnToo) {
  const int outside = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  ASSERT_GE(outside, 0) << std::strerror(errno);
  EXPECT_EQ(Run("ipcs -m; ipcmk -M 8192"), 0) << said_;
  EXPECT_THAT(memory_->Left().system_v, ::testing::SizeIs(1));
  EXPECT_EQ(memory_->Left().bytes, 8192u);
  EXPECT_EQ(::shmctl(outside, IPC_RMID, nullptr), 0) << "it went with what is not its own";
}

TEST_P(NamespacedSharedMemoryTest, AllElseIsAsOutside) {
  folder_.Write("input", "here");
  EXPECT_EQ(Run("id -u; pwd; cat input; echo there > output; kill -0 $PPID"), 0) << said_;
  EXPECT_EQ(said_, std::to_string(::geteuid()) + "\n" + folder_.path().native() + "\nhere");
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "output"));
}

INSTANTIATE_TEST_SUITE_P(Rights, NamespacedSharedMemoryTest, ::testing::Values(false, true),
                         [](const auto& info) { return info.param ? "InAUserNamespace" : "AsWeAre"; });

}  // namespace
}  // namespace yardmaster::worker
