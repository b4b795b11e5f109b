// How a fuzz target says that something does not hold: it names it and ends, which the fuzzer takes for a crash.
#ifndef YARDMASTER_TESTS_FUZZ_CHECK_H_
#define YARDMASTER_TESTS_FUZZ_CHECK_H_

#include <cstdio>
#include <cstdlib>
#include <string>

namespace yardmaster {

[[noreturn]] inline void Broken(const std::string& what) {
  std::fprintf(stderr, "broken: %s\n", what.c_str());
  std::abort();
}

inline void Check(bool holds, const char* what) {
  if (!holds) Broken(what);
}

}  // namespace yardmaster

#endif  // YARDMASTER_TESTS_FUZZ_CHECK_H_
