// Shows text on the terminal that a command has made, before it is used.
#ifndef YARDMASTER_CLIENTS_CLI_TEXT_PREVIEW_H_
#define YARDMASTER_CLIENTS_CLI_TEXT_PREVIEW_H_

#include <filesystem>

#include "clients/cli/session.h"
#include "services/workflow/preview.h"

namespace yardmaster::cli {

// Whether somebody can answer a question: stdin and stderr are a terminal, and neither --json nor --quiet was said.
bool CanAsk(const Session& session);

// Enter or "y" takes the text, "e" opens it in the editor that git would open ($GIT_EDITOR, core.editor, $VISUAL,
// $EDITOR), "c" or the end of the input cancels. Empty where nobody can answer. `repo`: the clone whose configuration
// names the editor. `session` outlives it.
workflow::Preview TerminalPreview(Session& session, const std::filesystem::path& repo);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_TEXT_PREVIEW_H_
