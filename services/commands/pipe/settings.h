// What holds for a repository's commands: the files on its base branch and of its organisation, the daemon's config.
#ifndef YARDMASTER_SERVICES_COMMANDS_PIPE_SETTINGS_H_
#define YARDMASTER_SERVICES_COMMANDS_PIPE_SETTINGS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/commands/permission.h"
#include "services/commands/repository_file.h"
#include "services/core/config/config.h"
#include "services/intake/repository_choice.h"
#include "services/intake/subject_view.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::commands {

struct LoadedSettings {
  std::optional<RepositoryFile> repository;
  std::optional<RepositoryFile> organisation;
  // Into this object and the config: keep both.
  SettingLayers layers;
  // Other bots' words, of every layer.
  std::vector<std::string> bot_commands;

  // What holds beside the commands.
  RepositoryFile Merged() const {
    return MergeRepositoryFiles(repository.has_value() ? &*repository : nullptr,
                                organisation.has_value() ? &*organisation : nullptr);
  }

  LoadedSettings() = default;
  LoadedSettings(const LoadedSettings&) = delete;
  LoadedSettings& operator=(const LoadedSettings&) = delete;
};

// Reads both files through the view, as they were within the last minute: of a pull request's base branch, of an
// issue's default branch. A file that can't be read for good, or has problems, is a broken layer. Errors are those that
// pass.
absl::Status LoadSettings(SubjectView& view, const v1::Subject& subject, const Config& config, const PackSet* loaded,
                          LoadedSettings& out);

// What is wrong with a repository's own file that reads so, under what the configuration allows the repository.
Problems CheckRepositoryFile(const v1::Subject& subject, std::string_view text, const Config& config,
                             const PackSet* loaded);

// What a repository's own file says about its reviews; one that can't be used says nothing.
rules::ReviewSettings OwnReviewSettings(const v1::Subject& subject, std::string_view text, const Config& config,
                                        const PackSet* loaded);

// What both files choose for the whole pipe: packs among those that the configuration allows, and the mode.
absl::StatusOr<RepositoryChoice> ChooseByFiles(SubjectView& view, const v1::Subject& subject, const Config& config,
                                               const PackSet* loaded);

}  // namespace yardmaster::commands

#endif  // YARDMASTER_SERVICES_COMMANDS_PIPE_SETTINGS_H_
