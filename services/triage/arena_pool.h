// Arenas whose first block is used again and again: the messages of a call then cost no memory of their own.
#ifndef YARDMASTER_SERVICES_TRIAGE_ARENA_POOL_H_
#define YARDMASTER_SERVICES_TRIAGE_ARENA_POOL_H_

#include <google/protobuf/arena.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace yardmaster {

// Thread-safe. At most as many arenas exist as were ever in use at once, which is the number of gRPC's threads.
class ArenaPool {
 public:
  // What a typical request and answer take together; larger ones get further blocks, which go when they are done.
  static constexpr size_t kBlockBytes = 48 * 1024;

 private:
  struct Block {
    Block() : arena(Options(memory.get())) {}
    static google::protobuf::ArenaOptions Options(char* memory) {
      google::protobuf::ArenaOptions options;
      options.initial_block = memory;
      options.initial_block_size = kBlockBytes;
      return options;
    }
    std::unique_ptr<char[]> memory = std::make_unique<char[]>(kBlockBytes);
    google::protobuf::Arena arena;
  };

 public:
  // An arena for one call. Everything on it ends with the lease.
  class Lease {
   public:
    Lease(ArenaPool& pool, std::unique_ptr<Block> block) : pool_(pool), block_(std::move(block)) {}
    ~Lease() { pool_.Return(std::move(block_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    google::protobuf::Arena& arena() const { return block_->arena; }

   private:
    ArenaPool& pool_;
    std::unique_ptr<Block> block_;
  };

  Lease Take() {
    std::unique_ptr<Block> block;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        block = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (block == nullptr) block = std::make_unique<Block>();
    return Lease(*this, std::move(block));
  }

 private:
  void Return(std::unique_ptr<Block> block) {
    // Outside of the lock: it runs the destructors of all strings.
    block->arena.Reset();
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(block));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> free_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_TRIAGE_ARENA_POOL_H_
