// Structured logs: one JSON object a line on stderr, written by a thread of its own so that a slow reader never holds
// up a call. All redaction happens here and nowhere else.
#ifndef YARDMASTER_SERVICES_CORE_LOGGING_H_
#define YARDMASTER_SERVICES_CORE_LOGGING_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "services/core/secret.h"

namespace yardmaster {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError };
std::string_view LogLevelName(LogLevel level);
std::optional<LogLevel> LogLevelFromName(std::string_view name);

// A key and a value of a log line. Made on the spot: LogField("pack", name).
class LogField {
 public:
  using Value = std::variant<std::string_view, int64_t, uint64_t, double, bool>;
  LogField(std::string_view key, std::string_view value) : key_(key), value_(value) {}
  LogField(std::string_view key, const char* value) : key_(key), value_(std::string_view(value)) {}
  LogField(std::string_view key, const std::string& value) : key_(key), value_(std::string_view(value)) {}
  LogField(std::string_view key, double value) : key_(key), value_(value) {}
  LogField(std::string_view key, bool value) : key_(key), value_(value) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  LogField(std::string_view key, T value) : key_(key) {
    if constexpr (std::is_signed_v<T>) {
      value_ = static_cast<int64_t>(value);
    } else {
      value_ = static_cast<uint64_t>(value);
    }
  }

  std::string_view key() const { return key_; }
  const Value& value() const { return value_; }

 private:
  std::string_view key_;
  Value value_;
};

// Takes secrets out of texts: registered values, and what looks like a credential (bearer tokens, tokens of known
// forges, private keys, passwords in URLs). Thread-safe.
class Redactor {
 public:
  Redactor();
  ~Redactor();
  // Registers a value; it is kept for good, since old secrets stay secret. Values shorter than 4 bytes are ignored:
  // taking them out would ruin every line.
  void Add(const Secret& secret);
  // The text with every secret replaced by "[redacted]".
  std::string Redact(std::string_view text) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct LoggerOptions {
  enum class Format { kJson, kHuman };
  LogLevel level = LogLevel::kInfo;
  Format format = Format::kJson;
  // False: lines are written before Log returns (tests, short-lived programs).
  bool async = true;
  // Where lines go; null = stderr. Called from one thread at a time.
  std::function<void(std::string_view line)> sink;
};

// Thread-safe.
class Logger {
 public:
  explicit Logger(LoggerOptions options);
  // Writes what is waiting.
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  // Ask before making fields that are expensive.
  bool Enabled(LogLevel level) const { return level >= level_; }

  // `message` is a fixed sentence; what varies goes into fields. Keys are snake_case; "request_id" where there is one.
  void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});
  void Debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
    if (Enabled(LogLevel::kDebug)) Log(LogLevel::kDebug, message, fields);
  }
  void Info(std::string_view message, std::initializer_list<LogField> fields = {}) {
    if (Enabled(LogLevel::kInfo)) Log(LogLevel::kInfo, message, fields);
  }
  void Warning(std::string_view message, std::initializer_list<LogField> fields = {}) {
    if (Enabled(LogLevel::kWarning)) Log(LogLevel::kWarning, message, fields);
  }
  void Error(std::string_view message, std::initializer_list<LogField> fields = {}) {
    if (Enabled(LogLevel::kError)) Log(LogLevel::kError, message, fields);
  }

  // Blocks until all lines so far are written, at most kLogFlushTimeout.
  void Flush();

  Redactor& redactor() { return redactor_; }

 private:
  struct Impl;
  const LogLevel level_;
  Redactor redactor_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_LOGGING_H_
