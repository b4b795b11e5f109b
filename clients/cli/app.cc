#include "clients/cli/app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <string_view>

#include "clients/cli/output.h"
#include "clients/cli/verbs.h"
#include "services/core/readable.h"
#include "services/core/version.h"

namespace yardmaster::cli {
namespace {

// The last verb that parsing got to.
const CLI::App& LastVerb(const CLI::App& app) {
  const CLI::App* current = &app;
  while (!current->get_subcommands().empty()) current = current->get_subcommands().front();
  return *current;
}

// "yard rules test": the words whose help is the one to read after an error.
std::string VerbPath(const CLI::App& app) {
  std::string path = "yard";
  for (const CLI::App* current = &app; !current->get_subcommands().empty();) {
    current = current->get_subcommands().front();
    path += " " + current->get_name();
  }
  return path;
}

// What is wrong with the command line. The parser says no more of an unknown verb than that one is missing.
std::string ParseMessage(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<const CLI::App*> verbs = LastVerb(app).get_subcommands(nullptr);
  if (verbs.empty()) return error.what();
  const std::vector<std::string> rest = app.remaining(true);
  const auto word =
      std::find_if(rest.begin(), rest.end(), [](const std::string& text) { return !text.starts_with('-'); });
  std::string names;
  std::vector<std::string_view> known;
  for (const CLI::App* verb : verbs) {
    known.push_back(verb->get_name());
    names += (names.empty() ? "" : ", ") + verb->get_name();
  }
  if (word == rest.end()) return rest.empty() ? "a verb is missing; expected one of: " + names : error.what();
  const std::string_view nearest = NearestName(*word, known);
  const std::string meant = nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
  return "'" + VerbPath(app) + "' has no verb " + Quoted(*word) +
         (meant.empty() ? "; expected one of: " + names : meant);
}

// What --server, --ca and so on are after the environment had its say.
void AddVariables(const Environment& env, GlobalOptions& options) {
  options.server_given = !options.server.empty();
  if (options.server.empty()) options.server = env.variable("YARD_SERVER");
  if (options.server.empty()) options.server = kDefaultServer;
  if (options.ca_file.empty()) options.ca_file = env.variable("YARD_CA");
}

}  // namespace

CLI::App* AddVerb(CLI::App& parent, const std::string& name, const std::string& description,
                  const std::string& examples) {
  CLI::App* verb = parent.add_subcommand(name, description);
  verb->footer("Examples:\n" + examples + "\nOptions of every verb: see 'yard --help'.");
  return verb;
}

void BuildCommandLine(CLI::App& app, GlobalOptions& options, Verb& chosen) {
  app.name("yard");
  app.description(
      "Looks after machine-learning framework repositories: triages issues and reviews code under rule packs, and says "
      "why.");
  app.footer(
      "Examples:\n"
      "  yard triage issue issue.json --local\n"
      "  yard triage eval --pack my-pack --issues issues.jsonl --predictions out.jsonl\n"
      "  yard rules test --all\n"
      "  yard --server 127.0.0.1:9090 rules list\n"
      "Exit code: 0 done; 1 negative answer (not found, cases failed); 2 usage or input error; 3 server unreachable or "
      "not\n"
      "permitted; 4 system error; 130 interrupted.");
  // Options of `app` may stand behind the verb.
  app.fallthrough();
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "yard " + std::string(kVersion), "Print the version and exit");
  app.get_formatter()->column_width(34);

  app.add_option("--server", options.server,
                 std::string("Address of yardmasterd (YARD_SERVER; default ") + kDefaultServer + ")")
      ->type_name("HOST:PORT");
  app.add_option("--token-file", options.token_file, "File with the token to send (or YARD_TOKEN, the token itself)")
      ->type_name("FILE");
  app.add_option("--ca", options.ca_file, "Authorities to trust, PEM; switches TLS on (YARD_CA)")->type_name("FILE");
  app.add_flag("--plaintext", options.plaintext, "No TLS, whatever the host; then no token is sent to another host");
  app.add_flag("--local", options.local, "No server and no network: decide here, with the packs at hand");
  app.add_option("--packs", options.packs,
                 "Folder with the packs (YARD_PACKS; default: the installed ones, or the source tree's)")
      ->type_name("DIR");
  app.add_flag("--json", options.json, "The answer as one JSON document");
  app.add_flag("--quiet", options.quiet, "No progress and no remarks");

  AddTriageVerbs(app, chosen);
  AddExplainVerb(app, chosen);
  AddSweepVerb(app, chosen);
  AddDeliveryVerbs(app, chosen);
  AddLedgerVerbs(app, chosen);
  AddDeadLetterVerbs(app, chosen);
  AddReviewVerbs(app, chosen);
  AddRulesVerbs(app, chosen);
  AddSuiteVerbs(app, chosen);
  AddTestVerbs(app, chosen);
  AddInterpretVerbs(app, chosen);
  AddConfigVerbs(app, chosen);
  AddHelpVerbs(app, chosen);
  AddHealthVerb(app, chosen);
  AddCompletionVerb(app, chosen);
  AddVersionVerb(app, chosen);
}

ExitCode RunYard(const std::vector<std::string>& arguments, const Environment& env) {
  GlobalOptions options;
  Verb chosen;
  try {
    CLI::App app;
    BuildCommandLine(app, options, chosen);
    try {
      // CLI11 takes them from the back.
      std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
      app.parse(reversed);
    } catch (const CLI::Success& success) {
      // --help and --version.
      app.exit(success, *env.out, *env.err);
      return ExitCode::kDone;
    } catch (const CLI::ParseError& error) {
      Output output(env, false);
      output.Error(ParseMessage(app, error));
      output.Hint("See '" + VerbPath(app) + " --help'.");
      return ExitCode::kUsage;
    }
    AddVariables(env, options);
    Output output(env, options.quiet);
    if (options.local && options.server_given) {
      output.Error("--local and --server exclude each other");
      return ExitCode::kUsage;
    }
    Session session{env, options, output};
    return chosen(session);
  } catch (const std::exception& error) {
    // Out of memory, or a fault of ours.
    *env.err << "yard: internal error: " << error.what() << '\n';
    return ExitCode::kSystem;
  }
}

}  // namespace yardmaster::cli
