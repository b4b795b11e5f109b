// For ThreadSanitizer builds only. Debian's gRPC and abseil are not instrumented: ThreadSanitizer sees neither the
// locks of absl::Mutex nor gRPC's queues without locks, and takes whatever gRPC hands from one thread to another for a
// race in our code. Here our programs define the functions at which that happens, so that they come before the
// libraries' own: they tell ThreadSanitizer what happens before what, and go on to the library. Real races between
// handlers are still seen, which a suppression of everything below gRPC would hide.
#include <dlfcn.h>
#include <grpc/grpc.h>
#include <sanitizer/tsan_interface.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "absl/synchronization/mutex.h"

namespace {

// The library's own function of that mangled name.
template <typename Function>
Function* Next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "tsan_sync.cc: no library has %s: was abseil or gRPC updated?\n", name);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

// Tags may be any number, not only addresses, so each stands for one of these. Two tags that share one only add order,
// never a report.
char tag_objects[4096];

void* ObjectOf(void* tag) { return &tag_objects[reinterpret_cast<uintptr_t>(tag) / 16 % sizeof(tag_objects)]; }

}  // namespace

namespace absl {
ABSL_NAMESPACE_BEGIN

void Mutex::Lock() {
  static auto* next = Next<void(Mutex*)>("_ZN4absl7debian35Mutex4LockEv");
  next(this);
  __tsan_acquire(this);
}

void Mutex::Unlock() {
  static auto* next = Next<void(Mutex*)>("_ZN4absl7debian35Mutex6UnlockEv");
  __tsan_release(this);
  next(this);
}

bool Mutex::TryLock() {
  static auto* next = Next<bool(Mutex*)>("_ZN4absl7debian35Mutex7TryLockEv");
  const bool locked = next(this);
  if (locked) __tsan_acquire(this);
  return locked;
}

void CondVar::Wait(Mutex* mutex) {
  static auto* next = Next<void(CondVar*, Mutex*)>("_ZN4absl7debian37CondVar4WaitEPNS0_5MutexE");
  __tsan_release(mutex);
  next(this, mutex);
  __tsan_acquire(mutex);
}

bool CondVar::WaitWithTimeout(Mutex* mutex, Duration timeout) {
  static auto* next =
      Next<bool(CondVar*, Mutex*, Duration)>("_ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE");
  __tsan_release(mutex);
  const bool timed_out = next(this, mutex, timeout);
  __tsan_acquire(mutex);
  return timed_out;
}

bool CondVar::WaitWithDeadline(Mutex* mutex, Time deadline) {
  static auto* next =
      Next<bool(CondVar*, Mutex*, Time)>("_ZN4absl7debian37CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE");
  __tsan_release(mutex);
  const bool timed_out = next(this, mutex, deadline);
  __tsan_acquire(mutex);
  return timed_out;
}

ABSL_NAMESPACE_END
}  // namespace absl

// A batch of operations, or the wait for a call, begins with a tag; the tag comes back when it has ended, often in
// another thread.

extern "C" grpc_call_error grpc_call_start_batch(grpc_call* call, const grpc_op* ops, size_t count, void* tag,
                                                 void* reserved) {
  static auto* next = Next<grpc_call_error(grpc_call*, const grpc_op*, size_t, void*, void*)>("grpc_call_start_batch");
  __tsan_release(ObjectOf(tag));
  return next(call, ops, count, tag, reserved);
}

extern "C" grpc_call_error grpc_server_request_call(grpc_server* server, grpc_call** call, grpc_call_details* details,
                                                    grpc_metadata_array* metadata, grpc_completion_queue* bound_to,
                                                    grpc_completion_queue* notify, void* tag) {
  static auto* next =
      Next<grpc_call_error(grpc_server*, grpc_call**, grpc_call_details*, grpc_metadata_array*, grpc_completion_queue*,
                           grpc_completion_queue*, void*)>("grpc_server_request_call");
  __tsan_release(ObjectOf(tag));
  return next(server, call, details, metadata, bound_to, notify, tag);
}

extern "C" grpc_event grpc_completion_queue_next(grpc_completion_queue* queue, gpr_timespec deadline, void* reserved) {
  static auto* next = Next<grpc_event(grpc_completion_queue*, gpr_timespec, void*)>("grpc_completion_queue_next");
  const grpc_event event = next(queue, deadline, reserved);
  if (event.type == GRPC_OP_COMPLETE) __tsan_acquire(ObjectOf(event.tag));
  return event;
}

extern "C" grpc_event grpc_completion_queue_pluck(grpc_completion_queue* queue, void* tag, gpr_timespec deadline,
                                                  void* reserved) {
  static auto* next =
      Next<grpc_event(grpc_completion_queue*, void*, gpr_timespec, void*)>("grpc_completion_queue_pluck");
  const grpc_event event = next(queue, tag, deadline, reserved);
  __tsan_acquire(ObjectOf(tag));
  return event;
}
