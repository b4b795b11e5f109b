// ChatLinks on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_CHAT_LINKS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_CHAT_LINKS_H_

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "services/core/store/chat_links.h"
#include "services/core/store/reader_pool.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

// Written when somebody links an account: nothing is prepared.
class SqlChatLinks final : public ChatLinks {
 public:
  // Both must outlive this object.
  SqlChatLinks(Writer& writer, ReaderPool& readers) : writer_(writer), readers_(readers) {}

  absl::Status Offer(const ChatAccount& account, std::string_view code_digest,
                     std::chrono::system_clock::time_point until) override;
  absl::StatusOr<std::optional<ChatAccount>> FindCode(std::string_view code_digest, std::string_view forge,
                                                      std::string_view login,
                                                      std::chrono::system_clock::time_point now) override;
  absl::StatusOr<std::optional<ChatLink>> Redeem(std::string_view code_digest, std::string_view forge,
                                                 std::string_view login) override;
  absl::StatusOr<std::vector<ChatLink>> Remove(std::string_view platform, std::string_view user) override;
  absl::StatusOr<std::vector<ChatLink>> All() override;

 private:
  Writer& writer_;
  ReaderPool& readers_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_CHAT_LINKS_H_
