#include "services/core/logging.h"

#include <re2/re2.h>
#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/credentials.h"
#include "services/core/limits.h"
#include "services/core/utf8.h"

namespace yardmaster {
namespace {

constexpr size_t kShortestSecret = 4;

// Credentials known by what stands before them, and what is put in their place.
struct CredentialPattern {
  std::string_view pattern;
  std::string_view replacement;
};
constexpr CredentialPattern kCredentialPatterns[] = {
    // Authorization: Bearer …, PRIVATE-TOKEN: … and the like.
    {R"((?i)((?:bearer|basic|private-token:?|authorization: *token) +)[a-z0-9._~+/=-]{6,})", R"(\1[redacted])"},
    // ?access_token=…&token=…, client_secret=….
    {R"((?i)((?:token|secret|password|api_key)=)[^&\s"'#]+)", R"(\1[redacted])"},
};
// One of these is in every text that a pattern above can match: nearly all lines are done after one pass.
constexpr char kCredentialHint[] = "(?i)bearer|basic|token|secret=|password=|api_key=";

}  // namespace

std::string_view LogLevelName(LogLevel level) {
  static constexpr std::string_view kNames[] = {"debug", "info", "warning", "error"};
  return kNames[static_cast<size_t>(level)];
}

std::optional<LogLevel> LogLevelFromName(std::string_view name) {
  for (LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    if (name == LogLevelName(level)) return level;
  }
  return std::nullopt;
}

// --- Redaction ---

struct Redactor::Impl {
  struct Pattern {
    std::unique_ptr<re2::RE2> match;
    std::string replacement;
  };
  std::vector<Pattern> patterns;
  re2::RE2 hint{kCredentialHint};
  mutable std::shared_mutex mutex;
  std::vector<std::string> values;  // longest first, so that a secret that contains another goes as a whole
};

Redactor::Redactor() : impl_(std::make_unique<Impl>()) {
  for (const CredentialPattern& known : kCredentialPatterns) {
    impl_->patterns.push_back({std::make_unique<re2::RE2>(re2::StringPiece(known.pattern.data(), known.pattern.size())),
                               std::string(known.replacement)});
  }
}

Redactor::~Redactor() = default;

void Redactor::Add(const Secret& secret) {
  const std::string& value = secret.Reveal();
  if (value.size() < kShortestSecret) return;
  std::unique_lock<std::shared_mutex> lock(impl_->mutex);
  if (absl::c_linear_search(impl_->values, value)) return;
  impl_->values.push_back(value);
  absl::c_stable_sort(impl_->values, [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

std::string Redactor::Redact(std::string_view text) const {
  std::string out(text);
  {
    std::shared_lock<std::shared_mutex> lock(impl_->mutex);
    for (const std::string& value : impl_->values) {
      for (size_t at = out.find(value); at != std::string::npos; at = out.find(value, at + kRedacted.size())) {
        out.replace(at, value.size(), kRedacted);
      }
    }
  }
  if (re2::RE2::PartialMatch(out, impl_->hint)) {
    for (const Impl::Pattern& pattern : impl_->patterns) {
      re2::RE2::GlobalReplace(&out, *pattern.match, pattern.replacement);
    }
  }
  return WithoutCredentials(std::move(out));
}

// --- Lines ---

namespace {

// Appends a JSON string. Bytes that are no UTF-8 become U+FFFD, so that every line is JSON.
void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const Utf8Char c = DecodeUtf8(text, i);
    if (!c.valid) {
      out += "\xEF\xBF\xBD";
    } else if (c.code_point == '"' || c.code_point == '\\') {
      out += {'\\', text[i]};
    } else if (c.code_point == '\n') {
      out += "\\n";
    } else if (c.code_point == '\r') {
      out += "\\r";
    } else if (c.code_point == '\t') {
      out += "\\t";
    } else if (c.code_point < 0x20 || c.code_point == 0x7f) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c.code_point));
      out += escaped;
    } else {
      out += text.substr(i, c.bytes);
    }
    i += c.bytes;
  }
  out += '"';
}

void AppendNumber(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  if (error == std::errc()) out.append(buffer, end);
}

// "2024-05-01T12:00:00.123Z". The seconds are the same for many lines of a thread, so they are kept.
void AppendTimestamp(std::string& out) {
  const auto now = std::chrono::system_clock::now();
  const int64_t millis = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  thread_local int64_t cached_second = -1;
  thread_local char cached[24];
  const int64_t second = millis / 1000;
  if (second != cached_second) {
    const std::time_t time = static_cast<std::time_t>(second);
    std::tm utc{};
    gmtime_r(&time, &utc);
    std::strftime(cached, sizeof(cached), "%Y-%m-%dT%H:%M:%S", &utc);
    cached_second = second;
  }
  char fraction[8];
  std::snprintf(fraction, sizeof(fraction), ".%03dZ", static_cast<int>(millis % 1000));
  out += cached;
  out += fraction;
}

std::string_view Cut(std::string_view text) { return text.substr(0, kMaxLogFieldBytes); }

void AppendValue(std::string& out, const LogField::Value& value, const Redactor& redactor, bool quote) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    // Redacted before it is cut and before it is escaped: a cut or an escape could hide a secret from the search.
    const std::string clean = redactor.Redact(*text);
    const bool plain = !quote && !clean.empty() && clean.find_first_of(" \"\\\n\r\t=") == std::string::npos;
    if (plain) {
      out += Cut(clean);
    } else {
      AppendJsonString(out, Cut(clean));
    }
  } else if (const auto* number = std::get_if<int64_t>(&value)) {
    out += std::to_string(*number);
  } else if (const auto* natural = std::get_if<uint64_t>(&value)) {
    out += std::to_string(*natural);
  } else if (const auto* real = std::get_if<double>(&value)) {
    AppendNumber(out, *real);
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    out += *flag ? "true" : "false";
  }
}

// Hands lines on as they are.
class FunctionSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FunctionSink(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    write_(std::string_view(message.payload.data(), message.payload.size()));
  }
  void flush_() override {
    std::lock_guard<std::mutex> lock(flush_mutex_);
    ++flushes_;
    flushed_.notify_all();
  }

 public:
  uint64_t flushes() {
    std::lock_guard<std::mutex> lock(flush_mutex_);
    return flushes_;
  }
  void WaitForFlush(uint64_t after, std::chrono::milliseconds timeout) {
    std::unique_lock<std::mutex> lock(flush_mutex_);
    flushed_.wait_for(lock, timeout, [&] { return flushes_ > after; });
  }

 private:
  std::function<void(std::string_view)> write_;
  std::mutex flush_mutex_;
  std::condition_variable flushed_;
  uint64_t flushes_ = 0;
};

// One write(2) a line, so that lines of several processes on one pipe stay whole.
void WriteToStderr(std::string_view line) {
  std::string whole(line);
  whole += '\n';
  std::fwrite(whole.data(), 1, whole.size(), stderr);
}

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  static constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                          spdlog::level::warn, spdlog::level::err};
  return kLevels[static_cast<size_t>(level)];
}

}  // namespace

struct Logger::Impl {
  LoggerOptions::Format format = LoggerOptions::Format::kJson;
  std::shared_ptr<spdlog::details::thread_pool> pool;  // null: lines are written by the caller
  std::shared_ptr<spdlog::logger> logger;
  std::shared_ptr<FunctionSink> sink;
};

Logger::Logger(LoggerOptions options) : level_(options.level), impl_(std::make_unique<Impl>()) {
  impl_->format = options.format;
  impl_->sink = std::make_shared<FunctionSink>(options.sink ? std::move(options.sink) : WriteToStderr);
  if (options.async) {
    impl_->pool = std::make_shared<spdlog::details::thread_pool>(kLogQueueLines, 1);
    impl_->logger = std::make_shared<spdlog::async_logger>("yardmaster", impl_->sink, impl_->pool,
                                                           spdlog::async_overflow_policy::overrun_oldest);
  } else {
    impl_->logger = std::make_shared<spdlog::logger>("yardmaster", impl_->sink);
  }
  // Levels were decided before the line was made.
  impl_->logger->set_level(spdlog::level::trace);
}

// The pool's destructor lets its thread write what is queued before it joins it.
Logger::~Logger() = default;

void Logger::Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!Enabled(level)) return;
  std::string line;
  line.reserve(256);
  const std::string clean = redactor_.Redact(message);
  if (impl_->format == LoggerOptions::Format::kJson) {
    line += "{\"ts\":\"";
    AppendTimestamp(line);
    line += "\",\"level\":\"";
    line += LogLevelName(level);
    line += "\",\"msg\":";
    AppendJsonString(line, Cut(clean));
    for (const LogField& field : fields) {
      line += ',';
      AppendJsonString(line, field.key());
      line += ':';
      AppendValue(line, field.value(), redactor_, /*quote=*/true);
    }
    line += '}';
  } else {
    AppendTimestamp(line);
    line += ' ';
    line += LogLevelName(level);
    line.append(8 - std::min<size_t>(7, LogLevelName(level).size()), ' ');
    line += Cut(clean);
    for (const LogField& field : fields) {
      line += "  ";
      line += field.key();
      line += '=';
      AppendValue(line, field.value(), redactor_, /*quote=*/false);
    }
  }
  impl_->logger->log(ToSpdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

void Logger::Flush() {
  // The queue keeps its order: when the request to flush has come through, so have all lines before it.
  const uint64_t before = impl_->sink->flushes();
  impl_->logger->flush();
  if (impl_->pool != nullptr) impl_->sink->WaitForFlush(before, kLogFlushTimeout);
}

}  // namespace yardmaster
