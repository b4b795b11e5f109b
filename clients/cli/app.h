// `yard` as a function.
#ifndef YARDMASTER_CLIENTS_CLI_APP_H_
#define YARDMASTER_CLIENTS_CLI_APP_H_

#include <memory>
#include <string>
#include <vector>

#include "clients/cli/environment.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/verb.h"

namespace yardmaster::cli {

// The whole command line: the verbs, and the options that all of them share. They are read into `options`.
std::unique_ptr<Verb> CommandLine(GlobalOptions& options);

// Runs one command line (without the program's name). Throws nothing.
ExitCode RunYard(const std::vector<std::string>& arguments, const Environment& env);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_APP_H_
