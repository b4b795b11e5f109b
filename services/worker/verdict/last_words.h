// What a rank said of its failure where no signature knows it.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_LAST_WORDS_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_LAST_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "services/worker/logs/log.h"

namespace yardmaster::worker {

struct LastWords {
  LogLine line;
  bool error = false;  // it calls itself an error; else it is the last line
};

// Of the last `lines` of a rank, until `until` and before the line `before`: the first that repeats an exception, else
// the first that calls itself an error and says more than which test failed, else the first that names a failed test,
// else the last that says anything.
std::optional<LastWords> LastWordsOf(LogReader& log, int rank, size_t lines, int64_t until,
                                     uint64_t before = std::numeric_limits<uint64_t>::max());

// The line below `line` on its rank, where `line` ends with a colon and so says nothing by itself, or below the source
// that it shows; empty if it does not, or if a traceback is below.
std::string LineBelowColon(LogReader& log, const LogLine& line);

// What raised the exception that `line` names without a word about it: the statement right above, as Python's
// tracebacks and pytest show it. Empty if the line says more than a name, or nothing is shown.
std::string RaisedBy(LogReader& log, const LogLine& line);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_LAST_WORDS_H_
