#include "services/core/store/sql_shadows.h"

#include <soci/soci.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"
#include "services/core/store/codec.h"
#include "services/core/store/page.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

// Rows that are read at once: a reader is not held while they are looked at.
constexpr int64_t kShadowPage = 200;

std::string RepositoryOfShadow(v1::Subject subject) {
  subject.clear_number();
  return SubjectText(subject);
}

struct StoredShadow {
  int64_t row = 0;
  bool readable = false;
  std::string record;
};

struct ShadowRow {
  explicit ShadowRow(soci::session& sql) : content(sql) {}

  StoredShadow shadow;
  long long bytes = 0, encoding = 0;
  soci::blob content;

  void Into(Select& query) { query.Into(shadow.row).Into(bytes).Into(encoding).Into(content); }
  const StoredShadow& Read() {
    absl::StatusOr<std::string> record = Unpack(encoding, GetBlob(content), bytes);
    shadow.readable = record.ok();
    shadow.record = record.ok() ? *std::move(record) : "";
    return shadow;
  }
};

}  // namespace

absl::Status SqlShadows::Put(const NewShadowRun& run) {
  RETURN_IF_ERROR(CheckStoredSubject(run.subject));
  RETURN_IF_ERROR(CheckStoredName("planner", run.planner));
  RETURN_IF_ERROR(CheckStoredName("pack", run.pack));
  RETURN_IF_ERROR(CheckStoredName("base_revision", run.base_revision));
  RETURN_IF_ERROR(CheckStoredName("shadow_revision", run.shadow_revision));
  RETURN_IF_ERROR(CheckStoredName("input", run.input, true));
  if (run.record.size() > kMaxShadowRecordBytes) {
    return errors::OverLimit("shadow run", run.record.size(), kMaxShadowRecordBytes, "bytes");
  }
  const Packed packed = Pack(run.record);
  return writer_.Run(WriteKind::kNew, [&](Transaction& transaction) {
    const std::string repository = RepositoryOfShadow(run.subject);
    const long long number = run.subject.number();
    const long long kind = run.subject.kind();
    const auto bytes = static_cast<long long>(run.record.size());
    const long long encoding = packed.encoding;
    soci::blob content(transaction.sql);
    SetBlob(content, packed.bytes);
    // A new row, not an update: rows are in the order in which runs were made.
    transaction.sql << "delete from shadow_runs where lower(repository) = lower(:repository) and number = :number and "
                       "subject_kind = :kind and planner = :planner and pack = :pack and base_revision = :base and "
                       "shadow_revision = :shadow and input = :input",
        soci::use(repository, "repository"), soci::use(number, "number"), soci::use(kind, "kind"),
        soci::use(run.planner, "planner"), soci::use(run.pack, "pack"), soci::use(run.base_revision, "base"),
        soci::use(run.shadow_revision, "shadow"), soci::use(run.input, "input");
    transaction.sql << "insert into shadow_runs (repository, number, subject_kind, planner, pack, base_revision, "
                       "shadow_revision, input, created_at, record_bytes, encoding, record) values (:repository, "
                       ":number, :kind, :planner, :pack, :base, :shadow, :input, :now, :bytes, :encoding, :content)",
        soci::use(repository, "repository"), soci::use(number, "number"), soci::use(kind, "kind"),
        soci::use(run.planner, "planner"), soci::use(run.pack, "pack"), soci::use(run.base_revision, "base"),
        soci::use(run.shadow_revision, "shadow"), soci::use(run.input, "input"), soci::use(transaction.now, "now"),
        soci::use(bytes, "bytes"), soci::use(encoding, "encoding"), soci::use(content, "content");
    return absl::OkStatus();
  });
}

absl::Status SqlShadows::ForEach(const ShadowFilter& filter,
                                 const std::function<bool(const std::string& record)>& visit) {
  PageRequest page{0, kShadowPage};
  do {
    ASSIGN_OR_RETURN(const Page<StoredShadow> rows,
                     readers_.Read([&](soci::session& sql) -> absl::StatusOr<Page<StoredShadow>> {
                       ShadowRow row(sql);
                       Select query(sql);
                       query.Add("select id, record_bytes, encoding, record from shadow_runs where id > 0");
                       if (!filter.repository.empty()) {
                         query.Add(" and lower(repository) = lower(:repository)").Bind("repository", filter.repository);
                       }
                       if (!filter.pack.empty()) query.Add(" and pack = :pack").Bind("pack", filter.pack);
                       if (!filter.shadow_revision.empty()) {
                         query.Add(" and shadow_revision = :shadow").Bind("shadow", filter.shadow_revision);
                       }
                       return ReadPage(query, row, page, "id", &StoredShadow::row);
                     }));
    for (const StoredShadow& one : rows.items) {
      if (one.readable && !visit(one.record)) return absl::OkStatus();
    }
    page.before = rows.next;
  } while (page.before != 0);
  return absl::OkStatus();
}

}  // namespace yardmaster::store
