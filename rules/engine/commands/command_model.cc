#include "rules/engine/commands/command_model.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace yardmaster::rules {
namespace {

constexpr std::string_view kTeamPrefix = "team:";

struct PlaceName {
  CommandPlace place;
  std::string_view name;
};
constexpr PlaceName kPlaces[] = {{kFromIssue, "issue"}, {kFromPull, "pull"}, {kFromChat, "chat"}, {kFromCli, "cli"}};

}  // namespace

std::string RightName(const CommandRight& right) {
  switch (right.kind) {
    case CommandRight::Kind::kAnyone:
      return "anyone";
    case CommandRight::Kind::kAuthor:
      return "author";
    case CommandRight::Kind::kCollaborator:
      return "collaborator";
    case CommandRight::Kind::kMaintainer:
      return "maintainer";
    case CommandRight::Kind::kTeam:
      break;
  }
  return std::string(kTeamPrefix) + right.team;
}

bool ParseRight(std::string_view name, CommandRight& right) {
  right.team.clear();
  for (const CommandRight::Kind kind : {CommandRight::Kind::kAnyone, CommandRight::Kind::kAuthor,
                                        CommandRight::Kind::kCollaborator, CommandRight::Kind::kMaintainer}) {
    right.kind = kind;
    if (RightName(right) == name) return true;
  }
  if (!name.starts_with(kTeamPrefix)) return false;
  name.remove_prefix(kTeamPrefix.size());

  // "team" or "org/team"; what stands here goes into paths of the forge's API.
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
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

std::string_view StateName(CommandState state) {
  switch (state) {
    case CommandState::kWorks:
      return "works";
    case CommandState::kNotYet:
      return "not_yet";
    case CommandState::kNotOffered:
      break;
  }
  return "not_offered";
}

std::string_view TypeName(CommandParameterType type) {
  switch (type) {
    case CommandParameterType::kPull:
      return "pr";
    case CommandParameterType::kIssue:
      return "issue";
    case CommandParameterType::kFlag:
      return "flag";
    case CommandParameterType::kWord:
      return "word";
    case CommandParameterType::kWords:
      return "words";
    case CommandParameterType::kText:
      return "text";
    case CommandParameterType::kNumber:
      return "number";
    case CommandParameterType::kLabels:
      break;
  }
  return "labels";
}

std::vector<std::string> PlaceNames(uint8_t places) {
  std::vector<std::string> out;
  out.reserve(std::size(kPlaces));
  for (const PlaceName& place : kPlaces) {
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
