#include "clients/forge/transport.h"

#include <utility>

namespace yardmaster {

std::string_view ForgeAnswer::Header(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (EqualsIgnoreCase(header.name, name)) return header.value;
  }
  return {};
}

absl::Status ForgeAnswer::ToStatus() const {
  return error.has_value() ? MakeForgeStatus(*error, message) : absl::OkStatus();
}

ForgeAnswer FailedAnswer(const ForgeError& error, std::string message) {
  ForgeAnswer answer;
  answer.status = error.http_status;
  answer.error = error;
  answer.message = std::move(message);
  return answer;
}

std::string DescribeRequest(const ForgeRequest& request) {
  return request.method + " " + request.target.substr(0, request.target.find('?'));
}

}  // namespace yardmaster
