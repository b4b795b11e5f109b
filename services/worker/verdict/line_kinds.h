// What kind of line a program prints: the outcome of a test, a word of another attempt, an error of no known kind.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_LINE_KINDS_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_LINE_KINDS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace yardmaster::worker {

// It has a letter or a digit.
bool SaysAnything(std::string_view text);

enum class TestEnd : uint8_t { kNone, kPassed, kOther };
// `text` is a line without prefix. A test ended there: what stands before it, since the end of the one before, was
// printed while it ran. Also where a list of what failed begins. pytest, GoogleTest, unittest, ctest.
TestEnd TestEndOf(std::string_view text);

// The program tries again what failed: alone it says nothing of how the program ended.
bool SaysRetry(std::string_view text);

// It says that something failed, and neither what nor why: a word of another attempt, pip's and setuptools' words for a
// command of theirs, a heading of pytest's. Another line of the same kind says more.
bool SaysLittle(std::string_view text);

// It ends with an error's number and does not say what that means: "NPU error, error code is 107020".
bool NamesOnlyCode(std::string_view text);

// A line, with what stands in front of it or without, calls itself an error, in a form that loggers, shells, compilers
// and scripts use, or has a place in a file in front as linters do.
bool CallsItselfError(std::string_view text);

// An assertion about a text quotes it: that text is data, and tells of nothing that happened. `buffer` holds what is
// left of such a line.
std::string_view WithoutQuotedData(std::string_view text, std::string& buffer);

// An exception's name and words, also further in, as a summary repeats them.
bool RepeatsException(std::string_view text);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_LINE_KINDS_H_
