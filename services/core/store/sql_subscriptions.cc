#include "services/core/store/sql_subscriptions.h"

#include <soci/soci.h>

#include <string>

#include "services/core/status_macros.h"
#include "services/core/store/codec.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

absl::Status CheckSubscription(const Subscription& one) {
  RETURN_IF_ERROR(CheckStoredName("platform", one.platform));
  RETURN_IF_ERROR(CheckStoredName("channel", one.channel));
  RETURN_IF_ERROR(CheckStoredName("forge", one.forge));
  RETURN_IF_ERROR(CheckStoredName("repository", one.repository));
  RETURN_IF_ERROR(CheckStoredName("topic", one.topic));
  RETURN_IF_ERROR(CheckStoredName("by", one.by, /*may_be_empty=*/true));
  return CheckStoredName("language", one.language, /*may_be_empty=*/true);
}

}  // namespace

absl::Status SqlSubscriptions::Put(const Subscription& subscription) {
  RETURN_IF_ERROR(CheckSubscription(subscription));
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const Subscription& s = subscription;
    transaction.sql
        << "insert into subscriptions (platform, channel, forge, repository, topic, asked_by, since, language) values "
           "(:platform, :channel, :forge, :repository, :topic, :by, :now, :language) "
           "on conflict (platform, channel, forge, topic, lower(repository)) do update set language = "
           "excluded.language",
        soci::use(s.platform, "platform"), soci::use(s.channel, "channel"), soci::use(s.forge, "forge"),
        soci::use(s.repository, "repository"), soci::use(s.topic, "topic"), soci::use(s.by, "by"),
        soci::use(transaction.now, "now"), soci::use(s.language, "language");
    return absl::OkStatus();
  });
}

absl::Status SqlSubscriptions::Remove(const Subscription& subscription) {
  RETURN_IF_ERROR(CheckSubscription(subscription));
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const Subscription& s = subscription;
    transaction.sql << "delete from subscriptions where platform = :platform and channel = :channel and forge = :forge "
                       "and lower(repository) = lower(:repository) and topic = :topic",
        soci::use(s.platform, "platform"), soci::use(s.channel, "channel"), soci::use(s.forge, "forge"),
        soci::use(s.repository, "repository"), soci::use(s.topic, "topic");
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<Subscription>> SqlSubscriptions::List() {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::vector<Subscription>> {
    Subscription one;
    long long since = 0;
    Select query(sql);
    query.Add(
        "select platform, channel, forge, repository, topic, asked_by, since, language from subscriptions order by "
        "platform, "
        "channel, forge, repository, topic");
    query.Into(one.platform).Into(one.channel).Into(one.forge).Into(one.repository).Into(one.topic).Into(one.by);
    query.Into(since).Into(one.language);
    std::vector<Subscription> all;
    while (query.Next()) {
      one.since = FromMicros(since);
      all.push_back(one);
    }
    return all;
  });
}

}  // namespace yardmaster::store
