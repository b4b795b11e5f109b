// `yard help commands`: what people may ask the bot for in comments, from the packs at hand.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cli/local_packs.h"
#include "clients/cli/markdown_text.h"
#include "clients/cli/table.h"
#include "clients/cli/verbs.h"
#include "rules/engine/commands/command_table.h"
#include "services/commands/help.h"
#include "services/core/readable.h"

namespace yardmaster::cli {
namespace {

struct HelpCommandsOptions {
  std::vector<std::string> name;  // "autogit squash" may come as two words
  std::string pack = "common";
  bool chinese = false;
  bool markdown = false;
};

std::shared_ptr<const rules::CommandTable> LoadTable(Session& session, const std::string& pack, ExitCode& code) {
  const std::optional<PacksFolder> folder = LocalPacksFolder(session);
  if (!folder.has_value()) {
    code = ExitCode::kUsage;
    return nullptr;
  }
  const std::shared_ptr<const rules::CompiledPack> compiled = CompileLocalPack(session, *folder, pack, code);
  return compiled == nullptr ? nullptr : compiled->commands();
}

void List(const rules::CommandTable& commands, bool chinese, Session& session) {
  Table table;
  table.Header({"command", "does", "who may", "state"});
  for (const rules::CommandModel& command : commands.commands()) {
    if (command.hidden) continue;
    std::string who;
    for (const rules::CommandRight& right : command.who) who += (who.empty() ? "" : ", ") + rules::RightName(right);
    const bool works = command.state == rules::CommandState::kWorks;
    // The usage of some is longer than a line: one command's own help has it.
    table.Row({{command.forms.front().text, Style::kStrong},
               command.title.In(chinese),
               who,
               {std::string(rules::StateName(command.state)), works ? Style::kGood : Style::kFaint}});
  }
  session.output.out() << table.Render(0, session.output.columns(), session.output.color());
}

ExitCode HelpCommands(const HelpCommandsOptions& options, Session& session) {
  ExitCode code = ExitCode::kDone;
  const std::shared_ptr<const rules::CommandTable> commands = LoadTable(session, options.pack, code);
  if (commands == nullptr) return code;
  std::string asked;
  for (const std::string& word : options.name) asked += (asked.empty() ? "" : " ") + word;

  // One command.
  if (!asked.empty()) {
    const rules::CommandModel* command = commands::FindForHelp(*commands, asked);
    if (command == nullptr) {
      const std::string_view nearest = commands->Nearest(asked.starts_with('/') ? asked.substr(1) : asked);
      session.output.Error("there is no command " + Quoted(asked) +
                           (nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?"));
      return ExitCode::kNegative;
    }
    if (session.options.json) {
      session.output.Json(commands::CommandJson(*command));
    } else {
      commands::HelpOptions help;
      help.chinese = options.chinese;
      const std::string page = commands::HelpOne(*commands, *command, help);
      session.output.out() << (options.markdown ? page
                                                : MarkdownText(page, session.output.columns(), session.output.color()));
    }
    return ExitCode::kDone;
  }

  // All of them.
  if (session.options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const rules::CommandModel& command : commands->commands()) list.push_back(commands::CommandJson(command));
    session.output.Json({{"pack", options.pack}, {"commands", std::move(list)}});
  } else if (options.markdown) {
    session.output.out() << commands::DocsPage(*commands);
  } else {
    List(*commands, options.chinese, session);
  }
  return ExitCode::kDone;
}

}  // namespace

void AddHelpVerbs(CLI::App& app, Verb& chosen) {
  CLI::App* help = AddVerb(app, "help", "What people may ask the bot for", "  yard help commands");
  help->require_subcommand(1);
  auto options = std::make_shared<HelpCommandsOptions>();
  CLI::App* commands = AddVerb(*help, "commands", "The commands of comments and chat: usage, who may, examples",
                               "  yard help commands\n  yard help commands squash\n  yard help commands --json\n"
                               "  yard help commands --markdown > deploy/commands.md");
  commands->add_option("NAME", options->name, "One command: squash, /autogit squash, gen-commit-msg")->type_name("");
  commands->add_option("--pack", options->pack, "The pack whose commands are shown (default: common)")
      ->type_name("PACK");
  commands->add_flag("--zh", options->chinese, "In Chinese");
  commands->add_flag("--markdown", options->markdown,
                     "As Markdown: one command, or all of them as a page in both languages");
  commands->callback(
      [&chosen, options] { chosen = [options](Session& session) { return HelpCommands(*options, session); }; });
}

}  // namespace yardmaster::cli
