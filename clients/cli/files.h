// Files that `yard` reads and writes.
#ifndef YARDMASTER_CLIENTS_CLI_FILES_H_
#define YARDMASTER_CLIENTS_CLI_FILES_H_

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/cli/environment.h"

namespace yardmaster::cli {

// A file to read; "-" is stdin. That it can't be read is an error of usage.
class InputFile {
 public:
  static absl::StatusOr<std::unique_ptr<InputFile>> Open(const std::string& path, const Environment& env);

  std::istream& stream() { return *stream_; }
  // For messages: the path, or "<stdin>".
  const std::string& name() const { return name_; }
  // The rest of the file, unless it has more than `max_bytes`.
  absl::StatusOr<std::string> ReadAll(size_t max_bytes);

 private:
  InputFile() = default;
  std::string name_;
  std::ifstream file_;
  std::istream* stream_ = nullptr;
};

// A file's bytes, or those of stdin.
absl::StatusOr<std::string> ReadInputFile(const std::string& path, const Environment& env, size_t max_bytes);

// A file that appears whole or not at all: written under another name beside it and renamed by Commit. What exists and
// is no regular file (a pipe, a device) is written directly. Without Commit nothing changes.
class OutputFile {
 public:
  // That it can't be made is an error of usage.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Create(const std::string& path, const Environment& env);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return file_; }
  // An error if not everything could be written; the old file, if any, is then still there.
  absl::Status Commit();

 private:
  OutputFile() = default;
  std::filesystem::path path_;
  std::string temporary_;  // empty: written directly, or done
  std::ofstream file_;
  Interrupts* interrupts_ = nullptr;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_FILES_H_
