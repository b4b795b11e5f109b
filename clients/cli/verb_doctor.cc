// `yard doctor`: whether forges, credentials, repositories and webhooks are set up so that the daemon can work, and
// what to do where they are not. Reads from the live forges and never writes.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/server_health.h"
#include "clients/cli/subject_argument.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "clients/doctor/checks.h"
#include "clients/doctor/facts.h"
#include "clients/forge/http_curl.h"
#include "services/core/absl_view.h"
#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/core/repository_name.h"
#include "services/core/rpc/contract_options.h"
#include "services/core/status_macros.h"
#include "services/core/version.h"
#include "services/packs/label_check.h"

namespace yardmaster::cli {
namespace {

using doctor::CheckedThing;
using doctor::Finding;
using doctor::State;

constexpr const char* kDefaultConfig = "/etc/yardmaster/config.json";

struct DoctorOptions {
  std::string config;
  std::string repository;
};

// The packs by name; each is compiled when the first repository uses it.
class PackLabels {
 public:
  // `packs_dir`: of the configuration; --packs goes before it.
  static absl::StatusOr<PackLabels> Open(const Session& session, const std::string& packs_dir) {
    GlobalOptions options = session.options;
    if (options.packs.empty()) options.packs = {packs_dir};
    PackLabels packs;
    ASSIGN_OR_RETURN(packs.folder_, LocalPacksFolder({session.env, options, session.output}));
    return packs;
  }

  std::vector<std::string> Problems(const RepositoryConfig& entry, const std::vector<ForgeLabel>& labels,
                                    const LabelRules& rules) {
    RepositoryLabels repository{{}, rules.min_characters, rules.max_characters};
    for (const ForgeLabel& label : labels) repository.names.push_back(label.name);
    std::vector<std::string> problems;
    for (const std::string& name : entry.packs) {
      absl::StatusOr<std::shared_ptr<const rules::CompiledPack>>& pack =
          packs_.try_emplace(name, CompileLocalPack(folder_, name)).first->second;
      if (!pack.ok()) {
        problems.emplace_back(FirstLine(pack.status()));
        continue;
      }
      v1::LabelCheck check;
      CheckLabels((*pack)->model(), repository, check);
      for (const v1::LabelFinding& finding : check.findings()) problems.push_back(finding.message());
    }
    // Packs that build on one another have labels in common.
    absl::c_sort(problems);
    problems.erase(std::unique(problems.begin(), problems.end()), problems.end());
    return problems;
  }

  // Without the hints below it.
  static std::string FirstLine(const absl::Status& status) {
    const std::string_view message(status.message().data(), status.message().size());
    return std::string(message.substr(0, message.find('\n')));
  }

 private:
  PacksFolder folder_;
  std::map<std::string, absl::StatusOr<std::shared_ptr<const rules::CompiledPack>>> packs_;
};

// The repositories of a forge to look at: the one that was named, or all that are configured by name.
std::vector<std::string> RepositoriesOf(const Config& config, const std::string& forge,
                                        const std::optional<RepositoryArgument>& only,
                                        std::vector<CheckedThing>& findings) {
  if (only.has_value()) return {only->repository};
  std::vector<std::string> names;
  for (const RepositoryConfig& entry : config.repositories) {
    if (entry.forge != forge) continue;
    if (entry.repository.ends_with("/*")) {
      const std::string subject = QualifiedName(forge, entry.repository);
      findings.push_back({subject, "repository", doctor::Skipped("stands for many", "name one with --repository")});
    } else {
      names.push_back(entry.repository);
    }
  }
  return names;
}

absl::Status CheckForge(const Session& session, const Config& config, const ForgeConfig& forge,
                        const std::optional<RepositoryArgument>& only, PackLabels& packs,
                        std::vector<CheckedThing>& findings) {
  CurlHttpOptions http_options;
  http_options.origins = {forge.api_url};
  http_options.user_agent = absl::StrCat("yard/", Abs(kVersion));
  http_options.proxy = config.proxy;
  ASSIGN_OR_RETURN(const std::unique_ptr<HttpClient> http, MakeCurlHttpClient(std::move(http_options)));
  const SystemClock clock;
  SystemWaiter waiter;
  doctor::ForgeFacts facts{config, forge, *forge.profile,
                           doctor::DescribeProxy(config.proxy, forge.api_url, session.env.variable)};
  const ForgeEnvironment environment{
      *http,
      clock,
      waiter,
      /*metrics=*/nullptr,
      /*seed=*/0,
      /*on_secret=*/nullptr,
      [&facts](std::string_view, std::chrono::seconds ahead) { facts.clock_ahead = ahead; }};
  ASSIGN_OR_RETURN(const std::unique_ptr<StoppableForge> client, MakeForge(forge, environment));

  facts.account = doctor::ReadAccount(*client);
  absl::c_move(doctor::RunChecks(doctor::ForgeChecks(), forge.name, facts), std::back_inserter(findings));
  for (const std::string& repository : RepositoriesOf(config, forge.name, only, findings)) {
    const doctor::RepositoryFacts repository_facts =
        doctor::ReadRepositoryFacts(*client, facts, repository,
                                    [&packs](const RepositoryConfig& entry, const std::vector<ForgeLabel>& labels,
                                             const LabelRules& rules) { return packs.Problems(entry, labels, rules); });
    absl::c_move(doctor::RunChecks(doctor::RepositoryChecks(), QualifiedName(forge.name, repository), repository_facts),
                 std::back_inserter(findings));
  }
  return absl::OkStatus();
}

// What the daemon itself says, where one runs.
absl::Status CheckDaemon(const Session& session, std::vector<CheckedThing>& findings) {
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/false));
  const absl::StatusOr<ServerHealth> health = AskHealth(server);
  const auto add = [&](Finding finding) { findings.push_back({session.options.server, "daemon", std::move(finding)}); };
  if (!health.ok()) {
    add(doctor::Skipped(PackLabels::FirstLine(health.status()),
                        "start yardmasterd before you make the webhook; --server HOST:PORT names another address"));
    return absl::OkStatus();
  }
  add(health->serving ? doctor::Ok("serves") : doctor::Problem("does not serve: it starts or drains", "see its log"));
  for (const v1::Notice& notice : health->notices) add(doctor::Warning(notice.key(), notice.text()));
  if (!health->notices_hidden.empty()) {
    add(doctor::Skipped("what it wants fixed is for viewers only", "give a token: --token-file ops.token"));
  }
  return absl::OkStatus();
}

Style StyleOf(State state) {
  constexpr Style kStyles[] = {Style::kGood, Style::kWarning, Style::kBad, Style::kFaint};
  return kStyles[static_cast<size_t>(state)];
}

// "problem  github:octo/repo  contents: files can't be read → add …".
std::string DoctorText(const std::vector<CheckedThing>& findings, const Output& output) {
  constexpr int kStateColumns = 7;
  std::string text;
  for (const CheckedThing& thing : findings) {
    const std::string state = PadRight(StateName(thing.finding.state), kStateColumns);
    absl::StrAppend(&text, output.Paint(state, StyleOf(thing.finding.state)), "  ", thing.subject, "  ",
                    Abs(thing.check), ": ", Printable(thing.finding.text));
    if (!thing.finding.fix.empty()) absl::StrAppend(&text, " → ", Printable(thing.finding.fix));
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json FindingsJson(const std::vector<CheckedThing>& findings) {
  const auto row = [](const CheckedThing& thing) {
    return nlohmann::ordered_json{{"subject", thing.subject},
                                  {"check", thing.check},
                                  {"state", StateName(thing.finding.state)},
                                  {"what", thing.finding.text},
                                  {"fix", thing.finding.fix}};
  };
  return {{"checks", JsonList(findings, row)}};
}

absl::StatusOr<ExitCode> Doctor(const DoctorOptions& options, Session& session) {
  if (session.options.local) return UsageError("'yard doctor' asks forges: --local makes no sense here");
  std::optional<RepositoryArgument> only;
  if (!options.repository.empty()) {
    ASSIGN_OR_RETURN(only, ParseRepository(options.repository));
  }
  Problems problems;
  ConfigOptions config_options;
  config_options.jobs = ReadJobWords();
  const std::optional<Config> config =
      LoadConfig(options.config.empty() ? kDefaultConfig : options.config, problems, config_options);
  if (!config.has_value()) return ProblemsError("the configuration is not valid:", problems);
  if (only.has_value() && !config->forges.contains(only->forge)) {
    return UsageError(absl::StrCat("--repository: the forge '", only->forge, "' is not configured"));
  }

  ASSIGN_OR_RETURN(PackLabels packs, PackLabels::Open(session, config->packs_dir.string()));
  std::vector<CheckedThing> findings;
  for (const auto& [name, forge] : config->forges) {
    if (only.has_value() && only->forge != name) continue;
    RETURN_IF_ERROR(CheckForge(session, *config, forge, only, packs, findings));
  }
  RETURN_IF_ERROR(CheckDaemon(session, findings));
  PrintAnswer(findings, FindingsJson, DoctorText, session);
  return absl::c_any_of(findings, [](const CheckedThing& thing) { return thing.finding.state == State::kProblem; })
             ? ExitCode::kNegative
             : ExitCode::kDone;
}

}  // namespace

void AddDoctorVerb(Verb& yard) {
  Verb& verb = yard.Add("doctor", "Check credentials, permissions, labels and webhooks against the live forges",
                        {"yard doctor --config yardmaster.json", "yard doctor --repository github:octo/repo --json"},
                        "Reads only. One line for each check: ok, warning, problem or skipped, and what to do.\n"
                        "Exit code: 0 no problem; 1 there is one; 2 the configuration is not valid.");
  DoctorOptions& options = verb.Runs(Doctor);
  verb.Value("--config", &options.config, "FILE",
             absl::StrCat("The daemon's configuration (default ", kDefaultConfig, ")"));
  verb.Value("--repository", &options.repository, "FORGE:OWNER/REPO",
             "This repository only, configured or not; default: all that are configured by name");
}

}  // namespace yardmaster::cli
