// Secrets, files, and members that several sections have.
#include <cstdlib>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/config/config_parser.h"
#include "services/core/files.h"

namespace yardmaster {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool IsEnvironmentName(std::string_view text) {
  return !text.empty() && text.size() <= 256 && !(text[0] >= '0' && text[0] <= '9') && absl::c_all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

bool IsConfigName(std::string_view text) {
  return !text.empty() && text.size() <= 64 && text[0] != '.' && text[0] != '-' &&
         absl::c_all_of(text, IsNameCharacter);
}

std::optional<Secret> ConfigParser::ResolveEnvironment(const std::string& name, const std::string& pointer) {
  std::optional<std::string> value;
  if (options_.getenv) {
    value = options_.getenv(name);
  } else if (const char* set = std::getenv(name.c_str()); set != nullptr) {
    value = set;
  }
  if (!value.has_value()) {
    context_.Problem(pointer, absl::StrCat("the environment variable ", name, " is not set"));
    return std::nullopt;
  }
  if (value->empty()) {
    context_.Problem(pointer, absl::StrCat("the environment variable ", name, " is empty"));
    return std::nullopt;
  }
  return Secret(*std::move(value));
}

std::optional<std::string> ConfigParser::ReadFile(const std::string& text, const std::string& pointer,
                                                  size_t max_bytes) {
  absl::StatusOr<std::string> content = ReadSmallFile(Resolve(text), max_bytes);
  if (!content.ok()) {
    context_.Problem(pointer, std::string(content.status().message()));
    return std::nullopt;
  }
  return *std::move(content);
}

Secret ConfigParser::ParseSecret(const JsonPlace& place, const std::function<void(ObjectReader&)>& extra) {
  ObjectReader reader(context_, place, "a secret: {\"env\": NAME} or {\"file\": PATH}");
  const std::optional<std::string> env = reader.String("env");
  const std::optional<std::string> file = reader.String("file");
  if (extra) extra(reader);
  reader.Finish();
  if (!place.value->is_object()) return {};
  if (reader.Has("env") == reader.Has("file")) {
    context_.Problem(place.pointer, "a secret is {\"env\": NAME} or {\"file\": PATH}, exactly one of them");
    return {};
  }
  if (env.has_value()) {
    if (!IsEnvironmentName(*env)) {
      context_.Problem(reader.PointerTo("env"),
                       "expected the name of an environment variable: letters, digits and \"_\"");
      return {};
    }
    if (!options_.resolve_secrets) return {};
    return ResolveEnvironment(*env, reader.PointerTo("env")).value_or(Secret());
  }
  if (!file.has_value() || !options_.resolve_secrets) return {};
  std::optional<std::string> content = ReadFile(*file, reader.PointerTo("file"), kMaxSecretBytes);
  if (!content.has_value()) return {};
  // Editors end a file with a newline, which is no part of the secret.
  if (content->ends_with('\n')) content->pop_back();
  if (content->ends_with('\r')) content->pop_back();
  if (content->empty()) context_.Problem(reader.PointerTo("file"), absl::StrCat("the file \"", *file, "\" is empty"));
  return Secret(*std::move(content));
}

std::optional<RunMode> ConfigParser::ParseMode(ObjectReader& reader) {
  const std::optional<std::string> text = reader.String("mode");
  if (!text.has_value()) return std::nullopt;
  const std::optional<RunMode> mode = RunModeFromName(*text);
  if (!mode.has_value()) reader.Problem("mode", "expected \"dry-run\" or \"apply\"");
  return mode;
}

std::optional<HostPort> ConfigParser::ParseAddress(ObjectReader& reader, std::string_view key) {
  const std::optional<std::string> text = reader.String(key);
  if (!text.has_value()) return std::nullopt;
  std::optional<HostPort> address = ParseHostPort(*text);
  if (!address.has_value()) {
    reader.Problem(key, "expected HOST:PORT, for example \"127.0.0.1:8080\" or \"[::1]:8080\"");
  }
  return address;
}

std::optional<std::string> ConfigParser::ParseUrlMember(ObjectReader& reader, std::string_view key, bool git) {
  std::optional<std::string> text = reader.String(key);
  if (!text.has_value()) return std::nullopt;
  const std::optional<Url> url = ParseUrl(*text);
  const bool scheme_known =
      url.has_value() && (url->scheme == "https" || url->scheme == "http" || (git && url->scheme == "ssh"));
  if (!scheme_known) {
    reader.Problem(
        key, git ? "expected a URL: https:// or ssh://, host, and perhaps port and path; no user name and no query"
                 : "expected a URL: https://, host, and perhaps port and path; no user name and no query");
    return std::nullopt;
  }
  // A token on a plain connection can be read on the way.
  if (url->scheme == "http" && !IsLoopbackHost(url->host)) {
    reader.Problem(key, "plain http:// is accepted for loopback only (127.0.0.1, ::1, localhost): expected https://");
    return std::nullopt;
  }
  while (text->ends_with('/')) text->pop_back();
  return text;
}

void ConfigParser::ParseMillis(ObjectReader& reader, std::string_view key, int64_t low, int64_t high,
                               std::chrono::milliseconds& out) {
  const std::optional<int64_t> value = reader.Integer(key, low, high);
  if (value.has_value()) out = std::chrono::milliseconds(*value);
}

void ConfigParser::ParseDays(ObjectReader& reader, std::string_view key, std::chrono::hours& out) {
  const std::optional<int64_t> value = reader.Integer(key, 1, 36'500);
  if (value.has_value()) out = std::chrono::hours(*value * 24);
}

void ConfigParser::ParseSize(ObjectReader& reader, std::string_view key, int64_t low, int64_t high, size_t& out) {
  const std::optional<int64_t> value = reader.Integer(key, low, high);
  if (value.has_value()) out = static_cast<size_t>(*value);
}

}  // namespace yardmaster
