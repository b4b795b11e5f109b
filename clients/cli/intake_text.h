// Deliveries and effects as `yard` shows them: JSON that scripts rely on, and tables for people.
//
// delivery: {id, forge, delivery_id, event, action, subject, state, reason, attempts, received_at, due_at?,
//            settled_at?, body_sha256, body_bytes, body_kept}
// effect:   {id, key, subject, kind, state, forge_ref, decision, attempts, created_at, sent_at, settled_at, reason,
//            delivery, payload}
// `subject` is "FORGE:OWNER/REPO#N" or null; times are RFC 3339 in UTC, or null.
#ifndef YARDMASTER_CLIENTS_CLI_INTAKE_TEXT_H_
#define YARDMASTER_CLIENTS_CLI_INTAKE_TEXT_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "clients/cli/output.h"
#include "yardmaster/v1/intake.pb.h"
#include "yardmaster/v1/ledger.pb.h"

namespace yardmaster::cli {

// "received", "ignored", …; nullopt for what is no name of a state.
std::optional<v1::DeliveryState> DeliveryStateFromName(std::string_view name);
std::optional<v1::EffectState> EffectStateFromName(std::string_view name);

nlohmann::ordered_json DeliveryJson(const v1::Delivery& delivery);
nlohmann::ordered_json EffectJson(const v1::Effect& effect);

std::string DeliveryTable(const google::protobuf::RepeatedPtrField<v1::Delivery>& deliveries, const Output& output);
std::string EffectTable(const google::protobuf::RepeatedPtrField<v1::Effect>& effects, const Output& output);
// One of them, a line for each fact.
std::string DeliveryText(const v1::Delivery& delivery, const Output& output);
std::string EffectText(const v1::Effect& effect, const Output& output);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_INTAKE_TEXT_H_
