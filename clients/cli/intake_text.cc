#include "clients/cli/intake_text.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/time_util.h>

#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

#include "absl/algorithm/container.h"
#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "services/triage/decision_json.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;
using google::protobuf::util::TimeUtil;

template <typename State>
struct StateRow {
  State state;
  std::string_view name;
  Style style;
};

constexpr StateRow<v1::DeliveryState> kDeliveryStates[] = {{v1::DELIVERY_STATE_RECEIVED, "received", Style::kWarning},
                                                           {v1::DELIVERY_STATE_IGNORED, "ignored", Style::kFaint},
                                                           {v1::DELIVERY_STATE_DONE, "done", Style::kGood},
                                                           {v1::DELIVERY_STATE_FAILED, "failed", Style::kBad},
                                                           {v1::DELIVERY_STATE_DEAD, "dead", Style::kBad}};
constexpr StateRow<v1::EffectState> kEffectStates[] = {{v1::EFFECT_STATE_INTENT, "intent", Style::kWarning},
                                                       {v1::EFFECT_STATE_UNKNOWN, "unknown", Style::kWarning},
                                                       {v1::EFFECT_STATE_CONFIRMED, "confirmed", Style::kGood},
                                                       {v1::EFFECT_STATE_REFUSED, "refused", Style::kBad},
                                                       {v1::EFFECT_STATE_FAILED, "failed", Style::kBad}};

// The name of a state in its colour; empty for the unspecified one.
template <typename State, size_t kSize>
Cell StateCell(const StateRow<State> (&table)[kSize], State state) {
  const auto* row = absl::c_find_if(table, [&](const StateRow<State>& one) { return one.state == state; });
  return row == std::end(table) ? Cell("") : Cell(std::string(row->name), row->style);
}

template <typename State, size_t kSize>
std::optional<State> StateFromName(const StateRow<State> (&table)[kSize], std::string_view name) {
  const auto* row = absl::c_find_if(table, [&](const StateRow<State>& one) { return one.name == name; });
  return row == std::end(table) ? std::nullopt : std::optional<State>(row->state);
}

Json Time(bool has, const google::protobuf::Timestamp& time) {
  if (!has) return nullptr;
  return TimeUtil::ToString(time);
}

// To the second: what fits a table.
std::string ShortTime(const google::protobuf::Timestamp& time) {
  return TimeUtil::ToString(TimeUtil::SecondsToTimestamp(time.seconds()));
}

std::string SubjectText(const v1::Subject& subject) {
  if (subject.forge().empty()) return "";
  std::string text = SubjectReference(subject);
  if (subject.number() == 0) text.resize(text.rfind('#'));
  return text;
}

Json Subject(const v1::Subject& subject) {
  if (subject.forge().empty()) return nullptr;
  return SubjectText(subject);
}

// "name      value" lines; empty values are left out.
class Facts {
 public:
  explicit Facts(const Output& output) : output_(output) {}
  void Add(const char* name, const Cell& value) {
    if (!value.text.empty()) table_.Row({{name, Style::kFaint}, {Printable(value.text), value.style}});
  }
  void Add(const char* name, bool has, const google::protobuf::Timestamp& time) {
    if (has) Add(name, TimeUtil::ToString(time));
  }
  std::string Render() const { return table_.Render(0, output_.columns(), output_.color()); }

 private:
  const Output& output_;
  Table table_;
};

// What an effect does, without its kind: {"labels": ["bug"]}; {} where nothing is known of it.
std::string ActionText(const v1::Action& action) {
  std::vector<const google::protobuf::FieldDescriptor*> set;
  action.GetReflection()->ListFields(action, &set);
  std::string out;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  for (const auto* field : set) {
    if (field->real_containing_oneof() == nullptr) continue;
    const auto& body = action.GetReflection()->GetMessage(action, field);
    if (google::protobuf::util::MessageToJsonString(body, &out, options).ok()) return out;
  }
  return "{}";
}

}  // namespace

std::optional<v1::DeliveryState> DeliveryStateFromName(std::string_view name) {
  return StateFromName(kDeliveryStates, name);
}

std::optional<v1::EffectState> EffectStateFromName(std::string_view name) { return StateFromName(kEffectStates, name); }

Json DeliveryJson(const v1::Delivery& delivery) {
  return Json{{"id", delivery.id()},
              {"forge", delivery.forge()},
              {"delivery_id", delivery.delivery_id()},
              {"event", delivery.event()},
              {"action", delivery.action()},
              {"subject", Subject(delivery.subject())},
              {"state", StateCell(kDeliveryStates, delivery.state()).text},
              {"reason", delivery.reason()},
              {"attempts", delivery.attempts()},
              {"received_at", Time(delivery.has_received_at(), delivery.received_at())},
              {"due_at", Time(delivery.has_due_at(), delivery.due_at())},
              {"settled_at", Time(delivery.has_settled_at(), delivery.settled_at())},
              {"body_sha256", delivery.body_sha256()},
              {"body_bytes", delivery.body_bytes()},
              {"body_kept", delivery.body_kept()}};
}

Json EffectJson(const v1::Effect& effect) {
  return Json{{"id", effect.id()},
              {"key", effect.key()},
              {"subject", Subject(effect.subject())},
              {"kind", effect.kind()},
              {"state", StateCell(kEffectStates, effect.state()).text},
              {"forge_ref", effect.forge_ref()},
              {"decision", effect.decision()},
              {"attempts", effect.attempts()},
              {"created_at", Time(effect.has_created_at(), effect.created_at())},
              {"sent_at", Time(effect.has_sent_at(), effect.sent_at())},
              {"settled_at", Time(effect.has_settled_at(), effect.settled_at())},
              {"reason", effect.reason()},
              {"delivery", effect.delivery()},
              {"payload", Json::parse(ActionText(effect.action()), nullptr, /*allow_exceptions=*/false)}};
}

std::string DeliveryTable(const google::protobuf::RepeatedPtrField<v1::Delivery>& deliveries, const Output& output) {
  Table table;
  table.AlignRight({0});
  table.Header({"ROW", "RECEIVED", "STATE", "EVENT", "SUBJECT", "DELIVERY", "REASON"});
  for (const v1::Delivery& delivery : deliveries) {
    std::string event = delivery.event();
    if (!delivery.action().empty()) event += "." + delivery.action();
    table.Row({std::to_string(delivery.id()), ShortTime(delivery.received_at()),
               StateCell(kDeliveryStates, delivery.state()), Printable(event),
               Printable(SubjectText(delivery.subject())), Printable(delivery.delivery_id()),
               Printable(delivery.reason())});
  }
  return table.Render(0, output.columns(), output.color());
}

std::string EffectTable(const google::protobuf::RepeatedPtrField<v1::Effect>& effects, const Output& output) {
  Table table;
  table.AlignRight({0});
  table.Header({"ROW", "CREATED", "STATE", "KIND", "SUBJECT", "DECISION", "KEY", "ON THE FORGE"});
  for (const v1::Effect& effect : effects) {
    table.Row({std::to_string(effect.id()), ShortTime(effect.created_at()), StateCell(kEffectStates, effect.state()),
               Printable(effect.kind()), Printable(SubjectText(effect.subject())), Printable(effect.decision()),
               Printable(effect.key()), Printable(effect.forge_ref().empty() ? effect.reason() : effect.forge_ref())});
  }
  return table.Render(0, output.columns(), output.color());
}

std::string DeliveryText(const v1::Delivery& delivery, const Output& output) {
  Facts facts(output);
  facts.Add("delivery", {delivery.delivery_id(), Style::kStrong});
  facts.Add("row", std::to_string(delivery.id()));
  facts.Add("forge", delivery.forge());
  facts.Add("event", delivery.event());
  facts.Add("action", delivery.action());
  facts.Add("subject", SubjectText(delivery.subject()));
  facts.Add("state", StateCell(kDeliveryStates, delivery.state()));
  facts.Add("reason", delivery.reason());
  facts.Add("attempts", std::to_string(delivery.attempts()));
  facts.Add("received", TimeUtil::ToString(delivery.received_at()));
  facts.Add("due", delivery.has_due_at(), delivery.due_at());
  facts.Add("settled", delivery.has_settled_at(), delivery.settled_at());
  facts.Add("body", std::to_string(delivery.body_bytes()) + " bytes, sha256 " + delivery.body_sha256() +
                        (delivery.body_kept() ? "" : ", no longer kept"));
  return facts.Render();
}

std::string EffectText(const v1::Effect& effect, const Output& output) {
  Facts facts(output);
  facts.Add("effect", {effect.key(), Style::kStrong});
  facts.Add("row", std::to_string(effect.id()));
  facts.Add("kind", effect.kind());
  facts.Add("subject", SubjectText(effect.subject()));
  facts.Add("state", StateCell(kEffectStates, effect.state()));
  facts.Add("on the forge", effect.forge_ref());
  facts.Add("reason", effect.reason());
  facts.Add("decision", effect.decision());
  if (effect.delivery() > 0) facts.Add("delivery row", std::to_string(effect.delivery()));
  facts.Add("attempts", std::to_string(effect.attempts()));
  facts.Add("created", TimeUtil::ToString(effect.created_at()));
  facts.Add("sent", effect.has_sent_at(), effect.sent_at());
  facts.Add("settled", effect.has_settled_at(), effect.settled_at());
  facts.Add("content", ActionText(effect.action()));
  facts.Add("progress", effect.progress());
  return facts.Render();
}

}  // namespace yardmaster::cli
