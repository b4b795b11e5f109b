#include "services/commands/permission.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "services/core/absl_view.h"

namespace yardmaster::commands {
namespace {

using rules::CommandRight;

const CommandSetting* SettingOf(const CommandSettings* settings, const std::string& id) {
  if (settings == nullptr) return nullptr;
  const auto it = settings->commands.find(id);
  return it == settings->commands.end() ? nullptr : &it->second;
}

bool SameLogin(std::string_view a, std::string_view b) { return !a.empty() && absl::EqualsIgnoreCase(Abs(a), Abs(b)); }

bool OneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return absl::c_linear_search(words, word);
}

bool Has(const CommandRight& right, const Person& person, const std::string& author) {
  switch (right.kind) {
    case CommandRight::Kind::kAnyone:
      return true;
    case CommandRight::Kind::kAuthor:
      return SameLogin(person.login, author);
    case CommandRight::Kind::kCollaborator:
      return OneOf(person.permission, {"triage", "write", "maintain", "admin"});
    case CommandRight::Kind::kMaintainer:
      return OneOf(person.permission, {"maintain", "admin"});
    case CommandRight::Kind::kTeam:
      return person.is_member && person.is_member(right.team);
  }
  return false;
}

const CommandRight* FirstHeld(const std::vector<CommandRight>& rights, const Person& person,
                              const std::string& author) {
  const auto it = absl::c_find_if(rights, [&](const CommandRight& right) { return Has(right, person, author); });
  return it == rights.end() ? nullptr : &*it;
}

}  // namespace

CommandRights RightsOf(const rules::CommandModel& command, const SettingLayers& layers) {
  CommandRights rights;
  rights.who = command.who;
  // From the widest to the narrowest: the last that speaks is heard.
  struct Layer {
    const CommandSettings* settings;
    SettingSource source;
  };
  for (const Layer& layer :
       {Layer{layers.daemon, SettingSource::kDaemon}, Layer{layers.organisation, SettingSource::kOrganisation},
        Layer{layers.repository, SettingSource::kRepository}}) {
    const CommandSetting* setting = SettingOf(layer.settings, command.id);
    if (setting == nullptr) continue;
    const bool off_for_good = !rights.enabled && rights.enabled_source == SettingSource::kDaemon;
    if (setting->enabled && !off_for_good) {
      rights.enabled = *setting->enabled;
      rights.enabled_source = layer.source;
    }
    if (setting->who) {
      rights.who = *setting->who;
      rights.who_source = layer.source;
    }
    if (setting->at_most && layer.source == SettingSource::kDaemon) rights.at_most = *setting->at_most;
  }
  return rights;
}

PermissionDecision Decide(const PermissionRequest& request, const Person& person, const SettingLayers& layers) {
  const rules::CommandModel& command = *request.command;
  PermissionDecision decision;
  if ((command.places & request.place) == 0) {
    decision.kind = PermissionDecision::Kind::kWrongPlace;
    return decision;
  }
  CommandRights rights = RightsOf(command, layers);
  if (!rights.enabled) {
    decision.kind = PermissionDecision::Kind::kDisabled;
    decision.source = rights.enabled_source;
    decision.who = std::move(rights.who);
    return decision;
  }
  if (command.access == rules::CommandAccess::kWrite && (layers.repository_broken || layers.organisation_broken)) {
    decision.kind = PermissionDecision::Kind::kBrokenFile;
    decision.source = layers.repository_broken ? SettingSource::kRepository : SettingSource::kOrganisation;
    return decision;
  }
  const CommandRight* by = FirstHeld(rights.who, person, request.author);
  decision.source = rights.who_source;
  if (by != nullptr && !rights.at_most.empty() && FirstHeld(rights.at_most, person, request.author) == nullptr) {
    // The bound is what keeps this person out.
    decision.source = SettingSource::kDaemon;
    decision.who = std::move(rights.at_most);
    return decision;
  }
  if (by == nullptr) {
    decision.who = std::move(rights.who);
    return decision;
  }
  decision.kind = PermissionDecision::Kind::kAllowed;
  decision.by = *by;
  return decision;
}

PermissionQuestions QuestionsOf(const PermissionRequest& request, std::string_view login, const SettingLayers& layers) {
  PermissionQuestions questions;
  Person nobody;
  nobody.login = login;
  const PermissionDecision without = Decide(request, nobody, layers);
  if (without.kind != PermissionDecision::Kind::kNotEntitled) return questions;
  const CommandRights rights = RightsOf(*request.command, layers);
  for (const std::vector<CommandRight>* list : {&rights.who, &rights.at_most}) {
    for (const CommandRight& right : *list) {
      if (right.kind == CommandRight::Kind::kCollaborator || right.kind == CommandRight::Kind::kMaintainer) {
        questions.permission = true;
      } else if (right.kind == CommandRight::Kind::kTeam && !absl::c_linear_search(questions.teams, right.team)) {
        questions.teams.push_back(right.team);
      }
    }
  }
  return questions;
}

}  // namespace yardmaster::commands
