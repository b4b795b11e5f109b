#include "clients/cli/subject_argument.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "clients/cli/exit_code.h"
#include "services/core/absl_view.h"

namespace yardmaster::cli {
namespace {

bool IsName(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n/:#") == std::string_view::npos;
}

}  // namespace

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  if (!absl::c_all_of(text, absl::ascii_isdigit) || !absl::SimpleAtoi(Abs(text), &number) || number < 1)
    return std::nullopt;
  return number;
}

std::optional<v1::Subject> ParseSubject(std::string_view text) {
  const size_t colon = text.find(':');
  const size_t hash = text.rfind('#');
  if (colon == std::string_view::npos || hash == std::string_view::npos || hash < colon) return std::nullopt;
  const std::string_view forge = text.substr(0, colon);
  const std::string_view repository = text.substr(colon + 1, hash - colon - 1);
  const size_t slash = repository.find('/');
  if (slash == std::string_view::npos || !IsName(forge)) return std::nullopt;
  if (!IsName(repository.substr(0, slash)) || !IsName(repository.substr(slash + 1))) return std::nullopt;
  const std::optional<int64_t> number = ParseNumber(text.substr(hash + 1));
  if (!number.has_value()) return std::nullopt;
  v1::Subject subject;
  subject.set_forge(std::string(forge));
  subject.set_repository(std::string(repository));
  subject.set_kind(v1::SUBJECT_KIND_ISSUE);
  subject.set_number(*number);
  return subject;
}

absl::StatusOr<RepositoryArgument> ParseRepository(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.find('/', colon) == std::string_view::npos) {
    return UsageError("expected a repository: FORGE:OWNER/REPO");
  }
  return RepositoryArgument{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

}  // namespace yardmaster::cli
