// What `yard` takes from its surroundings, besides files and the network. Tests replace it and run `yard` in their own
// process.
#ifndef YARDMASTER_CLIENTS_CLI_ENVIRONMENT_H_
#define YARDMASTER_CLIENTS_CLI_ENVIRONMENT_H_

#include <filesystem>
#include <functional>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace yardmaster::cli {

class Interrupts;

struct Environment {
  std::istream* in = nullptr;
  std::ostream* out = nullptr;
  std::ostream* err = nullptr;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  // Columns of the terminal; 0 if unknown or no terminal.
  int columns = 0;
  // An environment variable; empty if it is not set.
  std::function<std::string(const char* name)> variable;
  // The running program, for finding the packs beside it.
  std::filesystem::path executable;
  // What is large and used until the program ends: taking packs apart piece by piece takes longer than a review. Null:
  // they are freed after use.
  std::vector<std::shared_ptr<const void>>* kept = nullptr;
  // May be null: then temporary files are removed on the usual ways out only.
  Interrupts* interrupts = nullptr;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_ENVIRONMENT_H_
