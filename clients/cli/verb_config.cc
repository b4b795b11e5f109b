#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clients/cli/files.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/rules_text.h"
#include "clients/cli/verbs.h"
#include "services/commands/repository_file.h"
#include "services/core/config/config.h"
#include "services/core/limits.h"
#include "services/packs/answers.h"

namespace yardmaster::cli {
namespace {

struct CheckOptions {
  std::string file;             // of a daemon
  std::string repository_file;  // of a repository or an organisation
  std::vector<std::string> packs;
  bool secrets = false;
};

nlohmann::ordered_json ProblemList(const Problems& problems) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  v1::ValidatePackResponse converted;
  WriteProblems(problems, *converted.mutable_problems());
  for (const v1::PackProblem& problem : converted.problems()) list.push_back(ProblemJson(problem));
  return list;
}

// The file that a repository keeps about the bot, against the packs at hand: before it is pushed.
ExitCode CheckRepositoryFile(const CheckOptions& options, Session& session) {
  std::string error;
  const std::unique_ptr<InputFile> file = InputFile::Open(options.repository_file, session.env, error);
  const std::optional<std::string> text =
      file == nullptr ? std::nullopt : file->ReadAll(kMaxRepositoryFileBytes, error);
  if (!text.has_value()) {
    session.output.Error(error);
    return ExitCode::kUsage;
  }
  const std::shared_ptr<const PackSet> packs = CompileLocalPacks(session);
  if (packs == nullptr) return ExitCode::kUsage;
  const Problems problems = commands::ValidateRepositoryFile(file->name(), *text, {options.packs, packs.get()});
  if (session.options.json) {
    session.output.Json({{"valid", problems.empty()}, {"problems", ProblemList(problems)}});
  } else if (problems.empty()) {
    session.output.out() << Paint("ok", Style::kGood, session.output.color()) << "  " << file->name() << '\n';
    if (options.packs.empty()) {
      session.output.Note("held against all packs; --pack names those that the service allows the repository");
    }
  } else {
    session.output.Error("the file is not valid:");
    ReportProblems(session, problems);
  }
  return problems.empty() ? ExitCode::kDone : ExitCode::kUsage;
}

ExitCode Check(const CheckOptions& options, Session& session) {
  if (options.file.empty() == options.repository_file.empty()) {
    session.output.Error("expected either FILE or --repository-file FILE");
    return ExitCode::kUsage;
  }
  if (!options.repository_file.empty()) return CheckRepositoryFile(options, session);
  Problems problems;
  ConfigOptions config_options;
  config_options.resolve_secrets = options.secrets;
  const std::optional<Config> config = LoadConfig(options.file, problems, config_options);

  if (session.options.json) {
    nlohmann::ordered_json answer{{"valid", config.has_value()}, {"problems", ProblemList(problems)}};
    answer["warnings"] = nlohmann::ordered_json::array();
    answer["later_sections"] = nlohmann::ordered_json::array();
    if (config.has_value()) {
      for (const std::string& warning : config->warnings) answer["warnings"].push_back(warning);
      for (const std::string& section : config->later_sections) answer["later_sections"].push_back(section);
    }
    session.output.Json(answer);
    return config.has_value() ? ExitCode::kDone : ExitCode::kUsage;
  }
  if (!config.has_value()) {
    session.output.Error("the configuration is not valid:");
    ReportProblems(session, problems);
    return ExitCode::kUsage;
  }
  session.output.out() << Paint("ok", Style::kGood, session.output.color()) << "  " << options.file << '\n';
  for (const std::string& warning : config->warnings) session.output.Note("warning: " + warning);
  std::string later;
  for (const std::string& section : config->later_sections) later += (later.empty() ? "" : ", ") + section;
  if (!later.empty()) session.output.Note("accepted, but without effect in this version: " + later);
  if (!options.secrets) session.output.Note("secrets were checked in form only; --secrets reads them, too");
  return ExitCode::kDone;
}

}  // namespace

void AddConfigVerbs(CLI::App& app, Verb& chosen) {
  CLI::App* config =
      AddVerb(app, "config", "Look at configurations of yardmasterd", "  yard config check yardmaster.json");
  config->require_subcommand(1);
  auto options = std::make_shared<CheckOptions>();
  CLI::App* check =
      AddVerb(*config, "check", "Check a configuration and name every problem by line",
              "  yard config check yardmaster.json\n  yard config check yardmaster.json --secrets --json\n"
              "  yard config check --repository-file .github/yardmaster.json");
  check->add_option("FILE", options->file, "The configuration of a daemon")->type_name("");
  check
      ->add_option("--repository-file", options->repository_file,
                   "Instead: the yardmaster.json of a repository or an organisation")
      ->type_name("FILE");
  check
      ->add_option("--pack", options->packs,
                   "With --repository-file: a pack that the service allows the repository; may be repeated")
      ->type_name("PACK");
  check->add_flag("--secrets", options->secrets,
                  "Read the secrets, too: files and environment variables must be there");
  check->callback([&chosen, options] { chosen = [options](Session& session) { return Check(*options, session); }; });
}

}  // namespace yardmaster::cli
