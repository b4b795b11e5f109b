// Lists come in pages, newest first.
#ifndef YARDMASTER_SERVICES_CORE_STORE_PAGE_H_
#define YARDMASTER_SERVICES_CORE_STORE_PAGE_H_

#include <cstdint>
#include <vector>

namespace yardmaster::store {

// Which part of a list.
struct PageRequest {
  // Only rows with a smaller row id, that is, older ones; 0 = from the newest.
  int64_t before = 0;
  // At most so many, between 1 and kMaxStorePage; larger values are lowered to it, smaller ones raised.
  int64_t limit = 50;
};

template <typename T>
struct Page {
  std::vector<T> items;
  // `before` of the next request; 0 if this was the last page.
  int64_t next = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_PAGE_H_
