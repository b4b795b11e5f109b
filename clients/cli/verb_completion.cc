#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "clients/cli/completion.h"
#include "clients/cli/verbs.h"

namespace yardmaster::cli {

void AddCompletionVerb(CLI::App& app, Verb& chosen) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb = AddVerb(app, "completion", "Print a completion script for a shell",
                           "  source <(yard completion bash)\n"
                           "  yard completion zsh > ~/.zfunc/_yard");
  verb->add_option("SHELL", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  verb->callback([&chosen, shell] {
    chosen = [shell](Session& session) {
      // A command line of its own: the one that was parsed is not the verb's to look at.
      CLI::App tree;
      GlobalOptions options;
      Verb unused;
      BuildCommandLine(tree, options, unused);
      session.output.out() << (*shell == "bash" ? BashCompletion(tree) : ZshCompletion(tree));
      return ExitCode::kDone;
    };
  });
}

}  // namespace yardmaster::cli
