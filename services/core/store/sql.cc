#include "services/core/store/sql.h"

#include <stdexcept>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/store/codec.h"

namespace yardmaster::store {

int64_t ToMicros(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}
int64_t ToMicros(const std::optional<TimePoint>& time) { return time.has_value() ? ToMicros(*time) : 0; }
TimePoint FromMicros(int64_t micros) {
  return TimePoint(std::chrono::duration_cast<TimePoint::duration>(std::chrono::microseconds(micros)));
}
std::optional<TimePoint> OptionalTime(int64_t micros) {
  if (micros == 0) return std::nullopt;
  return FromMicros(micros);
}

bool RunOne(soci::statement& statement) {
  if (!statement.execute(true)) return false;
  // There is no second row; asking for it ends the statement and leaves the variables as they are.
  while (statement.fetch()) {
  }
  return true;
}

void SetBlob(soci::blob& blob, std::string_view bytes) {
  blob.trim(0);
  if (!bytes.empty()) blob.append(bytes.data(), bytes.size());
}

std::string GetBlob(soci::blob& blob) {
  std::string bytes(blob.get_len(), '\0');
  if (!bytes.empty()) blob.read(0, bytes.data(), bytes.size());
  return bytes;
}

Select::Select(soci::session& sql) : statement_(sql) {}

Select& Select::Add(std::string_view literal) {
  text_ += literal;
  return *this;
}
void Select::TakeName(const char* name) {
  if (absl::c_linear_search(names_, name)) throw std::logic_error(absl::StrCat(":", name, " is bound twice"));
  names_.emplace_back(name);
}
Select& Select::Bind(const char* name, std::string_view value) {
  TakeName(name);
  statement_.exchange(soci::use(texts_.emplace_back(value), name));
  return *this;
}
Select& Select::Bind(const char* name, int64_t value) {
  TakeName(name);
  statement_.exchange(soci::use(numbers_.emplace_back(value), name));
  return *this;
}

bool Select::Next() {
  if (ended_) return false;
  if (!running_) {
    statement_.alloc();
    statement_.prepare(text_);
    statement_.define_and_bind();
    statement_.execute(false);
    running_ = true;
  }
  if (statement_.fetch()) return true;
  ended_ = true;
  return false;
}

bool Select::One() {
  const bool found = Next();
  while (Next()) {
  }
  return found;
}

int64_t CountOf(soci::session& sql, std::string_view query) {
  long long count = 0;
  Select(sql).Add(query).Into(count).One();
  return count;
}

void BindSubject(Select& query, const v1::Subject& subject, std::string_view table) {
  query.Add(" and lower(").Add(table).Add("subject) = lower(:subject)").Bind("subject", SubjectText(subject));
  if (subject.kind() != v1::SUBJECT_KIND_UNSPECIFIED) {
    query.Add(" and ").Add(table).Add("subject_kind = :subject_kind").Bind("subject_kind", subject.kind());
  }
}

}  // namespace yardmaster::store
