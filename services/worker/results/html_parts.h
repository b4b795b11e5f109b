// The parts of report.html. Each returns a piece of markup in which every text of a test, a log or a tool is escaped
// and cut, and whose size does not grow with the run beyond its limits: what is left out is counted, and said.
#ifndef YARDMASTER_SERVICES_WORKER_RESULTS_HTML_PARTS_H_
#define YARDMASTER_SERVICES_WORKER_RESULTS_HTML_PARTS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "services/worker/results/run_result.h"

namespace yardmaster::worker::html {

// Limits of one page, so that a browser opens it at once. A part that has reached its bytes ends after the piece that
// it is at, so that the page has less than 8 MB.
inline constexpr size_t kMaxStepsBytes = 2'500'000;
inline constexpr size_t kMaxTestsBytes = 3'000'000;
inline constexpr size_t kMaxTensorsBytes = 1'500'000;
inline constexpr size_t kMaxTestRows = 6'000;           // a test with all its ranks is one row
inline constexpr size_t kMaxMessagesBytes = 1'500'000;  // of all tests together
inline constexpr size_t kMaxMessageBytes = 4'000;       // of one test
inline constexpr size_t kMaxNameBytes = 300;
inline constexpr size_t kMaxSteps = 1'000;
inline constexpr size_t kMaxLanes = 3'000;  // of all timelines together; a rank of a step is one
inline constexpr size_t kMaxTensors = 300;  // a tensor of a step with all its ranks is one
inline constexpr size_t kMaxTensorRanks = 64;
inline constexpr size_t kMaxExcerptLineBytes = 2'000;
inline constexpr size_t kMaxNotes = 200;

// The style sheet, and the script that folds and filters. Without the script everything is shown.
std::string_view StyleSheet();
std::string_view Script();

// "passed", "not run", …: what people read, and the class that colours it.
std::string VerdictBadge(Verdict verdict);
std::string_view VerdictText(Verdict verdict);
// Worse ones first, for lists: 0 is a failure.
int ShowOrder(Verdict verdict);

std::string Name(std::string_view text);
std::string Cause(const worker::Cause& cause);

std::string LayerStrip(const RunResult& run);
std::string StepList(const RunResult& run);
std::string TestTable(const RunResult& run);
// Empty where nothing was compared.
std::string TensorPictures(const RunResult& run);

}  // namespace yardmaster::worker::html

#endif  // YARDMASTER_SERVICES_WORKER_RESULTS_HTML_PARTS_H_
