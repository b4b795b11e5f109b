// Which stored deliveries may be the one that is asked for, by its id or by its body.
//
// Both come in no order. An index of the database over either writes a page at a random place for each delivery, to the
// log and to the main file, and the more rows there are the less these pages are shared. So what has been seen is kept
// in memory, 12 bytes a delivery, and read when the database is opened. It says "perhaps": the row decides.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SEEN_DELIVERIES_H_
#define YARDMASTER_SERVICES_CORE_STORE_SEEN_DELIVERIES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string_view>
#include <vector>

namespace yardmaster::store {

// What is kept of a delivery. The prints are never 0 and mean nothing outside of this process.
struct SeenDelivery {
  int64_t row = 0;
  uint32_t id_print = 0;
  uint32_t body_print = 0;
};

uint32_t IdPrint(std::string_view delivery_id);
// `body_key`: the first eight bytes of the body's digest.
uint32_t BodyPrint(int64_t body_key);

// Thread-safe.
class SeenDeliveries {
 public:
  SeenDeliveries();
  ~SeenDeliveries();
  SeenDeliveries(const SeenDeliveries&) = delete;
  SeenDeliveries& operator=(const SeenDeliveries&) = delete;

  // Rows that are in the database now, each above those added before.
  void Add(const std::vector<SeenDelivery>& deliveries);
  // Rows below `row` are not there any more. They may be named all the same: memory is given back in large pieces.
  void ForgetBelow(int64_t row);

  // All rows of deliveries with that id or body, and perhaps others; ascending.
  std::vector<int64_t> WithId(uint32_t id_print) const;
  std::vector<int64_t> WithBody(uint32_t body_print) const;

  size_t Bytes() const;

 private:
  struct Segment;
  template <typename PrintsOf>
  std::vector<int64_t> With(uint32_t print, PrintsOf prints_of) const;

  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<Segment>> segments_;  // ascending
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SEEN_DELIVERIES_H_
