#include <CLI/CLI.hpp>
#include <string>

#include "clients/cli/verbs.h"
#include "services/core/version.h"

namespace yardmaster::cli {

void AddVersionVerb(CLI::App& app, Verb& chosen) {
  CLI::App* verb = AddVerb(app, "version", "Print the version", "  yard version\n  yard version --json");
  verb->callback([&chosen] {
    chosen = [](Session& session) {
      if (session.options.json) {
        session.output.Json({{"name", "yard"}, {"version", std::string(kVersion)}});
      } else {
        session.output.out() << "yard " << kVersion << '\n';
      }
      return ExitCode::kDone;
    };
  });
}

}  // namespace yardmaster::cli
