// `yard rules list|show|validate|reload`; test and backtest are in verb_rules_test.cc.
#include "clients/cli/verb_rules.h"

#include <grpcpp/grpcpp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "clients/cli/connection.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/rules_text.h"
#include "clients/cli/verbs.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/rpc/status.h"
#include "services/packs/answers.h"
#include "services/packs/validate.h"
#include "yardmaster/v1/rules.grpc.pb.h"

namespace yardmaster::cli {
namespace {

constexpr std::chrono::seconds kTimeout{60};

// --- list ---

ExitCode List(Session& session) {
  v1::ListPacksResponse response;
  if (session.options.server_given) {
    ExitCode code = ExitCode::kDone;
    const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
    if (connection == nullptr) return code;
    grpc::ClientContext context;
    connection->Prepare(context, kTimeout);
    const grpc::Status status = v1::RulesService::NewStub(connection->channel())->ListPacks(&context, {}, &response);
    if (!status.ok()) return connection->Report(session, status, true);
  } else {
    const std::shared_ptr<const PackSet> packs = CompileLocalPacks(session);
    if (packs == nullptr) return ExitCode::kUsage;
    for (const auto& [name, pack] : packs->packs()) *response.add_packs() = DescribePack(*pack);
  }
  if (session.options.json) {
    nlohmann::ordered_json packs = nlohmann::ordered_json::array();
    nlohmann::ordered_json problems = nlohmann::ordered_json::array();
    for (const v1::PackInfo& pack : response.packs()) packs.push_back(PackJson(pack));
    for (const v1::PackProblem& problem : response.last_reload_problems()) problems.push_back(ProblemJson(problem));
    session.output.Json({{"packs", packs}, {"last_reload_problems", problems}});
    return ExitCode::kDone;
  }
  session.output.out() << PackTable(response.packs(), session.output);
  if (!response.last_reload_problems().empty()) {
    session.output.Note("The last reload failed and left these packs in service:");
    for (const v1::PackProblem& problem : response.last_reload_problems())
      session.output.Note("  " + ProblemText(problem));
  }
  return ExitCode::kDone;
}

// --- show ---

struct ShowOptions {
  std::string id;
  std::string pack;
};

ExitCode Show(const ShowOptions& options, Session& session) {
  v1::ShowRuleResponse response;
  if (session.options.server_given) {
    ExitCode code = ExitCode::kDone;
    const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
    if (connection == nullptr) return code;
    v1::ShowRuleRequest request;
    request.set_id(options.id);
    request.set_pack(options.pack);
    grpc::ClientContext context;
    connection->Prepare(context, kTimeout);
    const grpc::Status status =
        v1::RulesService::NewStub(connection->channel())->ShowRule(&context, request, &response);
    if (!status.ok()) return connection->Report(session, status, true);
  } else {
    const std::shared_ptr<const PackSet> packs = CompileLocalPacks(session);
    if (packs == nullptr) return ExitCode::kUsage;
    const absl::Status status = ShowRule(*packs, options.id, options.pack, response);
    if (!status.ok()) {
      session.output.Error(std::string(status.message()));
      return ExitCodeOf(ToGrpcStatus(status));
    }
  }
  PrintRules(response, session);
  return ExitCode::kDone;
}

// --- validate ---

struct ValidateOptions {
  std::string pack;        // name or folder; empty: all, or the repository's
  std::string repository;  // "FORGE:OWNER/REPO", whose labels are looked at; empty: none
};

struct Validated {
  std::string pack;
  v1::ValidatePackResponse result;
};

void ValidateIn(const PacksFolder& folder, const std::string& name, std::vector<Validated>& out) {
  Problems problems;
  Validated& validated = out.emplace_back();
  validated.pack = name;
  validated.result.set_valid(BuildPack(folder, name, problems) != nullptr);
  WriteProblems(problems, *validated.result.mutable_problems());
}

ExitCode ValidateLocally(const std::string& argument, Session& session, std::vector<Validated>& out) {
  std::error_code ignored;
  if (!argument.empty() && IsPackFolder(argument)) {
    const PackAtFolder pack = ReadPackAt(session, argument);
    ValidateIn(pack.folder, pack.name, out);
    return ExitCode::kDone;
  }
  std::optional<PacksFolder> folder;
  const bool is_folder = !argument.empty() && std::filesystem::is_directory(argument, ignored);
  if (is_folder) {
    folder = ReadPacksFolder(argument);
  } else {
    folder = LocalPacksFolder(session);
    if (!folder.has_value()) return ExitCode::kUsage;
  }
  if (!argument.empty() && !is_folder) {
    ValidateIn(*folder, argument, out);
    return ExitCode::kDone;
  }
  const std::vector<std::string> names = rules::PackNames(folder->files);
  for (const std::string& name : names) ValidateIn(*folder, name, out);
  // What belongs to no pack (a folder without pack.json) would be told by none of them.
  Validated rest;
  for (const Problem& problem : folder->problems) {
    const std::string owner = problem.file.substr(0, problem.file.find('/'));
    if (std::find(names.begin(), names.end(), owner) == names.end())
      WriteProblems({problem}, *rest.result.mutable_problems());
  }
  if (names.empty() && rest.result.problems().empty()) {
    session.output.Error("there is no pack in '" + argument +
                         "': expected a folder with a pack.json, or a folder of such folders");
    return ExitCode::kUsage;
  }
  if (!rest.result.problems().empty()) out.push_back(std::move(rest));
  return ExitCode::kDone;
}

ExitCode ValidateByServer(const ValidateOptions& options, Session& session, std::vector<Validated>& out) {
  const std::string& argument = options.pack;
  v1::ValidatePackRequest base;
  if (!options.repository.empty()) {
    const size_t colon = options.repository.find(':');
    if (colon == std::string::npos || options.repository.find('/', colon) == std::string::npos) {
      session.output.Error("expected a repository: FORGE:OWNER/REPO");
      return ExitCode::kUsage;
    }
    base.set_forge(options.repository.substr(0, colon));
    base.set_repository(options.repository.substr(colon + 1));
  }
  ExitCode code = ExitCode::kDone;
  const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
  if (connection == nullptr) return code;
  const std::unique_ptr<v1::RulesService::Stub> stub = v1::RulesService::NewStub(connection->channel());

  std::vector<v1::ValidatePackRequest> requests;
  if (argument.empty() && !options.repository.empty()) {
    requests.push_back(base);
  } else if (argument.empty()) {
    v1::ListPacksResponse packs;
    grpc::ClientContext context;
    connection->Prepare(context, kTimeout);
    const grpc::Status status = stub->ListPacks(&context, {}, &packs);
    if (!status.ok()) return connection->Report(session, status, true);
    for (const v1::PackInfo& pack : packs.packs()) requests.emplace_back().set_pack(pack.name());
  } else if (IsPackFolder(argument)) {
    const PackAtFolder pack = ReadPackAt(session, argument);
    v1::ValidatePackRequest& request = requests.emplace_back(base);
    request.set_pack(pack.name);
    for (const auto& [path, bytes] : OwnFiles(pack)) {
      v1::PackFile& file = *request.add_files();
      file.set_path(std::string(path));
      file.set_content(std::string(bytes));
    }
  } else {
    requests.emplace_back(base).set_pack(argument);
  }
  for (const v1::ValidatePackRequest& request : requests) {
    Validated& validated = out.emplace_back();
    grpc::ClientContext context;
    connection->Prepare(context, kTimeout);
    const grpc::Status status = stub->ValidatePack(&context, request, &validated.result);
    if (!status.ok()) return connection->Report(session, status, options.repository.empty());
    validated.pack = request.pack().empty() ? validated.result.pack() : request.pack();
  }
  return ExitCode::kDone;
}

ExitCode Validate(const ValidateOptions& options, Session& session) {
  if (!options.repository.empty() && session.options.local) {
    session.output.Error("'rules validate --repository' asks a forge through the server: it can't work with --local");
    return ExitCode::kUsage;
  }
  std::vector<Validated> all;
  const bool by_server = session.options.server_given || !options.repository.empty();
  const ExitCode code =
      by_server ? ValidateByServer(options, session, all) : ValidateLocally(options.pack, session, all);
  if (code != ExitCode::kDone) return code;

  bool valid = true;
  bool fits = true;
  nlohmann::ordered_json packs = nlohmann::ordered_json::array();
  std::string text;
  for (const Validated& one : all) {
    valid = valid && one.result.valid();
    nlohmann::ordered_json problems = nlohmann::ordered_json::array();
    const bool color = session.output.color();
    if (one.result.valid()) {
      text += Paint("ok", Style::kGood, color) + "   " + one.pack + "\n";
    } else if (!one.pack.empty()) {
      text += Paint("bad", Style::kBad, color) + "  " + one.pack + "\n";
    }
    for (const v1::PackProblem& problem : one.result.problems()) {
      text += (one.pack.empty() ? "" : "     ") + ProblemText(problem) + "\n";
      problems.push_back(ProblemJson(problem));
    }
    packs.push_back({{"pack", one.pack}, {"valid", one.result.valid()}, {"problems", problems}});
    if (!one.result.has_labels()) continue;
    const v1::LabelCheck& labels = one.result.labels();
    fits = fits && labels.findings().empty();
    packs.back()["labels"] = LabelCheckJson(labels);
    text += LabelCheckText(labels, session.output);
  }
  if (session.options.json) {
    session.output.Json({{"valid", valid}, {"packs", packs}});
  } else {
    session.output.out() << text;
  }
  if (!valid) return ExitCode::kUsage;
  return fits ? ExitCode::kDone : ExitCode::kNegative;
}

// --- reload ---

ExitCode Reload(Session& session) {
  if (session.options.local) {
    session.output.Error("'rules reload' tells a server to read its packs again: it can't work with --local");
    return ExitCode::kUsage;
  }
  ExitCode code = ExitCode::kDone;
  const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
  if (connection == nullptr) return code;
  v1::ReloadPacksResponse response;
  grpc::ClientContext context;
  connection->Prepare(context, kTimeout);
  const grpc::Status status = v1::RulesService::NewStub(connection->channel())->ReloadPacks(&context, {}, &response);
  if (!status.ok()) return connection->Report(session, status, false);

  if (session.options.json) {
    nlohmann::ordered_json packs = nlohmann::ordered_json::array();
    nlohmann::ordered_json problems = nlohmann::ordered_json::array();
    for (const v1::PackInfo& pack : response.packs()) packs.push_back(PackJson(pack));
    for (const v1::PackProblem& problem : response.problems()) problems.push_back(ProblemJson(problem));
    session.output.Json({{"reloaded", response.reloaded()}, {"problems", problems}, {"packs", packs}});
  } else {
    session.output.out() << PackTable(response.packs(), session.output);
  }
  if (!response.reloaded()) {
    session.output.Error("the packs were not reloaded; the old ones stay in service:");
    for (const v1::PackProblem& problem : response.problems()) session.output.Hint(ProblemText(problem));
    return ExitCode::kUsage;
  }
  return ExitCode::kDone;
}

}  // namespace

void PrintRules(const v1::ShowRuleResponse& response, Session& session) {
  if (session.options.json) {
    nlohmann::ordered_json rules = nlohmann::ordered_json::array();
    for (const v1::RuleInfo& rule : response.rules()) rules.push_back(RuleJson(rule));
    session.output.Json({{"rules", rules}});
    return;
  }
  for (int i = 0; i < response.rules_size(); ++i) {
    session.output.out() << (i > 0 ? "\n" : "") << RuleText(response.rules(i), session.output);
  }
}

void AddRulesVerbs(CLI::App& app, Verb& chosen) {
  CLI::App* rules = AddVerb(app, "rules", "Look at, check, test and reload rule packs",
                            "  yard rules list\n"
                            "  yard rules test --all\n"
                            "  yard --server 127.0.0.1:9090 rules reload");
  rules->require_subcommand(1);

  CLI::App* list = AddVerb(*rules, "list", "List the packs (local; with --server those in service there)",
                           "  yard rules list\n  yard rules list --packs ./rules/packs --json");
  list->callback([&chosen] { chosen = List; });

  auto show_options = std::make_shared<ShowOptions>();
  CLI::App* show =
      AddVerb(*rules, "show", "Show a rule and its parts: what they say, how they are written, and their cases",
              "  yard rules show some-rule\n  yard rules show some-rule --pack my-pack");
  show->add_option("ID", show_options->id, "Id of a signal, suppressor, classifier, step or check")
      ->required()
      ->type_name("");
  show->add_option("--pack", show_options->pack, "Pack to look in (default: all)")->type_name("PACK");
  show->callback(
      [&chosen, show_options] { chosen = [show_options](Session& session) { return Show(*show_options, session); }; });

  auto validate_options = std::make_shared<ValidateOptions>();
  CLI::App* validate = AddVerb(*rules, "validate", "Check packs and name every problem by file and line",
                               "  yard rules validate\n"
                               "  yard rules validate my-pack\n"
                               "  yard rules validate ./packs/my-pack\n"
                               "  yard rules validate my-pack --repository github:octo/repo");
  validate
      ->add_option("PACK", validate_options->pack,
                   "Name of a pack, or a folder (DIR) with one or several (default: all packs; with --repository its "
                   "own)")
      ->type_name("");
  validate
      ->add_option("--repository", validate_options->repository,
                   "Also say which of the pack's labels this repository lacks (asks the server)")
      ->type_name("FORGE:OWNER/REPO");
  validate->callback([&chosen, validate_options] {
    chosen = [validate_options](Session& session) { return Validate(*validate_options, session); };
  });

  AddRulesTestVerbs(*rules, chosen);

  CLI::App* reload = AddVerb(*rules, "reload", "Tell the server to read its packs again; bad ones change nothing",
                             "  yard rules reload --token-file operator.token");
  reload->callback([&chosen] { chosen = Reload; });
}

}  // namespace yardmaster::cli
