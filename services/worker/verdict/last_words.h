// What a rank said of its failure where no signature knows it.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_LAST_WORDS_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_LAST_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "services/worker/logs/log.h"
#include "services/worker/verdict/rank_view.h"
#include "services/worker/verdict/telling.h"

namespace yardmaster::worker {

struct LastWords {
  LogLine line;
  Telling telling = Telling::kNothing;
};

// Of the last `lines` of a rank, until `until`, before the line `before` and without the line `except`, the one that
// tells most of a failure; the last that says anything where none does.
std::optional<LastWords> LastWordsOf(const StepContext& context, int rank, size_t lines, int64_t until,
                                     uint64_t before = std::numeric_limits<uint64_t>::max(), uint64_t except = 0);

// What stands below `line` on its rank and completes it (`Completion`).
std::string WordsBelow(LogReader& log, const LogLine& line);

// Of what a test printed that ctest names in `line` as failed, the line that says most of why: ctest shows it below,
// or, where it shows all as it comes, above, behind the number of the test. Empty if `line` names none, or nothing says
// why.
std::string PrintedByTest(const StepContext& context, const LogLine& line);

// What raised the exception that `line` names without a word about it: the statement right above, as Python's
// tracebacks and pytest show it. Empty if the line says more than a name, or nothing is shown.
std::string RaisedBy(LogReader& log, const LogLine& line);
// The same for a line of a failed test's message.
std::string RaisedIn(std::string_view message, std::string_view line);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_LAST_WORDS_H_
