#include "rules/engine/commands/command_model.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"

namespace yardmaster::rules {
namespace {

constexpr std::string_view kTeamPrefix = "team:";

// By the enumerators.
constexpr std::string_view kStates[] = {"works", "not_yet", "not_offered"};
constexpr std::string_view kTypes[] = {"pr", "issue", "flag", "word", "words", "text", "number", "labels", "path"};
constexpr std::string_view kRights[] = {"anyone", "author", "collaborator", "maintainer"};

struct PlaceName {
  CommandPlace place;
  std::string_view name;
};
constexpr PlaceName kPlaceNames[] = {
    {kFromIssue, "issue"}, {kFromPull, "pull"}, {kFromChat, "chat"}, {kFromCli, "cli"}};

}  // namespace

std::string RightName(const CommandRight& right) {
  if (right.kind == CommandRight::Kind::kTeam) return std::string(kTeamPrefix) + right.team;
  return std::string(kRights[static_cast<size_t>(right.kind)]);
}

bool ParseRight(std::string_view name, CommandRight& right) {
  right.team.clear();
  if (const auto known = absl::c_find(kRights, name); known != std::end(kRights)) {
    right.kind = static_cast<CommandRight::Kind>(known - std::begin(kRights));
    return true;
  }
  if (!name.starts_with(kTeamPrefix)) return false;
  name.remove_prefix(kTeamPrefix.size());

  // "team" or "org/team"; what stands here goes into paths of the forge's API.
  const auto plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
  };
  size_t parts = 0;
  while (true) {
    const size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    if (part.empty() || part.front() == '.' || !absl::c_all_of(part, plain)) return false;
    right.team += (parts > 0 ? "/" : "") + std::string(part);
    if (++parts > 2) return false;
    if (end == name.size()) break;
    name.remove_prefix(end + 1);
  }
  right.kind = CommandRight::Kind::kTeam;
  return true;
}

std::string_view AccessName(CommandAccess access) { return access == CommandAccess::kRead ? "read" : "write"; }

std::string_view StateName(CommandState state) { return kStates[static_cast<size_t>(state)]; }

CommandState StateFromName(std::string_view name) {
  return static_cast<CommandState>(absl::c_find(kStates, name) - std::begin(kStates));
}

std::string_view TypeName(CommandParameterType type) { return kTypes[static_cast<size_t>(type)]; }

CommandParameterType TypeFromName(std::string_view name) {
  return static_cast<CommandParameterType>(absl::c_find(kTypes, name) - std::begin(kTypes));
}

std::vector<std::string> PlaceNames(uint8_t places) {
  std::vector<std::string> out;
  out.reserve(std::size(kPlaceNames));
  for (const PlaceName& place : kPlaceNames) {
    if ((places & place.place) != 0) out.emplace_back(place.name);
  }
  return out;
}

const CommandParameter* CommandModel::Parameter(std::string_view name_or_alias) const {
  for (const CommandParameter& parameter : parameters) {
    if (parameter.name == name_or_alias) return &parameter;
    if (absl::c_linear_search(parameter.aliases, name_or_alias)) {
      return &parameter;
    }
  }
  return nullptr;
}

const CommandParameter* CommandModel::ParameterOfSlot(std::string_view slot) const {
  const auto it =
      absl::c_find_if(parameters, [&](const CommandParameter& parameter) { return parameter.slot == slot; });
  return it == parameters.end() ? nullptr : &*it;
}

}  // namespace yardmaster::rules
