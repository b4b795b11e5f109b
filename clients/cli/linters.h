// The linters that a project uses besides its rules here: which there are,
// whether a project has set one up, and running one on files of a folder.
#ifndef YARDMASTER_CLIENTS_CLI_LINTERS_H_
#define YARDMASTER_CLIENTS_CLI_LINTERS_H_

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yardmaster::cli {

// One row of the table. Each writes lines "FILE:LINE:COLUMN: message" when it
// is started in the folder.
struct Linter {
  std::string name;
  std::vector<std::string> argv;      // files come behind it
  std::vector<std::string> files;     // globs of what it reads
  std::vector<std::string> settings;  // paths at the root: one that is there sets it up
};
const std::vector<Linter>& KnownLinters();

// Files at the root in which projects name the tools that they use.
const std::vector<std::string>& LinterLists();

// Whether the project has set the tool up: one of its files is there, or one of
// LinterLists() names it. `paths`: all of the project; `read`: the text of one
// of them.
bool IsSetUp(const Linter& tool, const std::vector<std::string>& paths,
             const std::function<std::string(const std::string& path)>& read);

// What a project leaves out of its linters' findings, by its own lists.
struct LeftOutFindings {
  std::vector<std::pair<std::string, std::string>> rules;      // path of a file or a folder; the rule
  std::vector<std::pair<std::string, std::string>> functions;  // path of a file; the function
};
// Adds lines `"PATH" "RULE"` and `PATH:FUNCTION`. `repository`: its name, which
// may stand in front of a path.
void AddFilters(std::string_view text, std::string_view repository, LeftOutFindings& out);
void AddAllowed(std::string_view text, std::string_view repository, LeftOutFindings& out);

// The output of a linter without the lines about what is left out. The rule of
// a line is what stands in brackets at its end, the function its first word.
std::string WithoutLeftOut(std::string_view output, const LeftOutFindings& left_out);

struct LinterRun {
  std::string state;  // "done", or "not run": there is no such program, it took
                      // too long, or it broke
  std::string detail;
  std::string output;  // of "done"
};
// `arguments`: in front of the files. `variable`: a variable of our
// environment. A tool that finds something is "done".
LinterRun RunLinter(const Linter& tool, const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                    const std::vector<std::string>& files, const std::function<std::string(const char*)>& variable,
                    std::chrono::milliseconds timeout);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_LINTERS_H_
