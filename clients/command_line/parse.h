// Reads the words of a command line.
#ifndef YARDMASTER_CLIENTS_COMMAND_LINE_PARSE_H_
#define YARDMASTER_CLIENTS_COMMAND_LINE_PARSE_H_

#include <string>
#include <vector>

#include "clients/command_line/command.h"

namespace yardmaster::command_line {

// What a command line asks for: a command, the text of --help or --version, or, if it is wrong, nothing.
struct Parsed {
  const Command* command = nullptr;  // the program or the verb to run; its variables are filled
  std::string answer;                // what to print
  std::string error;                 // what is wrong, in one line
  std::string path;                  // "yard rules test": the last command that was named, whose help tells more
};

// `arguments` are without the program's name.
Parsed Parse(const Command& program, const std::vector<std::string>& arguments);

}  // namespace yardmaster::command_line

#endif  // YARDMASTER_CLIENTS_COMMAND_LINE_PARSE_H_
