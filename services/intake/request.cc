#include "services/intake/request.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "services/core/limits.h"
#include "services/core/repository_name.h"
#include "services/intake/payload.h"
#include "services/intake/reasons.h"
#include "services/intake/signature.h"

namespace yardmaster {

store::NewDelivery MakeRequest(const SubjectRequest& request, std::string id) {
  const nlohmann::json body = {
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
  store::NewDelivery delivery;
  delivery.forge = request.subject.forge();
  delivery.delivery_id = std::move(id);
  delivery.event = kRequestEvent;
  delivery.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  delivery.body_sha256 = BodyDigest(delivery.body);
  delivery.action = request.origin == v1::Event::ORIGIN_SWEEP ? "sweep" : "request";
  delivery.subject = request.subject;
  return delivery;
}

RequestRoute RouteRequest(const RouteContext& context, std::string_view body) {
  RequestRoute route;
  std::string reason;
  const std::optional<nlohmann::json> parsed = payload::Parse(body, reason);
  if (!parsed.has_value()) {
    route.result.reason = reason;
    return route;
  }
  using payload::Member;
  const std::string repository = payload::Name(Member(*parsed, "repository"));
  const std::optional<int64_t> number = payload::PositiveInteger(Member(*parsed, "number"));
  if (!IsRepositoryName(repository) || !number.has_value()) {
    route.result.reason = reasons::WithDetail(reasons::kMalformed, "repository or number");
    return route;
  }
  const bool sweep = payload::Flag(Member(*parsed, "sweep")).value_or(false);
  SubjectRequest& request = route.request;
  request.subject.set_forge(std::string(context.forge));
  request.subject.set_repository(repository);
  request.subject.set_number(*number);
  request.subject.set_kind(payload::Flag(Member(*parsed, "pull_request")).value_or(false)
                               ? v1::SUBJECT_KIND_PULL_REQUEST
                               : v1::SUBJECT_KIND_ISSUE);
  request.origin = sweep ? v1::Event::ORIGIN_SWEEP : v1::Event::ORIGIN_COMMAND;
  request.actor = payload::Name(Member(*parsed, "actor"));
  request.pack = payload::Name(Member(*parsed, "pack"));
  if (payload::Flag(Member(*parsed, "dry_run")).value_or(false)) request.mode = v1::MODE_DRY_RUN;

  RoutedEvent routed;
  routed.event.set_id(std::string(context.delivery_id));
  routed.event.set_origin(request.origin);
  routed.event.set_kind(v1::Event::KIND_REQUESTED);
  *routed.event.mutable_subject() = request.subject;
  routed.event.set_actor(request.actor);
  route.result.action = sweep ? "sweep" : "request";
  route.result.subject = request.subject;
  route.result.routed = std::move(routed);
  return route;
}

}  // namespace yardmaster
