// `yard help commands`: what people may ask the bot for in comments, from the packs at hand.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/cli/answer.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/markdown_text.h"
#include "clients/cli/table.h"
#include "clients/cli/verbs.h"
#include "rules/engine/commands/command_table.h"
#include "services/commands/help.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

namespace yardmaster::cli {
namespace {

struct HelpCommandsOptions {
  std::vector<std::string> name;  // "autogit squash" may come as two words
  std::string pack = "common";
  bool chinese = false;
  bool markdown = false;
};

void ListCommands(const rules::CommandTable& commands, bool chinese, Session& session) {
  Table table;
  table.Header({"command", "does", "who may", "state"});
  for (const rules::CommandModel& command : commands.commands()) {
    if (command.hidden) continue;
    const std::string who = absl::StrJoin(command.who, ", ", [](std::string* out, const rules::CommandRight& right) {
      out->append(rules::RightName(right));
    });
    const bool works = command.state == rules::CommandState::kWorks;
    // The usage of some is longer than a line: one command's own help has it.
    table.Row({{command.forms.front().text, Style::kStrong},
               command.title.In(chinese),
               who,
               {std::string(rules::StateName(command.state)), works ? Style::kGood : Style::kFaint}});
  }
  session.output.out() << table.Render(0, session.output.columns(), session.output.color());
}

absl::StatusOr<ExitCode> HelpCommands(const HelpCommandsOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const PacksFolder folder, LocalPacksFolder(session));
  ASSIGN_OR_RETURN(const auto pack, CompileLocalPack(folder, options.pack));
  const std::shared_ptr<const rules::CommandTable> table = pack->commands();
  const rules::CommandTable& commands = *table;
  const std::string asked = absl::StrJoin(options.name, " ");

  // One command.
  if (!asked.empty()) {
    const rules::CommandModel* command = commands::FindForHelp(commands, asked);
    if (command == nullptr) {
      const std::string_view nearest = commands.Nearest(asked.starts_with('/') ? asked.substr(1) : asked);
      return NegativeError(absl::StrCat("there is no command ", Quoted(asked),
                                        nearest.empty() ? "" : absl::StrCat("; did you mean ", Abs(nearest), "?")));
    }
    if (session.options.json) {
      session.output.Json(commands::CommandJson(*command));
    } else {
      commands::HelpOptions help;
      help.chinese = options.chinese;
      const std::string page = commands::HelpOne(commands, *command, help);
      session.output.out() << (options.markdown ? page
                                                : MarkdownText(page, session.output.columns(), session.output.color()));
    }
    return ExitCode::kDone;
  }

  // All of them.
  if (session.options.json) {
    session.output.Json({{"pack", options.pack}, {"commands", JsonList(commands.commands(), commands::CommandJson)}});
  } else if (options.markdown) {
    session.output.out() << commands::DocsPage(commands);
  } else {
    ListCommands(commands, options.chinese, session);
  }
  return ExitCode::kDone;
}

}  // namespace

void AddHelpVerbs(Verb& yard) {
  Verb& help = yard.Add("help", "What people may ask the bot for", {"yard help commands"});
  Verb& commands = help.Add("commands", "The commands of comments and chat: usage, who may, examples",
                            {"yard help commands", "yard help commands squash", "yard help commands --json",
                             "yard help commands --markdown > deploy/commands.md"});
  HelpCommandsOptions& options = commands.Runs(HelpCommands);
  commands.Argument("NAME", &options.name, "One command: squash, /autogit squash, gen-commit-msg");
  commands.Value("--pack", &options.pack, "PACK", "The pack whose commands are shown (default: common)");
  commands.Flag("--zh", &options.chinese, "In Chinese");
  commands.Flag("--markdown", &options.markdown,
                "As Markdown: one command, or all of them as a page in both languages");
}

}  // namespace yardmaster::cli
