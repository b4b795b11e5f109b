// The section "repositories".
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/core/config/config_parser.h"
#include "services/core/repository_name.h"

namespace yardmaster {

std::optional<ShadowConfig> ConfigParser::ReadShadow(ObjectReader& reader, const std::string& text,
                                                     const std::vector<std::string>& packs) {
  const size_t at = text.find('@');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    reader.Problem("shadow", "expected PACK@PATH: one of \"packs\", and the folder that holds its other revision");
    return std::nullopt;
  }
  ShadowConfig shadow;
  shadow.pack = text.substr(0, at);
  shadow.folder = Resolve(text.substr(at + 1));
  shadow.pointer = reader.PointerTo("shadow");
  shadow.line = context_.document.PositionOf(shadow.pointer).line;
  if (!absl::c_linear_search(packs, shadow.pack)) {
    reader.Problem("shadow", absl::StrCat("the pack \"", shadow.pack, "\" is none of the repository's \"packs\""));
    return std::nullopt;
  }
  return shadow;
}

void ConfigParser::ParseRepository(const JsonPlace& place) {
  RepositoryConfig entry;
  ObjectReader reader(context_, place, "a repository");
  if (auto forge = reader.RequiredString("forge")) {
    if (config_.forges.find(*forge) == config_.forges.end()) {
      reader.Problem("forge", "this forge is not configured: expected one of the keys of \"forges\"");
    }
    entry.forge = *std::move(forge);
  }
  if (auto repository = reader.RequiredString("repository")) {
    if (!IsRepositoryPattern(*repository)) {
      reader.Problem("repository", "expected a repository: \"owner/name\" or \"owner/*\"");
    }
    entry.repository = *std::move(repository);
    entry.line = context_.document.PositionOf(place.pointer + "/repository").line;
  }
  std::set<std::string> seen;
  for (const JsonPlace& element : reader.Strings("packs")) {
    const std::string& pack = element.value->get_ref<const std::string&>();
    if (!IsConfigName(pack)) {
      context_.Problem(element.pointer, "expected the name of a pack");
    } else if (!seen.insert(pack).second) {
      context_.Problem(element.pointer, absl::StrCat("the pack \"", pack, "\" is named twice"));
    }
    entry.packs.push_back(pack);
    entry.pack_lines.push_back(context_.document.PositionOf(element.pointer).line);
  }
  if (auto shadow = reader.String("shadow")) entry.shadow = ReadShadow(reader, *shadow, entry.packs);
  entry.mode = ParseMode(reader);
  if (reader.Bool("file_for_events").has_value()) {
    config_.warnings.push_back(absl::StrCat(place.pointer,
                                            "/file_for_events does nothing any more: the repository's "
                                            "own file holds for events, too"));
  }
  entry.commands = MergeCommandSettings(ReadCommandSettings(reader, /*bounds=*/true), config_.commands);
  entry.review = ReadReviewConfig(reader);
  reader.Finish();

  for (size_t i = 0; i < config_.repositories.size(); ++i) {
    const RepositoryConfig& earlier = config_.repositories[i];
    if (entry.repository.empty() || earlier.forge != entry.forge) continue;
    if (absl::EqualsIgnoreCase(earlier.repository, entry.repository)) {
      context_.Problem(place.pointer, absl::StrCat("this repository is named already, in /repositories/", i));
    } else if (RepositoryMatches(earlier.repository, entry.repository)) {
      config_.warnings.push_back(absl::StrCat(place.pointer, " is never used: /repositories/", i, " (",
                                              earlier.repository, ") matches first"));
    }
  }
  config_.repositories.push_back(std::move(entry));
}

}  // namespace yardmaster
