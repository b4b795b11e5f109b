// A verb of `yard`: what the command line may say of it, and the function that does its work.
//
// To add one, write verb_NAME.cc with a function as below, declare the function in verbs.h, and name it in the table
// there:
//
//   struct GreetOptions {
//     std::string name;
//     bool loud = false;
//   };
//
//   absl::StatusOr<ExitCode> Greet(const GreetOptions& options, Session& session) {
//     if (options.loud && session.options.quiet) return UsageError("--loud and --quiet exclude each other");
//     session.output.out() << "Hello " << options.name << '\n';
//     return ExitCode::kDone;
//   }
//
//   void AddGreetVerb(Verb& yard) {
//     Verb& greet = yard.Add("greet", "Say hello", {"yard greet Ann", "yard greet Ann --loud"});
//     GreetOptions& options = greet.Runs(Greet);
//     greet.Argument("NAME", &options.name, "Whom to greet").Required();
//     greet.Flag("--loud", &options.loud, "Shout");
//   }
#ifndef YARDMASTER_CLIENTS_CLI_VERB_H_
#define YARDMASTER_CLIENTS_CLI_VERB_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/session.h"
#include "clients/command_line/command.h"

namespace yardmaster::cli {

class Verb : public command_line::Command {
 public:
  // How the verb ends. An error is printed on stderr.
  using Work = std::function<absl::StatusOr<ExitCode>(Session&)>;

  using Command::Command;

  // Adds a verb below this one. `examples` are whole command lines; `note` is what its help tells below them.
  Verb& Add(std::string_view name, std::string_view summary, std::initializer_list<std::string_view> examples,
            std::string_view note = "");

  void Runs(Work work) { work_ = std::move(work); }
  // The verb keeps the options that it runs with; the caller binds them to the command line.
  template <typename Options>
  Options& Runs(absl::StatusOr<ExitCode> (*work)(const Options&, Session&)) {
    const auto options = std::make_shared<Options>();
    work_ = [work, options](Session& session) { return work(*options, session); };
    return *options;
  }

  absl::StatusOr<ExitCode> Run(Session& session) const { return work_(session); }

 private:
  Work work_;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_VERB_H_
