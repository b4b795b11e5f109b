#include "services/commands/interpretation.h"

#include <cstdint>

namespace yardmaster {
namespace {

// A repository's name is not longer.
constexpr size_t kMaxRepository = 200;

nlohmann::ordered_json CommandJson(const rules::PhraseCommand& command) {
  return {{"command", command.command}, {"slots", command.slots}};
}

void WriteCommand(const std::string& name, const nlohmann::ordered_json& slots, v1::InterpretedCommand& out) {
  out.set_command(name);
  for (const auto& [slot, value] : slots.items()) {
    v1::SlotValue& to = (*out.mutable_slots())[slot];
    if (value.is_boolean()) {
      to.set_flag(value.get<bool>());
    } else if (value.is_number_integer()) {
      to.set_number(value.get<int64_t>());
    } else if (value.is_array()) {
      for (const auto& one : value) to.mutable_list()->add_names(one.get<std::string>());
    } else if (value.is_string()) {
      to.set_text(value.get<std::string>());
    }
  }
}

}  // namespace

nlohmann::ordered_json InterpretationJson(const rules::Interpretation& interpretation) {
  nlohmann::ordered_json out = {{"command", interpretation.command}, {"slots", interpretation.slots}};
  if (!interpretation.then.empty()) {
    nlohmann::ordered_json& then = out["then"] = nlohmann::ordered_json::array();
    nlohmann::ordered_json& slots = out["then_slots"] = nlohmann::ordered_json::array();
    for (const rules::PhraseCommand& command : interpretation.then) {
      then.push_back(command.command);
      slots.push_back(command.slots);
    }
  }
  out["confidence"] = interpretation.confidence;
  out["why"] = interpretation.why;
  if (!interpretation.choices.empty()) {
    nlohmann::ordered_json& choices = out["choices"] = nlohmann::ordered_json::array();
    for (const rules::PhraseCommand& command : interpretation.choices) choices.push_back(CommandJson(command));
  }
  return out;
}

void WriteInterpretation(const rules::Interpretation& interpretation, v1::InterpretResponse& response) {
  WriteCommand(interpretation.command, interpretation.slots, *response.mutable_command());
  for (const rules::PhraseCommand& command : interpretation.then) {
    WriteCommand(command.command, command.slots, *response.add_then());
  }
  response.set_confidence(interpretation.confidence);
  response.set_why(interpretation.why);
  for (const rules::PhraseCommand& command : interpretation.choices) {
    WriteCommand(command.command, command.slots, *response.add_choices());
  }
}

std::optional<rules::PhraseContext> ReadPhraseContext(const nlohmann::json& value, std::string& error) {
  rules::PhraseContext context;
  if (value.is_null()) return context;
  if (!value.is_object()) {
    error = "expected \"context\" to be an object";
    return std::nullopt;
  }
  if (const auto pr = value.find("pr"); pr != value.end() && !pr->is_null()) {
    if (!pr->is_number_integer() || pr->get<int64_t>() < 1) {
      error = "expected \"pr\" of the context to be a number from 1";
      return std::nullopt;
    }
    context.pr = pr->get<int64_t>();
  }
  if (const auto repo = value.find("repo"); repo != value.end() && !repo->is_null()) {
    if (!repo->is_string() || repo->get_ref<const std::string&>().size() > kMaxRepository) {
      error = "expected \"repo\" of the context to be the name of a repository: owner/repo";
      return std::nullopt;
    }
    context.repo = repo->get<std::string>();
  }
  return context;
}

}  // namespace yardmaster
