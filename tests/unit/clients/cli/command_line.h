// A command line of `yard`, run inside the test's process.
#ifndef YARDMASTER_TESTS_UNIT_CLIENTS_CLI_COMMAND_LINE_H_
#define YARDMASTER_TESTS_UNIT_CLIENTS_CLI_COMMAND_LINE_H_

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "clients/cli/app.h"
#include "tests/support/source_path.h"

namespace yardmaster::cli {

struct Result {
  int code = -1;
  std::string out;
  std::string err;
};

// `in` is what stands on stdin, `variables` the whole environment.
inline Result RunCommandLine(const std::vector<std::string>& arguments, const std::string& in = "",
                             const std::map<std::string, std::string>& variables = {}) {
  std::istringstream input(in);
  std::ostringstream out;
  std::ostringstream err;
  Environment env;
  env.in = &input;
  env.out = &out;
  env.err = &err;
  env.variable = [&variables](const char* name) {
    const auto it = variables.find(name);
    return it == variables.end() ? std::string() : it->second;
  };
  const auto code = static_cast<int>(RunYard(arguments, env));
  return {code, out.str(), err.str()};
}

// The same with the packs that are shipped.
inline Result RunWithShippedPacks(std::vector<std::string> arguments, const std::string& in = "") {
  arguments.insert(arguments.begin(), {"--packs", yardmaster::testing::SourcePath("rules/packs").string()});
  return RunCommandLine(arguments, in);
}

}  // namespace yardmaster::cli

#endif  // YARDMASTER_TESTS_UNIT_CLIENTS_CLI_COMMAND_LINE_H_
