// Files that `yard` reads and writes.
#ifndef YARDMASTER_CLIENTS_CLI_FILES_H_
#define YARDMASTER_CLIENTS_CLI_FILES_H_

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "clients/cli/environment.h"

namespace yardmaster::cli {

// A file to read; "-" is stdin. `error` says why it can't be read.
class InputFile {
 public:
  // nullptr if it can't be opened; a folder can't.
  static std::unique_ptr<InputFile> Open(const std::string& path, const Environment& env, std::string& error);

  std::istream& stream() { return *stream_; }
  // For messages: the path, or "<stdin>".
  const std::string& name() const { return name_; }
  // The rest of the file. nullopt and `error` if it has more than `max_bytes` or can't be read.
  std::optional<std::string> ReadAll(size_t max_bytes, std::string& error);

 private:
  InputFile() = default;
  std::string name_;
  std::ifstream file_;
  std::istream* stream_ = nullptr;
};

// A file that appears whole or not at all: written under another name beside it and renamed by Commit. What exists and
// is no regular file (a pipe, a device) is written directly. Without Commit nothing changes.
class OutputFile {
 public:
  // nullptr if it can't be made.
  static std::unique_ptr<OutputFile> Create(const std::string& path, const Environment& env, std::string& error);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return file_; }
  // False and `error` if not everything could be written; the old file, if any, is then still there.
  bool Commit(std::string& error);

 private:
  OutputFile() = default;
  std::filesystem::path path_;
  std::string temporary_;  // empty: written directly, or done
  std::ofstream file_;
  Interrupts* interrupts_ = nullptr;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_FILES_H_
