// What the message of a failed test says.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_HEADLINE_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_HEADLINE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::worker {

// Blanks and tabs in front of a line; all of it where there is nothing else.
size_t IndentOf(std::string_view line);

// pytest marks the lines of an error among those of the source: "E       assert 1 == 2".
bool IsErrorLine(std::string_view line);

// The message of a failed test without the lines of source that pytest shows with it: a "raise OutOfMemory" in them is
// nothing that happened.
std::vector<std::string_view> ErrorLines(std::string_view message);

// The line of a failed test's message that says what went wrong. In the message of a wrapper that is the exception of
// the process that the test started, or of the module that it could not import.
std::string_view Headline(std::string_view message);

// `headline` of `message`, with the lines below that complete it.
std::string WithLineBelow(std::string_view headline, std::string_view message);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_HEADLINE_H_
