// Subjects on SQL.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_SUBJECTS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_SUBJECTS_H_

#include <soci/soci.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "services/core/store/reader_pool.h"
#include "services/core/store/subjects.h"
#include "services/core/store/writer.h"

namespace yardmaster::store {

class SqlSubjects final : public Subjects {
 public:
  // As SqlInbox.
  SqlSubjects(soci::session& sql, Writer& writer, ReaderPool& readers);
  ~SqlSubjects() override;

  absl::Status Put(const SeenSubject& seen) override;
  absl::StatusOr<std::optional<KnownSubject>> Get(const v1::Subject& subject) override;
  absl::Status NoteLabelRemoved(const v1::Subject& subject, std::string_view label, std::string_view by) override;
  absl::Status ForgetLabelRemoved(const v1::Subject& subject, std::string_view label) override;
  absl::StatusOr<std::vector<RemovedLabel>> RemovedLabels(const v1::Subject& subject) override;
  absl::StatusOr<SeenHead> SeeHead(const v1::Subject& subject, std::string_view head, TimePoint at,
                                   HeadSource source) override;
  absl::StatusOr<std::vector<SimilarSubject>> Similar(const SimilarQuery& query) override;

  // Gives up what is prepared. After the writer has stopped.
  void Close();

 private:
  struct Statements;

  Writer& writer_;
  ReaderPool& readers_;
  std::unique_ptr<Statements> statements_;

  // Words found to be in too many texts: not looked up again. Emptied when it has grown large, since texts go as well.
  std::mutex common_mutex_;
  std::unordered_set<std::string> common_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_SUBJECTS_H_
