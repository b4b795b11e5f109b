#include "services/workflow/preview.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/status_macros.h"
#include "services/workflow/commit_message.h"

namespace yardmaster::workflow {

absl::StatusOr<std::string> AcceptedMessage(const Preview& preview, const std::string& message) {
  if (!preview) return absl::InvalidArgumentError(absl::StrCat("-m MESSAGE, or --yes for this one:\n\n", message));
  ASSIGN_OR_RETURN(std::string accepted, preview(message, {}));
  return UsableMessage(/*ask=*/false, preview, accepted);
}

absl::StatusOr<std::string> UsableMessage(bool ask, const Preview& preview, const std::string& message) {
  if (ask) return AcceptedMessage(preview, message);
  if (const std::optional<std::string> bad = WhyBadMessage(message)) {
    return absl::FailedPreconditionError(absl::StrCat(*bad, "; give another one: -m MESSAGE"));
  }
  return message;
}

absl::StatusOr<Description> AcceptedDescription(const Preview& preview, const Description& description) {
  const std::string text = absl::StrCat(description.title, "\n\n", description.body);
  const std::vector<std::string> lacks = GapsOf(description.body);
  if (!preview) {
    return absl::InvalidArgumentError(
        absl::StrCat("--title TITLE and --body BODY, or --yes for these",
                     lacks.empty() ? "" : ", which lack something: ", absl::StrJoin(lacks, "; "), ":\n\n", text));
  }
  ASSIGN_OR_RETURN(const std::string accepted, preview(text, lacks));
  const absl::string_view all = absl::StripLeadingAsciiWhitespace(accepted);
  const size_t end = all.find('\n');
  Description out;
  out.title = std::string(absl::StripAsciiWhitespace(all.substr(0, end)));
  if (out.title.empty()) return absl::FailedPreconditionError("the title is empty");
  if (end != absl::string_view::npos) out.body = std::string(absl::StripLeadingAsciiWhitespace(all.substr(end)));
  return out;
}

}  // namespace yardmaster::workflow
