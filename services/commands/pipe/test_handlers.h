// What the commands about tests do: /test, /cancel and /ok-to-test.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_TEST_HANDLERS_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_TEST_HANDLERS_H_

#include "services/commands/pipe/command_handler.h"

namespace yardmaster::commands {

CommandHandlers TestHandlers();

// A part of /retest: what was run on the head and has not passed is run again. Not done where there is nothing of that.
// `told_as`: sets the message in chat that tells of the jobs apart from another one of the same command.
absl::StatusOr<CommandResult> RetestJobs(const CommandRun& run, std::string_view told_as);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_TEST_HANDLERS_H_
