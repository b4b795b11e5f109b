#include "clients/cli/subject_argument.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace yardmaster::cli {
namespace {

bool IsName(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n/:#") == std::string_view::npos;
}

}  // namespace

std::optional<v1::Subject> ParseSubject(std::string_view text) {
  const size_t colon = text.find(':');
  const size_t hash = text.rfind('#');
  if (colon == std::string_view::npos || hash == std::string_view::npos || hash < colon) return std::nullopt;
  const std::string_view forge = text.substr(0, colon);
  const std::string_view repository = text.substr(colon + 1, hash - colon - 1);
  const std::string_view digits = text.substr(hash + 1);
  const size_t slash = repository.find('/');
  if (slash == std::string_view::npos || !IsName(forge)) return std::nullopt;
  if (!IsName(repository.substr(0, slash)) || !IsName(repository.substr(slash + 1))) return std::nullopt;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 1) return std::nullopt;
  v1::Subject subject;
  subject.set_forge(std::string(forge));
  subject.set_repository(std::string(repository));
  subject.set_kind(v1::SUBJECT_KIND_ISSUE);
  subject.set_number(number);
  return subject;
}

}  // namespace yardmaster::cli
