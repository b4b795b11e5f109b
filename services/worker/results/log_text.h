// The log of a step as a text that any program shows, beside the packed one.
#ifndef YARDMASTER_SERVICES_WORKER_RESULTS_LOG_TEXT_H_
#define YARDMASTER_SERVICES_WORKER_RESULTS_LOG_TEXT_H_

#include <cstddef>
#include <string>

#include "services/worker/logs/log.h"

namespace yardmaster::worker {

// Of a longer log the beginning and the end are kept, and between them it says how many lines are left out.
inline constexpr size_t kMaxLogTextBytes = 1024 * 1024;

// What the text is called: "steps/x/log" → "steps/x/log.txt".
std::string LogTextPath(const std::string& log);

// A line each: time since the step began, rank, text; without escape sequences of terminals.
std::string LogText(LogReader& log);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RESULTS_LOG_TEXT_H_
