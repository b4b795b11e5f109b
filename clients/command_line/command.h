// A command line as data: the options, arguments and verbs of a program. parse.h reads what was typed by it; help and
// completion scripts come from the same data.
//
//   Command program("demo", "Shows how it is done.");
//   program.Help("-h,--help", "Print this help and exit");
//   program.Value("--limit", &limit, "N", "At most so many (default 50)").NotNegative();
//   program.Argument("FILE", &file, "What to read").Required();
#ifndef YARDMASTER_CLIENTS_COMMAND_LINE_COMMAND_H_
#define YARDMASTER_CLIENTS_COMMAND_LINE_COMMAND_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "services/core/address.h"

namespace yardmaster::command_line {

// What an option does: print help, print the version, or fill a variable. A bool is set by its mere name; a vector
// takes every value that is given.
struct PrintHelp {};
struct PrintVersion {};
using Target =
    std::variant<PrintHelp, PrintVersion, bool*, std::string*, std::filesystem::path*, std::optional<HostPort>*, int*,
                 int64_t*, uint64_t*, std::optional<int>*, std::vector<std::string>*>;

// An option, or an argument if its name has no dashes.
struct Option {
  std::string name;  // "--pack"; "-h,--help"; "FILE"
  Target target;
  std::string summary;
  // What stands for the value in help. Completion offers files for "…FILE" and folders for "DIR". nullopt: the type.
  std::optional<std::string> value_name;
  std::vector<std::string> choices;  // the values that are allowed; empty: any
  std::optional<std::pair<int64_t, int64_t>> range;
  std::optional<int> most_values;  // of a vector
  bool not_negative = false;
  bool required = false;
  bool shows_default = false;

  // Each returns the option itself, to say more of it.
  Option& Required();
  Option& OneOf(std::vector<std::string> values);
  Option& Between(int64_t least, int64_t most);
  Option& NotNegative();
  Option& AtMost(int values);
  // Help tells the value that the variable has before parsing.
  Option& ShowsDefault();
};

// A program or one of its verbs. The variables of its options must live as long as it is parsed with.
class Command {
 public:
  Command(std::string_view name, std::string_view summary);
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Adds an option. What is returned is good until the next one is added.
  Option& Flag(std::string_view name, bool* target, std::string_view summary);
  Option& Value(std::string_view name, Target target, std::string_view value_name, std::string_view summary);
  Option& Value(std::string_view name, Target target, std::string_view summary);
  Option& Argument(std::string_view name, Target target, std::string_view summary);
  Option& Help(std::string_view name, std::string_view summary);
  Option& Version(std::string_view name, std::string_view text, std::string_view summary);

  // Adds a verb, which inherits the option for help. Options of the program may also stand behind its verbs.
  void AddVerb(std::unique_ptr<Command> verb);

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::string& version() const { return version_; }
  const std::vector<Option>& options() const { return options_; }
  const std::vector<std::unique_ptr<Command>>& verbs() const { return verbs_; }

  // What help tells behind the options.
  std::string footer;
  // It also does something without a verb.
  bool verb_optional = false;
  // An option that is given twice counts as the last one says; else it is an error.
  bool last_value_wins = false;
  // The column of help in which summaries of options begin; for a program, not for its verbs.
  size_t summary_column = 30;

 private:
  Option& AddOption(std::string_view name, Target target, std::string_view summary);

  std::string name_;
  std::string summary_;
  std::string version_;
  std::vector<Option> options_;
  std::vector<std::unique_ptr<Command>> verbs_;
};

}  // namespace yardmaster::command_line

#endif  // YARDMASTER_CLIENTS_COMMAND_LINE_COMMAND_H_
