#include "clients/cli/batch.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "clients/cli/exit_code.h"
#include "services/core/status_macros.h"
#include "services/triage/decision_json.h"

namespace yardmaster::cli {

absl::StatusOr<std::vector<EvalCase>> ReadIssues(const std::string& path, const Environment& env,
                                                 absl::string_view message) {
  ASSIGN_OR_RETURN(const std::unique_ptr<InputFile> input, InputFile::Open(path, env));
  Problems problems;
  std::optional<std::vector<EvalCase>> cases = ReadEvalLines(input->stream(), input->name(), EvalLimits(), problems);
  if (!cases.has_value()) return ProblemsError(message, problems);
  return *std::move(cases);
}

absl::StatusOr<Predictions> Predictions::Create(const std::string& path, Session& session) {
  Predictions predictions;
  predictions.out_ = &session.output.out();
  if (path.empty() || path == "-") return predictions;
  predictions.path_ = path;
  ASSIGN_OR_RETURN(predictions.file_, OutputFile::Create(path, session.env));
  predictions.out_ = &predictions.file_->stream();
  return predictions;
}

absl::Status Predictions::Write(const nlohmann::ordered_json& line) {
  *out_ << DumpLine(line) << '\n';
  return out_->good() ? absl::OkStatus() : SystemError("the predictions can't be written");
}

absl::Status Predictions::Commit() { return to_file() ? file_->Commit() : absl::OkStatus(); }

}  // namespace yardmaster::cli
