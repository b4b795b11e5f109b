#include "clients/cli/intake_text.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/time_util.h>

#include <array>
#include <utility>
#include <vector>

#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "services/triage/decision_json.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;
using google::protobuf::util::TimeUtil;

constexpr std::array<std::pair<v1::DeliveryState, std::string_view>, 5> kDeliveryStates = {
    {{v1::DELIVERY_STATE_RECEIVED, "received"},
     {v1::DELIVERY_STATE_IGNORED, "ignored"},
     {v1::DELIVERY_STATE_DONE, "done"},
     {v1::DELIVERY_STATE_FAILED, "failed"},
     {v1::DELIVERY_STATE_DEAD, "dead"}}};
constexpr std::array<std::pair<v1::EffectState, std::string_view>, 5> kEffectStates = {
    {{v1::EFFECT_STATE_INTENT, "intent"},
     {v1::EFFECT_STATE_UNKNOWN, "unknown"},
     {v1::EFFECT_STATE_CONFIRMED, "confirmed"},
     {v1::EFFECT_STATE_REFUSED, "refused"},
     {v1::EFFECT_STATE_FAILED, "failed"}}};

template <typename Table, typename State>
std::string_view WordOf(const Table& table, State state) {
  for (const auto& [known, word] : table) {
    if (known == state) return word;
  }
  return "";
}

template <typename Table>
auto StateOf(const Table& table, std::string_view word) -> std::optional<decltype(table[0].first)> {
  for (const auto& [state, known] : table) {
    if (known == word) return state;
  }
  return std::nullopt;
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

Json Subject(bool has, const v1::Subject& subject) {
  if (!has || subject.forge().empty()) return nullptr;
  return SubjectText(subject);
}

Style StyleOf(v1::DeliveryState state) {
  switch (state) {
    case v1::DELIVERY_STATE_DONE:
      return Style::kGood;
    case v1::DELIVERY_STATE_IGNORED:
      return Style::kFaint;
    case v1::DELIVERY_STATE_FAILED:
    case v1::DELIVERY_STATE_DEAD:
      return Style::kBad;
    default:
      return Style::kWarning;
  }
}

Style StyleOf(v1::EffectState state) {
  switch (state) {
    case v1::EFFECT_STATE_CONFIRMED:
      return Style::kGood;
    case v1::EFFECT_STATE_REFUSED:
    case v1::EFFECT_STATE_FAILED:
      return Style::kBad;
    default:
      return Style::kWarning;
  }
}

// "name      value" lines; empty values are left out.
class Facts {
 public:
  explicit Facts(const Output& output) : output_(output) {}
  void Add(const std::string& name, const std::string& value, Style style = Style::kPlain) {
    if (!value.empty()) table_.Row({{name, Style::kFaint}, {Printable(value), style}});
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

std::string_view DeliveryStateWord(v1::DeliveryState state) { return WordOf(kDeliveryStates, state); }
std::string_view EffectStateWord(v1::EffectState state) { return WordOf(kEffectStates, state); }
std::optional<v1::DeliveryState> DeliveryStateFromWord(std::string_view word) { return StateOf(kDeliveryStates, word); }
std::optional<v1::EffectState> EffectStateFromWord(std::string_view word) { return StateOf(kEffectStates, word); }

Json DeliveryJson(const v1::Delivery& delivery) {
  Json out{{"id", delivery.id()},
           {"forge", delivery.forge()},
           {"delivery_id", delivery.delivery_id()},
           {"event", delivery.event()},
           {"action", delivery.action()},
           {"subject", Subject(delivery.has_subject(), delivery.subject())},
           {"state", DeliveryStateWord(delivery.state())},
           {"reason", delivery.reason()},
           {"attempts", delivery.attempts()},
           {"received_at", Time(delivery.has_received_at(), delivery.received_at())},
           {"due_at", Time(delivery.has_due_at(), delivery.due_at())},
           {"settled_at", Time(delivery.has_settled_at(), delivery.settled_at())},
           {"body_sha256", delivery.body_sha256()},
           {"body_bytes", delivery.body_bytes()},
           {"body_kept", delivery.body_kept()}};
  return out;
}

Json EffectJson(const v1::Effect& effect) {
  return Json{{"id", effect.id()},
              {"key", effect.key()},
              {"subject", Subject(effect.has_subject(), effect.subject())},
              {"kind", effect.kind()},
              {"state", EffectStateWord(effect.state())},
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
  table.AlignRight(0);
  table.Header({"ROW", "RECEIVED", "STATE", "EVENT", "SUBJECT", "DELIVERY", "REASON"});
  for (const v1::Delivery& delivery : deliveries) {
    std::string event = delivery.event();
    if (!delivery.action().empty()) event += "." + delivery.action();
    table.Row({std::to_string(delivery.id()),
               ShortTime(delivery.received_at()),
               {std::string(DeliveryStateWord(delivery.state())), StyleOf(delivery.state())},
               Printable(event),
               Printable(SubjectText(delivery.subject())),
               Printable(delivery.delivery_id()),
               Printable(delivery.reason())});
  }
  return table.Render(0, output.columns(), output.color());
}

std::string EffectTable(const google::protobuf::RepeatedPtrField<v1::Effect>& effects, const Output& output) {
  Table table;
  table.AlignRight(0);
  table.Header({"ROW", "CREATED", "STATE", "KIND", "SUBJECT", "DECISION", "KEY", "ON THE FORGE"});
  for (const v1::Effect& effect : effects) {
    table.Row({std::to_string(effect.id()),
               ShortTime(effect.created_at()),
               {std::string(EffectStateWord(effect.state())), StyleOf(effect.state())},
               Printable(effect.kind()),
               Printable(SubjectText(effect.subject())),
               Printable(effect.decision()),
               Printable(effect.key()),
               Printable(effect.forge_ref().empty() ? effect.reason() : effect.forge_ref())});
  }
  return table.Render(0, output.columns(), output.color());
}

std::string DeliveryText(const v1::Delivery& delivery, const Output& output) {
  Facts facts(output);
  facts.Add("delivery", delivery.delivery_id(), Style::kStrong);
  facts.Add("row", std::to_string(delivery.id()));
  facts.Add("forge", delivery.forge());
  facts.Add("event", delivery.event());
  facts.Add("action", delivery.action());
  facts.Add("subject", SubjectText(delivery.subject()));
  facts.Add("state", std::string(DeliveryStateWord(delivery.state())), StyleOf(delivery.state()));
  facts.Add("reason", delivery.reason());
  facts.Add("attempts", std::to_string(delivery.attempts()));
  facts.Add("received", TimeUtil::ToString(delivery.received_at()));
  if (delivery.has_due_at()) facts.Add("due", TimeUtil::ToString(delivery.due_at()));
  if (delivery.has_settled_at()) facts.Add("settled", TimeUtil::ToString(delivery.settled_at()));
  facts.Add("body", std::to_string(delivery.body_bytes()) + " bytes, sha256 " + delivery.body_sha256() +
                        (delivery.body_kept() ? "" : ", no longer kept"));
  return facts.Render();
}

std::string EffectText(const v1::Effect& effect, const Output& output) {
  Facts facts(output);
  facts.Add("effect", effect.key(), Style::kStrong);
  facts.Add("row", std::to_string(effect.id()));
  facts.Add("kind", effect.kind());
  facts.Add("subject", SubjectText(effect.subject()));
  facts.Add("state", std::string(EffectStateWord(effect.state())), StyleOf(effect.state()));
  facts.Add("on the forge", effect.forge_ref());
  facts.Add("reason", effect.reason());
  facts.Add("decision", effect.decision());
  if (effect.delivery() > 0) facts.Add("delivery row", std::to_string(effect.delivery()));
  facts.Add("attempts", std::to_string(effect.attempts()));
  facts.Add("created", TimeUtil::ToString(effect.created_at()));
  if (effect.has_sent_at()) facts.Add("sent", TimeUtil::ToString(effect.sent_at()));
  if (effect.has_settled_at()) facts.Add("settled", TimeUtil::ToString(effect.settled_at()));
  facts.Add("content", ActionText(effect.action()));
  facts.Add("progress", effect.progress());
  return facts.Render();
}

}  // namespace yardmaster::cli
