// How a run ended, as it is told to the control plane: short enough for it, and fit for a message, whatever tests
// printed or called their files.
#ifndef YARDMASTER_SERVICES_YARDWORKER_OUTCOME_H_
#define YARDMASTER_SERVICES_YARDWORKER_OUTCOME_H_

#include <string>
#include <string_view>

#include "services/worker/results/run_result.h"
#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::yardworker {

// The first `max_bytes` bytes of a text as valid UTF-8.
std::string FitForMessage(std::string_view text, size_t max_bytes);

// Verdict, cause and notes of a result; without job, fence and artifacts.
v1::FinishRunRequest OutcomeOfResult(const worker::RunResult& run);
// An end that is no result: `class_name` is one of the classes of a result; empty: none.
v1::FinishRunRequest OutcomeOfFailure(std::string_view verdict, std::string_view class_name, std::string_view why);
// Adds a note, as long as there is room for it.
void AddNote(std::string_view note, v1::FinishRunRequest& outcome);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_OUTCOME_H_
