#include "clients/forge/credentials.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "services/core/absl_view.h"

namespace yardmaster {

absl::Status CredentialsOfAnotherKind(std::string_view forge) {
  return InvalidForgeInput(
      absl::StrCat("forges.", Abs(forge), ": a token in place of an App, or the reverse, needs a restart"));
}

absl::Status StaticToken::Replace(const ForgeConfig& config) {
  if (config.app.has_value()) return CredentialsOfAnotherKind(config.name);
  const std::lock_guard<std::mutex> lock(mutex_);
  token_ = config.token;
  return absl::OkStatus();
}

ForgeAnswer CredentialsTransport::Send(const ForgeRequest& request) {
  absl::StatusOr<Secret> token = credentials_.Token(request.deadline);
  if (!token.ok()) {
    // Whatever went wrong with the token: this request did not leave.
    ForgeError error = ForgeErrorOf(token.status()).value_or(ForgeError{});
    error.outcome = ForgeOutcome::kNotSent;
    return FailedAnswer(error, std::string(token.status().message()));
  }
  if (token->empty()) return inner_.Send(request);

  ForgeRequest with_token = request;
  with_token.headers.push_back({header_.name, header_.value + token->Reveal()});
  ForgeAnswer answer = inner_.Send(with_token);
  if (!answer.error.has_value()) return answer;
  // Forges have been seen to echo tokens; short ones would ruin every message.
  if (token->Reveal().size() >= 4) absl::StrReplaceAll({{token->Reveal(), "[redacted]"}}, &answer.message);
  if (answer.error->reason == ForgeReason::kUnauthorized) answer.credentials_renewed = credentials_.Refused(*token);
  return answer;
}

}  // namespace yardmaster
