#include "emulation/simt.h"

#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace simt {

Indices current;

namespace {

constexpr unsigned kWarp = 32;
constexpr size_t kStackBytes = 128 * 1024;

enum class State { kReady, kAtBarrier, kAtShuffle, kDone };

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  Indices indices;
  State state = State::kReady;
  uint64_t value = 0;
  unsigned source = 0;
};

[[noreturn]] void Fail(const char* reason) {
  std::fprintf(stderr, "emulated GPU: block %u, %u: %s\n", current.block.x, current.block.y, reason);
  std::abort();
}

// The block that runs. Fibers and their stacks are kept for the next one.
class Block {
 public:
  void Run(const Indices& indices, const std::function<void()>& body) {
    body_ = &body;
    const unsigned threads = indices.block_size.x * indices.block_size.y * indices.block_size.z;
    while (fibers_.size() < threads) fibers_.push_back(std::make_unique<Fiber>());
    threads_ = threads;
    order_.clear();
    for (unsigned thread = 0; thread < threads; ++thread) {
      Fiber& fiber = *fibers_[thread];
      fiber.indices = indices;
      fiber.indices.thread = dim3(thread % indices.block_size.x, thread / indices.block_size.x % indices.block_size.y,
                                  thread / (indices.block_size.x * indices.block_size.y));
      fiber.state = State::kReady;
      if (!fiber.stack) fiber.stack = std::make_unique<char[]>(kStackBytes);
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.get();
      fiber.context.uc_stack.ss_size = kStackBytes;
      fiber.context.uc_link = &scheduler_;
      makecontext(&fiber.context, &Block::Enter, 0);
      order_.push_back(thread);
    }
    while (true) {
      Shuffle();
      bool ran = false;
      for (const unsigned thread : order_) {
        Fiber& fiber = *fibers_[thread];
        if (fiber.state != State::kReady) continue;
        ran = true;
        running_ = thread;
        current = fiber.indices;
        swapcontext(&scheduler_, &fiber.context);
      }
      if (Release()) continue;
      if (!ran) break;
    }
    for (unsigned thread = 0; thread < threads_; ++thread) {
      if (fibers_[thread]->state != State::kDone) Fail("a barrier or shuffle that not all threads reach");
    }
  }

  void Wait(State state) {
    Fiber& fiber = *fibers_[running_];
    fiber.state = state;
    swapcontext(&fiber.context, &scheduler_);
  }

  uint64_t Exchange(uint64_t value, unsigned source) {
    const unsigned thread = running_;
    fibers_[thread]->value = value;
    fibers_[thread]->source = source;
    Wait(State::kAtShuffle);
    return fibers_[thread]->value;
  }

  unsigned running() const { return running_; }

 private:
  static void Enter();

  // Another order for each step, the same in each run.
  void Shuffle() {
    for (size_t i = order_.size(); i > 1; --i) {
      random_ = random_ * 6364136223846793005u + 1442695040888963407u;
      std::swap(order_[i - 1], order_[(random_ >> 33) % i]);
    }
  }

  // Lets go on whoever has waited for all that are there now.
  bool Release() {
    bool any = false;
    for (unsigned first = 0; first < threads_; first += kWarp) {
      const unsigned last = std::min(threads_, first + kWarp);
      unsigned here = 0;
      for (unsigned thread = first; thread < last; ++thread) here += fibers_[thread]->state == State::kAtShuffle;
      if (here == 0) continue;
      // Those at a barrier would have to come first: lanes of one warp are at different places.
      if (here != last - first) Fail("a shuffle that not all lanes of the warp reach");
      std::vector<uint64_t> values;
      for (unsigned thread = first; thread < last; ++thread) values.push_back(fibers_[thread]->value);
      for (unsigned thread = first; thread < last; ++thread) {
        const unsigned source = fibers_[thread]->source;
        if (source >= values.size()) Fail("a shuffle from a lane that does not exist");
        fibers_[thread]->value = values[source];
        fibers_[thread]->state = State::kReady;
      }
      any = true;
    }
    if (any) return true;
    unsigned waiting = 0;
    for (unsigned thread = 0; thread < threads_; ++thread) waiting += fibers_[thread]->state == State::kAtBarrier;
    if (waiting == 0) return false;
    if (waiting != threads_) Fail("a barrier that not all threads of the block reach");
    for (unsigned thread = 0; thread < threads_; ++thread) fibers_[thread]->state = State::kReady;
    return true;
  }

  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<unsigned> order_;
  ucontext_t scheduler_;
  const std::function<void()>* body_ = nullptr;
  unsigned threads_ = 0;
  unsigned running_ = 0;
  uint64_t random_ = 1;
};

Block& TheBlock() {
  static Block block;
  return block;
}

void Block::Enter() {
  Block& block = TheBlock();
  (*block.body_)();
  block.fibers_[block.running_]->state = State::kDone;
}

}  // namespace

void Run(dim3 grid, dim3 block, const std::function<void()>& body) {
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        Indices indices;
        indices.block = dim3(x, y, z);
        indices.block_size = block;
        indices.grid_size = grid;
        TheBlock().Run(indices, body);
      }
    }
  }
}

void Barrier() { TheBlock().Wait(State::kAtBarrier); }

uint64_t Shuffle(uint64_t value, unsigned source) { return TheBlock().Exchange(value, source); }

unsigned Lane() { return TheBlock().running() % kWarp; }

}  // namespace simt
