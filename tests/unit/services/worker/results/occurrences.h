// How often a text stands in another one.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_WORKER_RESULTS_OCCURRENCES_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_WORKER_RESULTS_OCCURRENCES_H_

#include <cstddef>
#include <string_view>

namespace yardmaster::worker {

inline size_t Occurrences(std::string_view text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

}  // namespace yardmaster::worker

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_WORKER_RESULTS_OCCURRENCES_H_
