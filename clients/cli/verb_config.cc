#include <optional>
#include <string>
#include <vector>

#include "clients/cli/answer.h"
#include "clients/cli/files.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/rules_text.h"
#include "clients/cli/verbs.h"
#include "services/commands/repository_file.h"
#include "services/core/config/config.h"
#include "services/core/limits.h"
#include "services/core/rpc/contract_options.h"
#include "services/core/status_macros.h"

namespace yardmaster::cli {
namespace {

struct CheckOptions {
  std::string file;             // of a daemon
  std::string repository_file;  // of a repository or an organisation
  std::vector<std::string> packs;
  bool secrets = false;
};

// The file that a repository keeps about the bot, against the packs at hand: before it is pushed.
absl::StatusOr<ExitCode> CheckRepositoryFile(const CheckOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const auto file, InputFile::Open(options.repository_file, session.env));
  ASSIGN_OR_RETURN(const std::string text, file->ReadAll(kMaxRepositoryFileBytes));
  ASSIGN_OR_RETURN(const auto packs, CompileLocalPacks(session));
  const Problems problems = commands::ValidateRepositoryFile(file->name(), text, {options.packs, packs.get()});
  if (session.options.json) {
    session.output.Json({{"valid", problems.empty()}, {"problems", JsonList(problems, ProblemJson)}});
    return problems.empty() ? ExitCode::kDone : ExitCode::kUsage;
  }
  if (!problems.empty()) return ProblemsError("the file is not valid:", problems);
  session.output.out() << session.output.Paint("ok", Style::kGood) << "  " << file->name() << '\n';
  if (options.packs.empty()) {
    session.output.Note("held against all packs; --pack names those that the service allows the repository");
  }
  return ExitCode::kDone;
}

absl::StatusOr<ExitCode> CheckConfig(const CheckOptions& options, Session& session) {
  if (options.file.empty() == options.repository_file.empty()) {
    return UsageError("expected either FILE or --repository-file FILE");
  }
  if (!options.repository_file.empty()) return CheckRepositoryFile(options, session);
  Problems problems;
  ConfigOptions config_options;
  config_options.resolve_secrets = options.secrets;
  config_options.jobs = ReadJobWords();
  const std::optional<Config> config = LoadConfig(options.file, problems, config_options);
  if (session.options.json) {
    using Texts = std::vector<std::string>;
    session.output.Json({{"valid", config.has_value()},
                         {"problems", JsonList(problems, ProblemJson)},
                         {"warnings", config.has_value() ? config->warnings : Texts()}});
    return config.has_value() ? ExitCode::kDone : ExitCode::kUsage;
  }
  if (!config.has_value()) return ProblemsError("the configuration is not valid:", problems);
  session.output.out() << session.output.Paint("ok", Style::kGood) << "  " << options.file << '\n';
  for (const std::string& warning : config->warnings) session.output.Note("warning: " + warning);
  if (!options.secrets) session.output.Note("secrets were checked in form only; --secrets reads them, too");
  return ExitCode::kDone;
}

}  // namespace

void AddConfigVerbs(Verb& yard) {
  Verb& config = yard.Add("config", "Look at configurations of yardmasterd", {"yard config check yardmaster.json"});
  Verb& check = config.Add("check", "Check a configuration and name every problem by line",
                           {"yard config check yardmaster.json", "yard config check yardmaster.json --secrets --json",
                            "yard config check --repository-file .github/yardmaster.json"});
  CheckOptions& options = check.Runs(CheckConfig);
  check.Argument("FILE", &options.file, "The configuration of a daemon");
  check.Value("--repository-file", &options.repository_file, "FILE",
              "Instead: the yardmaster.json of a repository or an organisation");
  check.Value("--pack", &options.packs, "PACK",
              "With --repository-file: a pack that the service allows the repository; may be repeated");
  check.Flag("--secrets", &options.secrets, "Read the secrets, too: files and environment variables must be there");
}

}  // namespace yardmaster::cli
