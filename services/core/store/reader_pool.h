// Connections for reading. Each sees what is committed when its query begins; none ever waits for the writer.
#ifndef YARDMASTER_SERVICES_CORE_STORE_READER_POOL_H_
#define YARDMASTER_SERVICES_CORE_STORE_READER_POOL_H_

#include <soci/soci.h>

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "services/core/errors.h"
#include "services/core/store/failure.h"

namespace yardmaster::store {

// Thread-safe.
class ReaderPool {
 public:
  // Opens `count` connections. Throws, see sql.h.
  ReaderPool(const std::filesystem::path& file, size_t count);
  // Closes. No read may be under way.
  ~ReaderPool();
  ReaderPool(const ReaderPool&) = delete;
  ReaderPool& operator=(const ReaderPool&) = delete;

  // Waits for a free connection and returns query(session), an absl::Status or absl::StatusOr. What the query throws
  // becomes a status. UNAVAILABLE after Close. Queries are short: no callback, no network, no other read inside one.
  template <typename Query>
  auto Read(Query query) -> decltype(query(std::declval<soci::session&>())) {
    Lease lease(*this);
    if (lease.session() == nullptr) return errors::StoreClosed();
    try {
      return query(*lease.session());
    } catch (const std::exception& error) {
      return FailureOf(error).status;
    }
  }

  // Lets reads under way end and refuses new ones.
  void Close();

 private:
  class Lease {
   public:
    explicit Lease(ReaderPool& pool) : pool_(pool), session_(pool.Take()) {}
    ~Lease() {
      if (session_ != nullptr) pool_.Return(std::move(session_));
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    soci::session* session() { return session_.get(); }

   private:
    ReaderPool& pool_;
    std::unique_ptr<soci::session> session_;
  };
  std::unique_ptr<soci::session> Take();
  void Return(std::unique_ptr<soci::session> session);

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<std::unique_ptr<soci::session>> free_;
  const size_t count_;
  bool closed_ = false;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_READER_POOL_H_
