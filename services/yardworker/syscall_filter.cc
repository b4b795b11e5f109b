#include "services/yardworker/syscall_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace yardmaster::yardworker {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;
#endif

// The calls of x32, with other numbers, are marked by this bit.
constexpr uint32_t kX32Bit = 0x40000000;

// Refused as not permitted. Those that an architecture does not have are left out.
constexpr uint32_t kRefused[] = {
    SYS_acct,
    SYS_add_key,
    SYS_adjtimex,
    SYS_bpf,
    SYS_chroot,
    SYS_clock_adjtime,
    SYS_clock_settime,
    SYS_delete_module,
    SYS_fanotify_init,
    SYS_finit_module,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fsopen,
    SYS_fspick,
    SYS_init_module,
    SYS_kexec_file_load,
    SYS_kexec_load,
    SYS_keyctl,
    SYS_lookup_dcookie,
    SYS_mount,
    SYS_mount_setattr,
    SYS_move_mount,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_open_tree,
    SYS_perf_event_open,
    SYS_pivot_root,
    SYS_quotactl,
    SYS_reboot,
    SYS_request_key,
    SYS_setdomainname,
    SYS_sethostname,
    SYS_setns,
    SYS_settimeofday,
    SYS_swapoff,
    SYS_swapon,
    SYS_syslog,
    SYS_umount2,
    SYS_unshare,
    SYS_userfaultfd,
    SYS_vhangup,
#if defined(__x86_64__)
    SYS_ioperm,
    SYS_iopl,
    SYS_modify_ldt,
    SYS_sysfs,
    SYS_uselib,
    SYS_ustat,
#endif
};
// Refused as not there: programs fall back to older calls, whose arguments a filter can see (clone instead of clone3,
// which has them in memory), or do without.
constexpr uint32_t kNotThere[] = {SYS_clone3, SYS_io_uring_enter, SYS_io_uring_register, SYS_io_uring_setup};

constexpr uint32_t kNamespaces =
    CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWUTS;

constexpr uint32_t Refuse(int error) { return SECCOMP_RET_ERRNO | static_cast<uint32_t>(error); }

class FilterProgram {
 public:
  void Load(size_t offset) { Add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
  void Return(uint32_t action) { Add(BPF_RET | BPF_K, action); }
  // The next instruction is skipped unless what was loaded is `value`, or has one of its bits.
  void UnlessEqualSkip(uint32_t value) { UnlessEqualSkip(value, 1); }
  void UnlessAnyBitSkip(uint32_t bits) { Add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1); }
  void IfEqualSkip(uint32_t value) { Add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0); }
  // So many instructions are skipped unless what was loaded is `value`.
  void UnlessEqualSkip(uint32_t value, uint8_t instructions) { Add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, instructions); }

  std::string Bytes() const {
    return {reinterpret_cast<const char*>(program_.data()), program_.size() * sizeof(sock_filter)};
  }

 private:
  void Add(uint16_t code, uint32_t value, uint8_t if_true = 0, uint8_t if_false = 0) {
    program_.push_back({code, if_true, if_false, value});
  }

  std::vector<sock_filter> program_;
};

// The low half of an argument, on machines of either byte order that are known here: both are little-endian.
constexpr size_t Argument(size_t number) { return offsetof(seccomp_data, args) + number * sizeof(uint64_t); }

}  // namespace

std::string SyscallFilter() {
  if (kArchitecture == 0) return "";
  constexpr size_t kNumber = offsetof(seccomp_data, nr);
  FilterProgram program;
  program.Load(offsetof(seccomp_data, arch));
  // Programs of another architecture (32 bits) would pass by the numbers below.
  program.IfEqualSkip(kArchitecture);
  program.Return(Refuse(ENOSYS));
  program.Load(kNumber);
#if defined(__x86_64__)
  program.UnlessAnyBitSkip(kX32Bit);
  program.Return(Refuse(ENOSYS));
#endif
  for (const uint32_t call : kNotThere) {
    program.UnlessEqualSkip(call);
    program.Return(Refuse(ENOSYS));
  }
  for (const uint32_t call : kRefused) {
    program.UnlessEqualSkip(call);
    program.Return(Refuse(EPERM));
  }
  program.UnlessEqualSkip(SYS_clone, 4);
  program.Load(Argument(0));
  program.UnlessAnyBitSkip(kNamespaces);
  program.Return(Refuse(EPERM));
  program.Load(kNumber);
  program.UnlessEqualSkip(SYS_socket, 4);
  program.Load(Argument(0));
  program.UnlessEqualSkip(AF_VSOCK);
  program.Return(Refuse(EPERM));
  program.Load(kNumber);
  program.Return(SECCOMP_RET_ALLOW);
  return program.Bytes();
}

}  // namespace yardmaster::yardworker
