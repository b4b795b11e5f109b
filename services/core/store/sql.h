// Small helpers over SOCI. What they throw (std::exception) is caught by the writer and the reader pool, and nowhere
// else: see failure.h.
//
// Three traps of SOCI 4.0.3 with SQLite, all of them measured:
//  * A statement that was not read to its end keeps a snapshot, which keeps the write-ahead log from being reused, and
//  a
//    transaction can't be committed while an INSERT … RETURNING is half read. RunOne and Select read to the end.
//  * Columns of dynamic rows (soci::row) have guessed types: aggregates come as strings. Results are bound to
//  variables.
//  * soci_error::what() contains the parameters, that is, what people wrote: only failure.cc reads errors.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SQL_H_
#define YARDMASTER_SERVICES_CORE_STORE_SQL_H_

#include <soci/soci.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/limits.h"
#include "services/core/store/page.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::store {

using TimePoint = std::chrono::system_clock::time_point;

// Times are kept as microseconds since the epoch; 0 stands for "none".
int64_t ToMicros(TimePoint time);
int64_t ToMicros(const std::optional<TimePoint>& time);
TimePoint FromMicros(int64_t micros);
std::optional<TimePoint> OptionalTime(int64_t micros);

// Runs a prepared statement that gives one row at most, to its end. True if there was a row; the variables bound to it
// hold its values then.
bool RunOne(soci::statement& statement);

// Replaces the content of a blob.
void SetBlob(soci::blob& blob, std::string_view bytes);
std::string GetBlob(soci::blob& blob);

// A query that is put together, run once and thrown away. Its text consists of our own literals only; everything else
// is bound. Order: Bind and Into as often as needed, then One, or Next until it is false.
class Select {
 public:
  explicit Select(soci::session& sql);
  Select(const Select&) = delete;
  Select& operator=(const Select&) = delete;

  // Adds to the text.
  Select& Add(std::string_view literal);
  // Gives the parameter ":name" a value. `name` is one of our literals, and bound once: SOCI would take the first value
  // for both, so a second one throws std::logic_error.
  Select& Bind(const char* name, std::string_view value);
  Select& Bind(const char* name, int64_t value);
  // Receives the next column; the variable must outlive the Select.
  template <typename T>
  Select& Into(T& variable) {
    statement_.exchange(soci::into(variable));
    return *this;
  }
  bool Next();
  // Reads the only row, to the end. False if there is none.
  bool One();

 private:
  void TakeName(const char* name);

  std::string text_;
  std::vector<std::string_view> names_;  // bound so far
  bool running_ = false;
  bool ended_ = false;
  std::deque<std::string> texts_;  // deques: addresses stay
  std::deque<long long> numbers_;
  soci::statement statement_;
};

// The number that the query gives.
int64_t CountOf(soci::session& sql, std::string_view query);

// Adds the conditions that rows are of this subject; of either kind if its kind is not specified. `table` is the prefix
// of the columns ("c.") or empty.
void BindSubject(Select& query, const v1::Subject& subject, std::string_view table = "");

// Reads one page of a query that gives the newest rows first and ends with its conditions. `row` has Into(Select&) and
// Read(); `id` is the member of what is read that the next page begins after.
template <typename Row, typename Item>
Page<Item> ReadPage(Select& query, Row& row, const PageRequest& page, std::string_view column, int64_t Item::*id) {
  const int64_t limit = std::clamp<int64_t>(page.limit, 1, kMaxStorePage);
  if (page.before > 0) query.Add(" and ").Add(column).Add(" < :before").Bind("before", page.before);
  query.Add(" order by ").Add(column).Add(" desc limit :limit").Bind("limit", limit + 1);
  row.Into(query);
  Page<Item> answer;
  while (query.Next()) {
    if (static_cast<int64_t>(answer.items.size()) == limit) {
      answer.next = answer.items.back().*id;
    } else {
      answer.items.push_back(row.Read());
    }
  }
  return answer;
}

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SQL_H_
