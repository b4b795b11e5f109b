// How often a test repeats what is random: a few times by default, more where an environment variable says so
// (tests/README.md lists them).
#ifndef YARDMASTER_TESTS_SUPPORT_ROUNDS_H_
#define YARDMASTER_TESTS_SUPPORT_ROUNDS_H_

#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace yardmaster::testing {

// Whether tests that take long do less of the same: one forge of two, one number of ranks of three. tests/run.sh --long
// does all of it.
inline bool IsShort() { return std::getenv("YARD_SHORT") != nullptr; }

// The number in the variable, else `usual`. A text that is no number fails the test.
inline uint64_t Rounds(const char* variable, uint64_t usual) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return usual;
  const std::string_view digits = text;
  uint64_t rounds = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), rounds);
  if (error == std::errc() && end == digits.end()) return rounds;
  ADD_FAILURE() << variable << " is no number: " << digits;
  return usual;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_ROUNDS_H_
