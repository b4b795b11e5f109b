// What kind of line a program prints: the outcome of a test, a word of another attempt, an error's number, quoted data.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_LINE_KINDS_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_LINE_KINDS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace yardmaster::worker {

// It has a letter, a digit or a Chinese character.
bool SaysAnything(std::string_view text);

// Loggers' words for a warning, and those of compilers: "UserWarning: …", "[W503 01:52:07 socket.cpp:204] …",
// "a.cc:3:4: warning: …". `text` is the whole line.
bool IsWarning(std::string_view text);

// It is shown and not said: a frame, source, a mark below it, a heading.
bool IsShown(std::string_view text);

enum class TestEnd : uint8_t { kNone, kPassed, kOther };
// `text` is a line without prefix. A test ended there: what stands before it, since the end of the one before, was
// printed while it ran. Also where a list of what failed begins. pytest, GoogleTest, unittest, ctest.
TestEnd TestEndOf(std::string_view text);
// What a test printed behind its own name, where a runner had left the line open for its outcome: "a.py::test_b Fatal
// Python error: …", "test_b (m.T) ... Process 3:". The whole line where there is nothing of that kind.
std::string_view BehindTestName(std::string_view text);

// Why a test failed, as pytest's list of them repeats it: "FAILED a.py::test_b - ValueError: 3". Empty for other lines.
std::string_view BehindFailedTest(std::string_view text);

// Pytest's word for a test that was skipped or did as was expected: its reason is no failure.
bool ExcusesTest(std::string_view text);

// A line of one of two texts that pytest compared, below an assertion: "- Segmentation fault", "+ killed", "?  ^^^".
bool ShowsDifference(std::string_view text);

// What level a logger put on a line, behind the time: "2026-05-01 12:00:00,101 ERROR ckpt: no plan", "INFO:run:step 3".
enum class LogLevel : uint8_t { kNone, kInfo, kFailure };
LogLevel LevelOf(std::string_view line);

// What Python only warns of: "/w/plan.py:3: UserWarning: slow".
bool IsWarnedByPython(std::string_view text);

// The program tries again what failed: alone it says nothing of how the program ended.
bool SaysRetry(std::string_view text);

// What a script or a program looked for and may do without: a shell finds no program, a linker no library.
bool SaysNotFound(std::string_view text);
bool IsLinkersWord(std::string_view text);

// The program goes on without what failed: another attempt, another way.
bool SaysItGoesOn(std::string_view text);

// It ends with an error's number and does not say what that means: "NPU error, error code is 107020".
bool NamesOnlyCode(std::string_view text);

// An assertion about a text quotes it: that text is data, and tells of nothing that happened. `buffer` holds what is
// left of such a line.
std::string_view WithoutQuotedData(std::string_view text, std::string& buffer);

// That of the signals is an abort: whoever aborts mostly has said why.
bool SaysAborted(std::string_view text);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_LINE_KINDS_H_
