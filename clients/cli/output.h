// Where answers and messages of `yard` go: stdout has the answer only, stderr everything else.
#ifndef YARDMASTER_CLIENTS_CLI_OUTPUT_H_
#define YARDMASTER_CLIENTS_CLI_OUTPUT_H_

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <string_view>

#include "absl/strings/string_view.h"
#include "clients/cli/environment.h"
#include "clients/cli/style.h"

namespace yardmaster::cli {

class Output {
 public:
  Output(const Environment& env, bool quiet);

  // The answer.
  std::ostream& out() { return out_; }
  // The answer as one JSON document on one line.
  void Json(const nlohmann::ordered_json& document);

  // stderr: what went wrong ("yard: …"). Always written.
  void Error(absl::string_view message);
  // stderr: what is good to know; not with --quiet.
  void Note(std::string_view message);

  // True if the answer goes to a terminal that shows colours and NO_COLOR is not set.
  bool color() const { return color_; }
  // The same for stderr.
  bool err_color() const { return err_color_; }
  // A piece of the answer in its style.
  std::string Paint(std::string_view text, Style style) const { return cli::Paint(text, style, color_); }
  // Columns for the answer; 0 = no limit (not a terminal).
  int columns() const { return columns_; }
  bool quiet() const { return quiet_; }

 private:
  std::ostream& out_;
  std::ostream& err_;
  bool color_ = false;
  bool err_color_ = false;
  int columns_ = 0;
  bool quiet_ = false;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_OUTPUT_H_
