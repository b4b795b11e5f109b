// What an interpretation looks like to others: as JSON (contract: a line of `interpret eval`) and as an RPC's answer.
#ifndef YARDMASTER_SERVICES_COMMANDS_INTERPRETATION_H_
#define YARDMASTER_SERVICES_COMMANDS_INTERPRETATION_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "rules/engine/phrases/phrase_set.h"
#include "yardmaster/v1/commands.pb.h"

namespace yardmaster {

// The pack whose phrases are used where no other is named.
inline constexpr std::string_view kPhrasesPack = "common";

// {command, slots, then?, then_slots?, confidence, why, choices?}; `then` has the names only.
nlohmann::ordered_json InterpretationJson(const rules::Interpretation& interpretation);

void WriteInterpretation(const rules::Interpretation& interpretation, v1::InterpretResponse& response);

// {"pr"?: 12, "repo"?: "owner/repo"}; other keys are ignored. nullopt and `error` for what can't be one.
std::optional<rules::PhraseContext> ReadPhraseContext(const nlohmann::json& value, std::string& error);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_COMMANDS_INTERPRETATION_H_
