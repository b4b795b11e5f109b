#include "clients/cli/app.h"

#include <exception>

#include "absl/strings/str_cat.h"
#include "clients/cli/verbs.h"
#include "clients/command_line/parse.h"
#include "services/core/absl_view.h"
#include "services/core/version.h"

namespace yardmaster::cli {
namespace {

// What --server, --ca and so on are after the environment had its say.
void AddVariables(const Environment& env, GlobalOptions& options) {
  options.server_given = !options.server.empty();
  if (options.server.empty()) options.server = env.variable("YARD_SERVER");
  if (options.server.empty()) options.server = kDefaultServer;
  if (options.ca_file.empty()) options.ca_file = env.variable("YARD_CA");
}

absl::StatusOr<ExitCode> RunVerb(const Verb& verb, Session& session) {
  if (session.options.local && session.options.server_given) {
    return UsageError("--local and --server exclude each other");
  }
  return verb.Run(session);
}

}  // namespace

std::unique_ptr<Verb> CommandLine(GlobalOptions& options) {
  auto yard = std::make_unique<Verb>(
      "yard",
      "Looks after machine-learning framework repositories: triages issues and reviews code under rule packs, and says "
      "why.");
  yard->footer =
      "Examples:\n"
      "  yard triage issue issue.json --local\n"
      "  yard triage eval --pack my-pack --issues issues.jsonl --predictions out.jsonl\n"
      "  yard rules test --all\n"
      "  yard --server 127.0.0.1:9090 rules list\n"
      "Exit code: 0 done; 1 negative answer (not found, cases failed); 2 usage or input error; 3 server unreachable or "
      "not\n"
      "permitted; 4 system error; 130 interrupted.";
  yard->summary_column = 34;
  yard->Help("-h,--help", "Print this help and exit");
  yard->Version("--version", absl::StrCat("yard ", Abs(kVersion)), "Print the version and exit");
  yard->Value("--server", &options.server, "HOST:PORT",
              absl::StrCat("Address of yardmasterd (YARD_SERVER; default ", kDefaultServer, ")"));
  yard->Value("--token-file", &options.token_file, "FILE",
              "File with the token to send (or YARD_TOKEN, the token itself)");
  yard->Value("--ca", &options.ca_file, "FILE", "Authorities to trust, PEM; switches TLS on (YARD_CA)");
  yard->Flag("--plaintext", &options.plaintext, "No TLS, whatever the host; then no token is sent to another host");
  yard->Flag("--local", &options.local, "No server and no network: decide here, with the packs at hand");
  yard->Value(
      "--packs", &options.packs, "DIR",
      "Folder with packs, or several times: a pack of an earlier folder goes before one of the same name (YARD_PACKS; "
      "default: the installed ones, or the source tree's)");
  yard->Flag("--json", &options.json, "The answer as one JSON document");
  yard->Flag("--quiet", &options.quiet, "No progress and no remarks");
  for (const auto add : kVerbs) add(*yard);
  return yard;
}

ExitCode RunYard(const std::vector<std::string>& arguments, const Environment& env) {
  try {
    GlobalOptions options;
    const std::unique_ptr<Verb> yard = CommandLine(options);
    const command_line::Parsed parsed = command_line::Parse(*yard, arguments);
    if (parsed.command == nullptr && parsed.error.empty()) {
      *env.out << parsed.answer;
      return ExitCode::kDone;
    }
    AddVariables(env, options);
    Output output(env, options.quiet);
    Session session{env, options, output};
    const absl::StatusOr<ExitCode> code =
        parsed.command == nullptr ? UsageError(parsed.error, {absl::StrCat("See '", parsed.path, " --help'.")})
                                  // All commands of the tree are verbs.
                                  : RunVerb(static_cast<const Verb&>(*parsed.command), session);
    if (code.ok()) return *code;
    output.Error(code.status().message());
    return ExitCodeOf(code.status());
  } catch (const std::exception& error) {
    // Out of memory, or a fault of ours.
    *env.err << "yard: internal error: " << error.what() << '\n';
    return ExitCode::kSystem;
  }
}

}  // namespace yardmaster::cli
