#include "services/yardworker/outcome.h"

#include <nlohmann/json.hpp>

#include "services/core/utf8.h"
#include "services/worker/results/result_files.h"

namespace yardmaster::yardworker {
namespace {

constexpr size_t kMaxCauseBytes = 4'000;
constexpr size_t kMaxNoteBytes = 1'000;
// The server takes 64.
constexpr int kMostNotes = 60;

}  // namespace

std::string FitForMessage(std::string_view text, size_t max_bytes) {
  std::string out;
  // A byte that is replaced takes three.
  AppendValidUtf8(CutUtf8(text, max_bytes), out);
  return std::string(CutUtf8(out, max_bytes));
}

v1::FinishRunRequest OutcomeOfResult(const worker::RunResult& run) {
  v1::FinishRunRequest outcome;
  const nlohmann::ordered_json json = worker::ResultJson(run);
  outcome.set_verdict(json.value("verdict", "error"));
  if (const auto cause = json.find("cause"); cause != json.end() && cause->is_object()) {
    outcome.mutable_cause()->set_class_name(cause->value("class", ""));
  }
  outcome.mutable_cause()->set_text(FitForMessage(run.reason, kMaxCauseBytes));
  for (const std::string& note : run.notes) AddNote(note, outcome);
  return outcome;
}

v1::FinishRunRequest OutcomeOfFailure(std::string_view verdict, std::string_view class_name, std::string_view why) {
  v1::FinishRunRequest outcome;
  outcome.set_verdict(std::string(verdict));
  outcome.mutable_cause()->set_class_name(std::string(class_name));
  outcome.mutable_cause()->set_text(FitForMessage(why, kMaxCauseBytes));
  return outcome;
}

void AddNote(std::string_view note, v1::FinishRunRequest& outcome) {
  if (note.empty() || outcome.notes_size() >= kMostNotes) return;
  outcome.add_notes(FitForMessage(note, kMaxNoteBytes));
}

}  // namespace yardmaster::yardworker
