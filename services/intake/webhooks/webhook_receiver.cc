#include "services/intake/webhooks/webhook_receiver.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "services/core/absl_view.h"
#include "services/core/reasons.h"
#include "services/core/repository_name.h"
#include "services/core/sha256.h"
#include "services/intake/own_deliveries.h"
#include "services/intake/webhooks/signature.h"

namespace yardmaster {
namespace {

// What a sender that was turned away should wait: the queue is drained within a second; a full disk takes a person.
constexpr int kRetryAfterQueue = 5;

std::string Dump(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

WebhookAnswer Refusal(int status, std::string_view error) { return {status, Dump({{"error", std::string(error)}}), 0}; }

WebhookAnswer Busy() {
  WebhookAnswer answer = Refusal(503, "the daemon can't keep more deliveries now");
  answer.retry_after_s = kRetryAfterQueue;
  return answer;
}

std::string_view FirstHeader(const WebhookRequest& request, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    if (const std::string_view value = request.header(name); !value.empty()) return value;
  }
  return {};
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

bool IsJsonType(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.remove_suffix(1);
  return absl::EqualsIgnoreCase(Abs(type), "application/json");
}

}  // namespace

WebhookReceiver::WebhookReceiver(const Config& config, store::Inbox& inbox, const Clock& clock, Logger& logger)
    : config_(config), inbox_(inbox), clock_(clock), logger_(logger), table_(MakeTable(config)) {}

std::shared_ptr<const WebhookReceiver::Table> WebhookReceiver::MakeTable(const Config& config) {
  auto table = std::make_shared<Table>();
  for (const auto& [name, forge] : config.forges) {
    (*table)[name] = {forge.profile, forge.webhook_secrets, forge.accept_plain_token};
  }
  return table;
}

void WebhookReceiver::ReplaceSecrets(const Config& config) {
  std::shared_ptr<const Table> table = MakeTable(config);
  const std::lock_guard<std::mutex> lock(mutex_);
  table_ = std::move(table);
}

std::string WebhookReceiver::IgnoredOnReceipt(const ForgeProfile& forge, std::string_view event,
                                              const ScanResult& scan) const {
  if (scan.state == ScanState::kNotJson) return reasons::WithDetail(reasons::kNotJson, "no JSON object");
  if (!forge.webhooks.ping_event.empty() && event == forge.webhooks.ping_event) return std::string(reasons::kPing);
  if (!absl::c_linear_search(forge.webhooks.events, event)) {
    return reasons::WithDetail(reasons::kUnknownEvent, event.empty() ? "no event header" : event);
  }
  if (scan.state == ScanState::kAbsent) return std::string(reasons::kNoRepository);
  const RepositoryConfig* repository = config_.FindRepository(forge.name, scan.text);
  if (repository == nullptr || repository->packs.empty()) return std::string(reasons::kNoPack);
  return {};
}

void WebhookReceiver::Receive(const WebhookRequest& request, const Answer& answer) {
  std::shared_ptr<const Table> table;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    table = table_;
  }
  const auto configured = table->find(request.forge);
  const ForgeProfile* forge = configured == table->end() ? nullptr : configured->second.profile;
  if (forge == nullptr) return answer(Refusal(404, "this forge is not configured"));
  const WebhookProfile& webhooks = forge->webhooks;
  const auto refuse = [&](int status, std::string_view why) {
    if (const std::optional<int64_t> left_out = refusals_.Spend(clock_.Monotonic()); left_out.has_value()) {
      logger_.Info(
          "webhook refused",
          {{"request_id", request.request_id}, {"forge", forge->name}, {"why", why}, {"left_out_before", *left_out}});
    }
    answer(Refusal(status, why));
  };
  if (!IsJsonType(request.header("Content-Type"))) {
    return refuse(415, "expected application/json: choose it in the webhook's settings");
  }

  // 1. Who sent it.
  const auto optional_header = [&](std::string_view name) -> std::optional<std::string_view> {
    if (name.empty()) return std::nullopt;
    const std::string_view value = request.header(name);
    if (value.empty()) return std::nullopt;
    return value;
  };
  Proof proof;
  proof.signature = optional_header(webhooks.signature_header);
  proof.token = optional_header(webhooks.token_header);
  proof.accept_token = configured->second.accept_plain_token;
  const std::vector<WebhookSecret>& secrets = configured->second.secrets;
  const ProofResult proved = CheckProof(proof, request.body, secrets);
  if (proved.state != ProofState::kValid) {
    return refuse(401,
                  proved.state == ProofState::kMissing ? "the signature is missing" : "the signature fits no secret");
  }

  // 2. Which delivery it is.
  std::string delivery_id(FirstHeader(request, webhooks.delivery_headers));
  if (delivery_id.empty() && !webhooks.delivery_member.empty()) {
    delivery_id = FindMember(request.body, {"", webhooks.delivery_member}).text;
  }
  if (delivery_id.empty()) return refuse(400, "the header with the delivery id is missing");
  if (delivery_id.size() > kMaxDeliveryIdBytes || !IsPrintable(delivery_id)) {
    return refuse(400, "the delivery id is too long or not printable");
  }

  // 3. Which repository it is about: the secret must be valid for it.
  const ScanResult scan = FindMember(request.body, webhooks.repository);
  // A body that names none can't be worked on. It is refused all the same where every secret that fits is limited; what
  // is not JSON at all belongs to no repository.
  // A secret that is valid for a repository is so under the repository's new name.
  const auto named_in_scope = [&] {
    return InScope(scan.text, proved.secrets, secrets) ||
           InScope(config_.aliases->ConfiguredName(forge->name, scan.text), proved.secrets, secrets);
  };
  const bool in_scope = scan.state == ScanState::kFound
                            ? named_in_scope()
                            : scan.state == ScanState::kNotJson || AnyUnlimited(proved.secrets, secrets);
  if (!in_scope) return refuse(401, "the repository is outside of the scope of the secret");

  // 4. Keep it.
  store::NewDelivery delivery;
  delivery.forge = forge->name;
  delivery.delivery_id = delivery_id;
  std::string_view event = FirstHeader(request, webhooks.event_headers);
  // Our own events come from inside only; whatever this is, it is not known.
  const bool sane = event.size() <= kMaxEventNameBytes && !event.starts_with(kOwnEventPrefix);
  delivery.event = sane ? std::string(event) : std::string();
  delivery.body = request.body;
  delivery.body_sha256 = Sha256Hex(request.body);
  delivery.received_at = clock_.Now();
  if (scan.state == ScanState::kFound) delivery.headers.emplace_back(kRepositoryHeader, scan.text);
  if (std::string ignored = IgnoredOnReceipt(*forge, delivery.event, scan); !ignored.empty()) {
    if (IsRepositoryName(scan.text)) {
      delivery.subject.set_forge(delivery.forge);
      delivery.subject.set_repository(scan.text);
    }
    delivery.ignored_because = std::move(ignored);
  }
  inbox_.Add(std::move(delivery), [this, answer, id = delivery_id,
                                   forge = std::string(forge->name)](const absl::StatusOr<store::AddResult>& added) {
    if (!added.ok()) {
      logger_.Warning("webhook turned away", {{"forge", forge}, {"error", std::string(added.status().message())}});
      if (absl::IsInvalidArgument(added.status())) {
        return answer(Refusal(400, std::string(added.status().message())));
      }
      return answer(Busy());
    }
    nlohmann::ordered_json body = {
        {"delivery", id}, {"duplicate", added->duplicate}, {"state", store::DeliveryStateName(added->state)}};
    if (!added->reason.empty()) body["reason"] = added->reason;
    answer({202, Dump(body), 0});
  });
}

}  // namespace yardmaster
