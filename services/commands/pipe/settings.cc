#include "services/commands/pipe/settings.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/status_macros.h"
#include "services/intake/outcome.h"

namespace yardmaster::commands {
namespace {

// One file. `broken` is set where there is one that can't be used.
absl::Status Load(SubjectView& view, std::string_view repository, std::string_view path, std::string_view ref,
                  const RepositoryScope& scope, std::optional<RepositoryFile>& file, bool& broken) {
  const absl::StatusOr<std::optional<std::string>> text = view.RecentFile(repository, path, ref);
  if (!text.ok()) {
    // What passes is tried again; what the forge will never show counts as broken.
    if (!Outcome::OfForge(text.status()).failed()) return text.status();
    broken = true;
    return absl::OkStatus();
  }
  if (!text->has_value()) return absl::OkStatus();
  Problems problems;
  file = ParseRepositoryFile(path, **text, scope, problems);
  broken = !file.has_value();
  return absl::OkStatus();
}

// What the configuration lets the repository's own file say.
RepositoryScope OwnScope(const v1::Subject& subject, const Config& config, const PackSet* loaded) {
  RepositoryScope scope;
  scope.loaded = loaded;
  const RepositoryConfig* entry = config.FindRepository(subject.forge(), subject.repository());
  if (entry == nullptr) return scope;
  scope.packs = entry->packs;
  scope.review = &entry->review;
  return scope;
}

void AddBotCommands(const CommandSettings* settings, std::vector<std::string>& out) {
  if (settings == nullptr) return;
  out.insert(out.end(), settings->bot_commands.begin(), settings->bot_commands.end());
}

}  // namespace

absl::Status LoadSettings(SubjectView& view, const v1::Subject& subject, const Config& config, const PackSet* loaded,
                          LoadedSettings& out) {
  RepositoryScope scope = OwnScope(subject, config, loaded);
  const RepositoryConfig* entry = config.FindRepository(subject.forge(), subject.repository());
  std::string ref;
  if (subject.kind() == v1::SUBJECT_KIND_PULL_REQUEST) {
    ASSIGN_OR_RETURN(const ForgePull* pull, view.Pull());
    ref = pull->base_ref;
  }
  absl::Status status =
      Load(view, "", RepositoryFilePath(subject.forge()), ref, scope, out.repository, out.layers.repository_broken);
  if (!status.ok()) return status;
  // An organisation speaks for repositories with other packs, too.
  scope.packs.clear();
  scope.review = nullptr;
  const std::string owner = subject.repository().substr(0, subject.repository().find('/'));
  status = Load(view, OrganisationRepository(subject.forge(), owner), kOrganisationFilePath, "", scope,
                out.organisation, out.layers.organisation_broken);
  if (!status.ok()) return status;
  if (out.repository.has_value()) out.layers.repository = &out.repository->commands;
  if (out.organisation.has_value()) out.layers.organisation = &out.organisation->commands;
  out.layers.daemon = entry != nullptr ? &entry->commands : &config.commands;
  AddBotCommands(out.layers.repository, out.bot_commands);
  AddBotCommands(out.layers.organisation, out.bot_commands);
  AddBotCommands(out.layers.daemon, out.bot_commands);
  return absl::OkStatus();
}

Problems CheckRepositoryFile(const v1::Subject& subject, std::string_view text, const Config& config,
                             const PackSet* loaded) {
  return ValidateRepositoryFile(RepositoryFilePath(subject.forge()), text, OwnScope(subject, config, loaded));
}

rules::ReviewSettings OwnReviewSettings(const v1::Subject& subject, std::string_view text, const Config& config,
                                        const PackSet* loaded) {
  Problems problems;
  const std::optional<RepositoryFile> file =
      ParseRepositoryFile(RepositoryFilePath(subject.forge()), text, OwnScope(subject, config, loaded), problems);
  return file.has_value() ? file->review : rules::ReviewSettings();
}

absl::StatusOr<RepositoryChoice> ChooseByFiles(SubjectView& view, const v1::Subject& subject, const Config& config,
                                               const PackSet* loaded) {
  RepositoryChoice choice;
  LoadedSettings settings;
  RETURN_IF_ERROR(LoadSettings(view, subject, config, loaded, settings));
  const std::string own = RepositoryFilePath(subject.forge());
  const std::string owner = subject.repository().substr(0, subject.repository().find('/'));
  const std::string shared = OrganisationRepository(subject.forge(), owner) + "/" + std::string(kOrganisationFilePath);
  std::vector<std::string> sentences;
  const auto say = [&](bool by_own, std::string what) {
    sentences.push_back(absl::StrCat(by_own ? own : shared, " ", what));
  };
  for (const bool by_own : {true, false}) {
    if (!(by_own ? settings.layers.repository_broken : settings.layers.organisation_broken)) continue;
    choice.broken = true;
    say(by_own, "can't be used as it is: nothing is written until it is fixed");
  }
  const RepositoryFile file = settings.Merged();
  choice.review = file.review;
  choice.publishing = file.publishing;
  if (file.packs.has_value()) {
    const RepositoryConfig* entry = config.FindRepository(subject.forge(), subject.repository());
    choice.packs = PacksOf(file, entry == nullptr ? std::vector<std::string>() : entry->packs);
    say(settings.repository.has_value() && settings.repository->packs.has_value(),
        absl::StrCat("chooses the packs ", absl::StrJoin(choice.packs, ", ")));
  }
  if (file.dry_run) {
    choice.dry_run = true;
    say(settings.repository.has_value() && settings.repository->dry_run, "says dry-run");
  }
  choice.why = absl::StrJoin(sentences, "; ");
  return choice;
}

}  // namespace yardmaster::commands
