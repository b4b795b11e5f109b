// Where a program may lie, and why one that is there can't be started.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_PROGRAM_PATH_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_PROGRAM_PATH_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::worker {

// The value of NAME among "NAME=value"; empty if it is missing. The first one counts, as getenv() has it.
std::string_view EnvironmentValue(const std::vector<std::string>& environment, std::string_view name);

// The paths to try, in order: the name itself if it has a slash, otherwise one for each folder of `search_path` (an
// empty folder is the working directory).
std::vector<std::string> ProgramCandidates(std::string_view program, std::string_view search_path);

// What a program that exists asks for and that is missing, when the system says "no such file": the interpreter of its
// first line ("#!"), or the loader of an ELF file. Empty if nothing of the kind is to be seen.
std::string MissingInterpreter(const std::filesystem::path& program);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_PROGRAM_PATH_H_
