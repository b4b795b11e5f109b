// `yard rules list|show|validate|reload`.
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/connection.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/rules_text.h"
#include "clients/cli/subject_argument.h"
#include "clients/cli/verbs.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/status_macros.h"
#include "services/packs/answers.h"
#include "services/packs/validate.h"
#include "yardmaster/v1/rules.grpc.pb.h"

namespace yardmaster::cli {
namespace {

using RulesStub = v1::RulesService::Stub;

constexpr std::chrono::seconds kRulesTimeout{60};

absl::StatusOr<ServerConnection> OpenServer(const Session& session) {
  return ServerConnection::Open(session, /*local_works=*/true);
}

// --- list ---

absl::StatusOr<v1::ListPacksResponse> ListPacks(const Session& session) {
  if (session.options.server_given) {
    ASSIGN_OR_RETURN(const ServerConnection server, OpenServer(session));
    return server.Call(&RulesStub::ListPacks, v1::ListPacksRequest(), kRulesTimeout);
  }
  ASSIGN_OR_RETURN(const auto packs, CompileLocalPacks(session));
  v1::ListPacksResponse response;
  for (const auto& [name, pack] : packs->packs()) *response.add_packs() = DescribePack(*pack);
  return response;
}

absl::StatusOr<ExitCode> PrintPackList(Session& session) {
  ASSIGN_OR_RETURN(const v1::ListPacksResponse response, ListPacks(session));
  const Problems problems = ReadProblems(response.last_reload_problems());
  if (session.options.json) {
    session.output.Json(
        {{"packs", JsonList(response.packs(), PackJson)}, {"last_reload_problems", JsonList(problems, ProblemJson)}});
    return ExitCode::kDone;
  }
  session.output.out() << PackTable(response.packs(), session.output);
  if (!problems.empty()) session.output.Note("The last reload failed and left these packs in service:");
  for (const Problem& problem : problems) session.output.Note("  " + problem.ToString());
  return ExitCode::kDone;
}

// --- show ---

struct ShowOptions {
  std::string id;
  std::string pack;
};

absl::StatusOr<v1::ShowRuleResponse> FindRule(const ShowOptions& options, const Session& session) {
  if (session.options.server_given) {
    ASSIGN_OR_RETURN(const ServerConnection server, OpenServer(session));
    v1::ShowRuleRequest request;
    request.set_id(options.id);
    request.set_pack(options.pack);
    return server.Call(&RulesStub::ShowRule, request, kRulesTimeout);
  }
  ASSIGN_OR_RETURN(const auto packs, CompileLocalPacks(session));
  v1::ShowRuleResponse response;
  RETURN_IF_ERROR(ShowRule(*packs, options.id, options.pack, response));
  return response;
}

absl::StatusOr<ExitCode> ShowRule(const ShowOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const v1::ShowRuleResponse response, FindRule(options, session));
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

Validated ValidateIn(const PacksFolder& folder, const std::string& name) {
  Problems problems;
  Validated validated;
  validated.pack = name;
  const std::shared_ptr<const rules::CompiledPack> pack = BuildPack(folder, name, problems);
  validated.result.set_valid(pack != nullptr);
  if (pack != nullptr) WriteProblems(PackWarnings(folder, *pack), *validated.result.mutable_warnings());
  WriteProblems(problems, *validated.result.mutable_problems());
  return validated;
}

absl::StatusOr<std::vector<Validated>> ValidateLocally(const std::string& argument, const Session& session) {
  if (!argument.empty() && IsPackFolder(argument)) {
    const PackAtFolder pack = ReadPackAt(session, argument);
    return std::vector<Validated>{ValidateIn(pack.folder, pack.name)};
  }
  std::error_code ignored;
  const bool is_folder = !argument.empty() && std::filesystem::is_directory(argument, ignored);
  PacksFolder folder;
  if (is_folder) {
    folder = ReadPacksFolder(argument);
  } else {
    ASSIGN_OR_RETURN(folder, LocalPacksFolder(session));
    if (!argument.empty()) return std::vector<Validated>{ValidateIn(folder, argument)};
  }
  const std::vector<std::string> names = rules::PackNames(folder.files);
  std::vector<Validated> all;
  all.reserve(names.size());
  for (const std::string& name : names) all.push_back(ValidateIn(folder, name));
  // What belongs to no pack (a folder without pack.json) would be told by none of them.
  Problems rest = folder.problems;
  std::erase_if(rest, [&](const Problem& problem) {
    return absl::c_linear_search(names, problem.file.substr(0, problem.file.find('/')));
  });
  if (names.empty() && rest.empty()) {
    return UsageError(absl::StrCat("there is no pack in '", argument,
                                   "': expected a folder with a pack.json, or a folder of such folders"));
  }
  if (!rest.empty()) WriteProblems(rest, *all.emplace_back().result.mutable_problems());
  return all;
}

absl::StatusOr<std::vector<Validated>> ValidateByServer(const ValidateOptions& options, const Session& session) {
  v1::ValidatePackRequest request;
  if (!options.repository.empty()) {
    ASSIGN_OR_RETURN(const RepositoryArgument repository, ParseRepository(options.repository));
    request.set_forge(repository.forge);
    request.set_repository(repository.repository);
  }
  ASSIGN_OR_RETURN(const ServerConnection server,
                   ServerConnection::Open(session, /*local_works=*/options.repository.empty()));
  std::vector<v1::ValidatePackRequest> requests;
  if (options.pack.empty() && options.repository.empty()) {
    ASSIGN_OR_RETURN(const v1::ListPacksResponse packs,
                     server.Call(&RulesStub::ListPacks, v1::ListPacksRequest(), kRulesTimeout));
    for (const v1::PackInfo& pack : packs.packs()) requests.emplace_back().set_pack(pack.name());
  } else if (IsPackFolder(options.pack)) {
    const PackAtFolder pack = ReadPackAt(session, options.pack);
    request.set_pack(pack.name);
    AddOwnFiles(pack, *request.mutable_files());
    requests.push_back(request);
  } else {
    // Without a name the repository's own pack is meant.
    request.set_pack(options.pack);
    requests.push_back(request);
  }
  std::vector<Validated> all;
  for (const v1::ValidatePackRequest& one : requests) {
    ASSIGN_OR_RETURN(v1::ValidatePackResponse result, server.Call(&RulesStub::ValidatePack, one, kRulesTimeout));
    const std::string pack = one.pack().empty() ? result.pack() : one.pack();
    all.push_back({pack, std::move(result)});
  }
  return all;
}

nlohmann::ordered_json ValidatedJson(const Validated& one) {
  nlohmann::ordered_json json = {{"pack", one.pack},
                                 {"valid", one.result.valid()},
                                 {"problems", JsonList(ReadProblems(one.result.problems()), ProblemJson)},
                                 {"warnings", JsonList(ReadProblems(one.result.warnings()), ProblemJson)}};
  if (one.result.has_labels()) json["labels"] = LabelCheckJson(one.result.labels());
  return json;
}

std::string ValidatedText(const Validated& one, const Output& output) {
  std::string text;
  if (one.result.valid()) {
    text = absl::StrCat(output.Paint("ok", Style::kGood), "   ", one.pack, "\n");
  } else if (!one.pack.empty()) {
    text = absl::StrCat(output.Paint("bad", Style::kBad), "  ", one.pack, "\n");
  }
  for (const Problem& problem : ReadProblems(one.result.problems())) {
    absl::StrAppend(&text, one.pack.empty() ? "" : "     ", problem.ToString(), "\n");
  }
  for (const Problem& warning : ReadProblems(one.result.warnings())) {
    absl::StrAppend(&text, "     warning: ", warning.ToString(), "\n");
  }
  if (one.result.has_labels()) text += LabelCheckText(one.result.labels(), output);
  return text;
}

absl::StatusOr<ExitCode> ValidatePacks(const ValidateOptions& options, Session& session) {
  if (!options.repository.empty() && session.options.local) {
    return UsageError("'rules validate --repository' asks a forge through the server: it can't work with --local");
  }
  const bool by_server = session.options.server_given || !options.repository.empty();
  ASSIGN_OR_RETURN(const std::vector<Validated> all,
                   by_server ? ValidateByServer(options, session) : ValidateLocally(options.pack, session));
  const bool valid = absl::c_all_of(all, [](const Validated& one) { return one.result.valid(); });
  if (session.options.json) {
    session.output.Json({{"valid", valid}, {"packs", JsonList(all, ValidatedJson)}});
  } else {
    for (const Validated& one : all) session.output.out() << ValidatedText(one, session.output);
  }
  if (!valid) return ExitCode::kUsage;
  const bool fits = absl::c_all_of(all, [](const Validated& one) { return one.result.labels().findings().empty(); });
  return fits ? ExitCode::kDone : ExitCode::kNegative;
}

// --- reload ---

absl::StatusOr<ExitCode> Reload(Session& session) {
  if (session.options.local) {
    return UsageError("'rules reload' tells a server to read its packs again: it can't work with --local");
  }
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/false));
  ASSIGN_OR_RETURN(const v1::ReloadPacksResponse response,
                   server.Call(&RulesStub::ReloadPacks, v1::ReloadPacksRequest(), kRulesTimeout));
  const Problems problems = ReadProblems(response.problems());
  if (session.options.json) {
    session.output.Json({{"reloaded", response.reloaded()},
                         {"problems", JsonList(problems, ProblemJson)},
                         {"packs", JsonList(response.packs(), PackJson)}});
  } else {
    session.output.out() << PackTable(response.packs(), session.output);
  }
  if (response.reloaded()) return ExitCode::kDone;
  return ProblemsError("the packs were not reloaded; the old ones stay in service:", problems);
}

}  // namespace

void AddRulesVerbs(Verb& yard) {
  Verb& rules = yard.Add("rules", "Look at, check, test and reload rule packs",
                         {"yard rules list", "yard rules test --all", "yard --server 127.0.0.1:9090 rules reload"});

  rules
      .Add("list", "List the packs (local; with --server those in service there)",
           {"yard rules list", "yard rules list --packs ./rules/packs --json"})
      .Runs(PrintPackList);

  // Two words for the same: people look for either.
  const auto add_show = [&](const std::string& word, const std::string& what) {
    Verb& show = rules.Add(word, what,
                           {absl::StrCat("yard rules ", word, " some-rule"),
                            absl::StrCat("yard rules ", word, " some-rule --pack my-pack")});
    ShowOptions& shown = show.Runs(ShowRule);
    show.Argument("ID", &shown.id, "Id of a signal, suppressor, classifier, step or check, in any letter case")
        .Required();
    show.Value("--pack", &shown.pack, "PACK", "Pack to look in (default: all)");
  };
  add_show("show", "Show a rule and its parts: what they say, how they are written, and their cases");
  add_show("explain", "The same as show");

  Verb& validate =
      rules.Add("validate", "Check packs and name every problem by file and line",
                {"yard rules validate", "yard rules validate my-pack", "yard rules validate ./packs/my-pack",
                 "yard rules validate my-pack --repository github:octo/repo"});
  ValidateOptions& validated = validate.Runs(ValidatePacks);
  validate.Argument(
      "PACK", &validated.pack,
      "Name of a pack, or a folder (DIR) with one or several (default: all packs; with --repository its own)");
  validate.Value("--repository", &validated.repository, "FORGE:OWNER/REPO",
                 "Also say which of the pack's labels this repository lacks (asks the server)");

  AddRulesFactsVerb(rules);
  AddRulesTestVerb(rules);
  AddRulesBacktestVerb(rules);
  AddRulesShadowVerb(rules);

  rules
      .Add("reload", "Tell the server to read its packs again; bad ones change nothing",
           {"yard rules reload --token-file operator.token"})
      .Runs(Reload);
}

}  // namespace yardmaster::cli
