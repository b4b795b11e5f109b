// ChatThreads on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_CHAT_THREADS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_CHAT_THREADS_H_

#include <optional>

#include "services/core/store/chat_threads.h"
#include "services/core/store/reader_pool.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

class SqlChatThreads final : public ChatThreads {
 public:
  // Both must outlive this object.
  SqlChatThreads(Writer& writer, ReaderPool& readers) : writer_(writer), readers_(readers) {}

  absl::Status Put(const ChatThread& thread, const v1::Subject& subject) override;
  absl::StatusOr<std::optional<ThreadSubject>> Find(const ChatThread& thread) override;

 private:
  Writer& writer_;
  ReaderPool& readers_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_CHAT_THREADS_H_
