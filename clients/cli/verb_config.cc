#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "clients/cli/local_packs.h"
#include "clients/cli/rules_text.h"
#include "clients/cli/verbs.h"
#include "services/core/config.h"
#include "services/packs/answers.h"

namespace yardmaster::cli {
namespace {

struct CheckOptions {
  std::string file;
  bool secrets = false;
};

ExitCode Check(const CheckOptions& options, Session& session) {
  rules::Problems problems;
  ConfigOptions config_options;
  config_options.resolve_secrets = options.secrets;
  const std::optional<Config> config = LoadConfig(options.file, problems, config_options);

  if (session.options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    v1::ValidatePackResponse converted;
    WriteProblems(problems, *converted.mutable_problems());
    for (const v1::PackProblem& problem : converted.problems()) list.push_back(ProblemJson(problem));
    nlohmann::ordered_json answer{{"valid", config.has_value()}, {"problems", list}};
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
              "  yard config check yardmaster.json\n  yard config check yardmaster.json --secrets --json");
  check->add_option("FILE", options->file, "The configuration")->required()->type_name("");
  check->add_flag("--secrets", options->secrets,
                  "Read the secrets, too: files and environment variables must be there");
  check->callback([&chosen, options] { chosen = [options](Session& session) { return Check(*options, session); }; });
}

}  // namespace yardmaster::cli
