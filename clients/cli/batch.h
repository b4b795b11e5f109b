// Many issues or phrases at once: the file that they come from, and where the answers go.
#ifndef YARDMASTER_CLIENTS_CLI_BATCH_H_
#define YARDMASTER_CLIENTS_CLI_BATCH_H_

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "clients/cli/files.h"
#include "clients/cli/session.h"
#include "services/triage/eval_lines.h"

namespace yardmaster::cli {

// The issues of a file, one a line. `message` is what the error says above the problems of a bad file.
absl::StatusOr<std::vector<EvalCase>> ReadIssues(const std::string& path, const Environment& env,
                                                 absl::string_view message);

// The answers, a JSON line each: in a file that appears whole or not at all, or on stdout.
class Predictions {
 public:
  // `path` empty or "-": stdout.
  static absl::StatusOr<Predictions> Create(const std::string& path, Session& session);

  absl::Status Write(const nlohmann::ordered_json& line);
  // The file is there only now.
  absl::Status Commit();

  bool to_file() const { return file_ != nullptr; }
  // " → out.jsonl"; empty for stdout.
  std::string Destination() const { return to_file() ? " → " + path_ : ""; }

 private:
  Predictions() = default;
  std::string path_;
  std::unique_ptr<OutputFile> file_;  // null: stdout
  std::ostream* out_ = nullptr;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_BATCH_H_
