#include <string>

#include "clients/cli/completion.h"
#include "clients/cli/verbs.h"

namespace yardmaster::cli {

void AddCompletionVerb(Verb& yard) {
  Verb& completion = yard.Add("completion", "Print a completion script for a shell",
                              {"source <(yard completion bash)", "yard completion zsh > ~/.zfunc/_yard"});
  const auto shell = std::make_shared<std::string>();
  completion.Value("SHELL", shell.get(), "bash or zsh").OneOf({"bash", "zsh"}).Required();
  completion.Runs([&yard, shell](Session& session) {
    session.output.out() << (*shell == "bash" ? BashCompletion(yard) : ZshCompletion(yard));
    return ExitCode::kDone;
  });
}

}  // namespace yardmaster::cli
