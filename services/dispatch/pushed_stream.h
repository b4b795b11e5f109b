// Streams by which the daemon speaks whenever there is something new, without a thread that waits for it.
#ifndef YARDMASTER_SERVICES_DISPATCH_PUSHED_STREAM_H_
#define YARDMASTER_SERVICES_DISPATCH_PUSHED_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <mutex>
#include <string_view>

#include "absl/status/status.h"
#include "services/core/errors.h"
#include "services/core/executor.h"
#include "services/core/rpc/rpc.h"
#include "services/dispatch/dispatcher.h"

namespace yardmaster::dispatch {

// `Base` is a grpc::ServerWriteReactor or grpc::ServerBidiReactor that writes `Message`. Deletes itself. At any time at
// most one piece of work runs (on the executor) or one message is written; what happens meanwhile is noted and looked
// at afterwards. Where the executor takes no more, the work is begun with a later tick of the dispatcher.
template <typename Base, typename Message>
class PushedStream : public Base, public ChangeListener {
 public:
  PushedStream(const RpcEnvironment& env, grpc::CallbackServerContext& context, std::string_view method,
               Executor& executor, Dispatcher* dispatcher)
      : call_(env, context, method), executor_(executor), dispatcher_(dispatcher) {}

  // First thing. False if the call is refused, as it is without a dispatcher.
  bool Begin(const Topic& topic) {
    absl::Status status = call_.admitted();
    if (status.ok() && dispatcher_ == nullptr) status = errors::StoreAbsent();
    if (status.ok()) {
      listening_ = true;
      dispatcher_->SetListener(*this, topic);
      Wake();
    } else {
      End(status);
    }
    return status.ok();
  }

  // The listeners' lock is held, which leaving needs: it only begins work.
  void OnChange() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    woken_ = true;
    BeginWorkLocked();
  }
  void OnTick() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    BeginWorkLocked();
  }
  void OnCancel() override { End(errors::CallCancelled()); }
  void OnWriteDone(bool ok) override {
    GoOn([&] {
      busy_ = false;
      woken_ = true;  // there may be more
      if (!ok) NoteEnd(errors::CallCancelled());
    });
  }
  void OnDone() override { delete this; }

 protected:
  // Runs on the executor. True and `message` filled if there is something to say now; OK and false if not.
  virtual absl::StatusOr<bool> Next(Message& message) = 0;

  // From now on this is what wakes the stream.
  void Listen(const Topic& topic) { dispatcher_->SetListener(*this, topic); }
  // There may be something to say.
  void Wake() {
    GoOn([&] { woken_ = true; });
  }
  // The call ends when what is under way has ended.
  void End(const absl::Status& status) {
    GoOn([&] { NoteEnd(status); });
  }
  // Next says that all was said, by returning Done().
  absl::Status Done() {
    done_ = true;
    return absl::CancelledError();
  }

  const RpcCall& call() const { return call_; }
  Dispatcher& dispatcher() { return *dispatcher_; }
  std::mutex& mutex() { return mutex_; }

 private:
  void NoteEnd(const absl::Status& status) {
    if (ending_) return;
    ending_ = true;
    status_ = status;
  }

  void BeginWorkLocked() {
    if (busy_ || ending_ || !woken_) return;
    busy_ = executor_.Run([this] { Work(); });
    woken_ = !busy_;
  }

  // Changes the state, and begins what follows from it. Nothing is touched after the lock was given back but by the one
  // who finishes: another thread may have ended the call by then, and gRPC deleted this object.
  template <typename Change>
  void GoOn(Change change) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      change();
      BeginWorkLocked();
      if (!ending_ || busy_ || finished_) return;
      finished_ = true;
    }
    if (listening_) dispatcher_->RemoveListener(*this);
    // gRPC may delete this object before Finish returns.
    this->Finish(call_.Finish(status_));
  }

  void Work() {
    message_.Clear();
    const absl::StatusOr<bool> next = Next(message_);
    if (next.ok() && *next) {
      this->StartWrite(&message_);  // busy until OnWriteDone
      return;
    }
    GoOn([&] {
      busy_ = false;
      if (!next.ok()) NoteEnd(absl::IsCancelled(next.status()) && done_ ? absl::OkStatus() : next.status());
    });
  }

  RpcCall call_;
  Executor& executor_;
  Dispatcher* const dispatcher_;
  bool listening_ = false;
  bool done_ = false;
  Message message_;
  std::mutex mutex_;  // guards what follows
  bool busy_ = false;
  bool woken_ = false;
  bool ending_ = false;
  bool finished_ = false;
  absl::Status status_;
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PUSHED_STREAM_H_
