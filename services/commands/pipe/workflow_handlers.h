// Commands that work on the commits, the branch and the description of a pull request. What they do is planned by the
// workflow's planner; here it is asked, and told in words.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_WORKFLOW_HANDLERS_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_WORKFLOW_HANDLERS_H_

#include "services/commands/pipe/command_handler.h"

namespace yardmaster::commands {

CommandHandlers WorkflowHandlers();

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_WORKFLOW_HANDLERS_H_
