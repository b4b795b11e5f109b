#include "services/intake/pipeline/request.h"

#include <google/protobuf/util/json_util.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "clients/forge/payload.h"
#include "services/core/limits.h"
#include "services/core/reasons.h"
#include "services/core/repository_name.h"
#include "services/core/sha256.h"
#include "services/intake/webhooks/signature.h"

namespace yardmaster {
namespace {

template <typename Message>
void PutMessage(nlohmann::json& body, const char* key, const Message& message) {
  std::string text;
  if (google::protobuf::util::MessageToJsonString(message, &text).ok()) body[key] = text;
}

// False, with `reason` set, if the member is there and is no such message.
template <typename Message>
bool TakeMessage(const nlohmann::json& body, const char* key, std::optional<Message>& message, std::string& reason) {
  const nlohmann::json* const member = payload::Member(body, key);
  if (member == nullptr || !member->is_string()) return true;
  const auto& text = member->get_ref<const std::string&>();
  if (google::protobuf::util::JsonStringToMessage(text, &message.emplace()).ok()) return true;
  reason = reasons::WithDetail(reasons::kMalformed, key);
  return false;
}

}  // namespace

store::NewDelivery MakeRequest(const SubjectRequest& request, std::string id) {
  nlohmann::json body = {
      // Bodies that are equal would be taken for a replay.
      {"id", id},
      {"repository", request.subject.repository()},
      {"number", request.subject.number()},
      {"pull_request", request.subject.kind() == v1::SUBJECT_KIND_PULL_REQUEST},
      {"sweep", request.origin == v1::Event::ORIGIN_SWEEP},
      {"actor", request.actor},
      {"pack", request.pack},
      {"dry_run", request.mode == v1::MODE_DRY_RUN},
  };
  if (!request.gate.empty()) body["gate"] = request.gate;
  if (request.operation.has_value()) PutMessage(body, "operation", *request.operation);
  if (request.announcement.has_value()) PutMessage(body, "announcement", *request.announcement);
  if (request.test.has_value()) PutMessage(body, "test", *request.test);
  store::NewDelivery delivery;
  delivery.forge = request.subject.forge();
  delivery.delivery_id = std::move(id);
  delivery.event = kRequestEvent;
  delivery.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  delivery.body_sha256 = Sha256Hex(delivery.body);
  delivery.action = request.origin == v1::Event::ORIGIN_SWEEP ? "sweep" : "request";
  delivery.subject = request.subject;
  return delivery;
}

std::optional<SubjectRequest> ReadRequest(std::string_view forge, std::string_view body, std::string& reason) {
  const std::optional<nlohmann::json> parsed = payload::Parse(body, reason);
  if (!parsed.has_value()) return std::nullopt;
  using payload::Member;
  const std::string repository = payload::Name(Member(*parsed, "repository"));
  const std::optional<int64_t> number = payload::PositiveInteger(Member(*parsed, "number"));
  const nlohmann::json* said = Member(*parsed, "announcement");
  // What is said about a repository has no number.
  if (!IsRepositoryName(repository) || (!number.has_value() && said == nullptr)) {
    reason = reasons::WithDetail(reasons::kMalformed, "repository or number");
    return std::nullopt;
  }
  const auto flag = [&](std::string_view key) { return payload::Flag(Member(*parsed, key)).value_or(false); };
  SubjectRequest request;
  request.subject = SubjectOf(forge, {repository, number.value_or(0), flag("pull_request")});
  request.origin = flag("sweep") ? v1::Event::ORIGIN_SWEEP : v1::Event::ORIGIN_COMMAND;
  request.actor = payload::Name(Member(*parsed, "actor"));
  request.pack = payload::Name(Member(*parsed, "pack"));
  request.gate = payload::Name(Member(*parsed, "gate"));
  if (!TakeMessage(*parsed, "operation", request.operation, reason) ||
      !TakeMessage(*parsed, "announcement", request.announcement, reason) ||
      !TakeMessage(*parsed, "test", request.test, reason)) {
    return std::nullopt;
  }
  if (flag("dry_run")) request.mode = v1::MODE_DRY_RUN;
  return request;
}

RoutedEvent ToRoutedEvent(const SubjectRequest& request, std::string_view delivery_id) {
  RoutedEvent routed;
  routed.event.set_id(std::string(delivery_id));
  routed.event.set_origin(request.origin);
  routed.event.set_kind(v1::Event::KIND_REQUESTED);
  *routed.event.mutable_subject() = request.subject;
  routed.event.set_actor(request.actor);
  routed.event.set_gate(request.gate);
  if (request.operation.has_value()) *routed.event.mutable_operation() = *request.operation;
  if (request.announcement.has_value()) *routed.event.mutable_announcement() = *request.announcement;
  if (request.test.has_value()) *routed.event.mutable_test() = *request.test;
  return routed;
}

}  // namespace yardmaster
