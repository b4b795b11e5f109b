#include "clients/cli/output.h"

#include <nlohmann/json.hpp>

#include "services/triage/decision_json.h"

namespace yardmaster::cli {

Output::Output(const Environment& env, bool quiet) : out_(*env.out), err_(*env.err), quiet_(quiet) {
  const bool colors = env.variable("NO_COLOR").empty() && env.variable("TERM") != "dumb";
  color_ = colors && env.out_is_terminal;
  err_color_ = colors && env.err_is_terminal;
  if (env.out_is_terminal) columns_ = env.columns;
}

void Output::Json(const nlohmann::ordered_json& document) { out_ << DumpLine(document) << '\n'; }

void Output::Error(absl::string_view message) {
  out_.flush();
  err_ << cli::Paint("yard:", Style::kBad, err_color_) << ' ' << message << '\n';
}

void Output::Note(std::string_view message) {
  if (!quiet_) err_ << message << '\n';
}

}  // namespace yardmaster::cli
