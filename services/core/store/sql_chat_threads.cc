#include "services/core/store/sql_chat_threads.h"

#include <soci/soci.h>

#include <string>

#include "services/core/status_macros.h"
#include "services/core/store/codec.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

absl::Status CheckThread(const ChatThread& thread) {
  RETURN_IF_ERROR(CheckStoredName("platform", thread.platform));
  RETURN_IF_ERROR(CheckStoredName("channel", thread.channel));
  return CheckStoredName("thread", thread.thread);
}

}  // namespace

absl::Status SqlChatThreads::Put(const ChatThread& thread, const v1::Subject& subject) {
  RETURN_IF_ERROR(CheckThread(thread));
  RETURN_IF_ERROR(CheckStoredName("forge", subject.forge()));
  RETURN_IF_ERROR(CheckStoredName("repository", subject.repository()));
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const auto kind = static_cast<long long>(subject.kind());
    const auto number = static_cast<long long>(subject.number());
    const long long oldest =
        transaction.now - std::chrono::duration_cast<std::chrono::microseconds>(kChatThreadLife).count();
    transaction.sql << "delete from chat_threads where named_at < :oldest", soci::use(oldest, "oldest");
    transaction.sql << "insert into chat_threads (platform, channel, thread, forge, repository, subject_kind, number, "
                       "named_at) values (:platform, :channel, :thread, :forge, :repository, :kind, :number, :now) on "
                       "conflict (platform, channel, thread) do update set forge = excluded.forge, repository = "
                       "excluded.repository, subject_kind = excluded.subject_kind, number = excluded.number, named_at "
                       "= excluded.named_at",
        soci::use(thread.platform, "platform"), soci::use(thread.channel, "channel"),
        soci::use(thread.thread, "thread"), soci::use(subject.forge(), "forge"),
        soci::use(subject.repository(), "repository"), soci::use(kind, "kind"), soci::use(number, "number"),
        soci::use(transaction.now, "now");
    return absl::OkStatus();
  });
}

absl::StatusOr<std::optional<ThreadSubject>> SqlChatThreads::Find(const ChatThread& thread) {
  RETURN_IF_ERROR(CheckThread(thread));
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::optional<ThreadSubject>> {
    std::string forge;
    std::string repository;
    long long kind = 0;
    long long number = 0;
    long long at = 0;
    Select query(sql);
    query.Add(
        "select forge, repository, subject_kind, number, named_at from chat_threads where platform = :platform and "
        "channel = :channel and thread = :thread");
    query.Bind("platform", thread.platform).Bind("channel", thread.channel).Bind("thread", thread.thread);
    query.Into(forge).Into(repository).Into(kind).Into(number).Into(at);
    if (!query.One()) return std::nullopt;
    ThreadSubject found;
    found.subject.set_forge(forge);
    found.subject.set_repository(repository);
    found.subject.set_kind(static_cast<v1::SubjectKind>(kind));
    found.subject.set_number(number);
    found.at = FromMicros(at);
    return found;
  });
}

}  // namespace yardmaster::store
