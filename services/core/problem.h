// Problems found in data that people wrote: packs, cases, configurations.
#ifndef YARDMASTER_SERVICES_CORE_PROBLEM_H_
#define YARDMASTER_SERVICES_CORE_PROBLEM_H_

#include <cstdint>
#include <string>
#include <vector>

namespace yardmaster {

// One thing that is wrong, with its place and what was expected there.
struct Problem {
  std::string file;     // as the reader knows it: relative to the packs folder, or the path given
  std::string pointer;  // JSON pointer (RFC 6901) to the value; empty for the whole file
  uint32_t line = 0;    // from 1; 0 where there is none
  uint32_t column = 0;  // in bytes, from 1; 0 where there is none
  std::string message;  // what is wrong and what was expected

  // "file:line:column: /pointer: message", without the parts that are missing.
  std::string ToString() const;

  friend bool operator==(const Problem&, const Problem&) = default;
};

using Problems = std::vector<Problem>;

// By file, line, column, pointer and message; equal ones once.
void SortProblems(Problems& problems);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_PROBLEM_H_
