// A cache of values that are made once and shared.
#ifndef YARDMASTER_SERVICES_CORE_MEMO_H_
#define YARDMASTER_SERVICES_CORE_MEMO_H_

#include <list>
#include <memory>
#include <mutex>

namespace yardmaster {

// Keeps a value for each key. Safe to use from many threads at once: whoever asks for a value that is being made waits
// for it, others go on. For few keys: they are compared one after another.
template <typename Key, typename Value>
class Memo {
 public:
  // `make()` gives a std::shared_ptr<const Value>; it is called where nobody has made the value of `key` yet. A null
  // one is given back, but not kept: the next caller tries again.
  template <typename Make>
  std::shared_ptr<const Value> Get(const Key& key, const Make& make) {
    Slot& slot = SlotOf(key);
    const std::lock_guard<std::mutex> lock(slot.mutex);
    if (slot.value == nullptr) slot.value = make();
    return slot.value;
  }

  // Drops all values: the next caller makes its value again.
  void Forget() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (Slot& slot : slots_) {
      const std::lock_guard<std::mutex> value_lock(slot.mutex);
      slot.value.reset();
    }
  }

 private:
  struct Slot {
    explicit Slot(const Key& of) : key(of) {}
    const Key key;
    std::mutex mutex;
    std::shared_ptr<const Value> value;  // guarded by mutex
  };

  Slot& SlotOf(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (Slot& slot : slots_) {
      if (slot.key == key) return slot;
    }
    return slots_.emplace_back(key);
  }

  std::mutex mutex_;
  std::list<Slot> slots_;  // guarded by mutex_; what is in it stays where it is
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_MEMO_H_
