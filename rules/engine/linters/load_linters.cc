// Reads linters.json of a pack, or of the nearest that it extends.
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/linters/linter_settings.h"
#include "rules/engine/pack/pack_part.h"
#include "rules/engine/pack/pack_reader.h"
#include "rules/engine/pack/schema_validator.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

class LintersReader : public PackDocumentReader {
 public:
  using PackDocumentReader::PackDocumentReader;

  LinterProfile Read() {
    LinterProfile profile;
    profile.pack = pack();
    std::set<std::string> names;
    ForEach("linters", [&](const JsonPlace& at) {
      LinterSettings& one = profile.linters.emplace_back();
      Take(*at.value, "name", one.name);
      Take(*at.value, "arguments", one.arguments);
      Take(*at.value, "files", one.files);
      Take(*at.value, "except", one.except);
      Take(*at.value, "filters", one.filters);
      Take(*at.value, "allowed", one.allowed);
      if (at.value->contains("settings")) {
        const nlohmann::json& settings = at.value->at("settings");
        one.settings_path = settings.at("path").get<std::string>();
        const nlohmann::json& content = settings.at("content");
        one.settings = content.is_string() ? content.get<std::string>() : content.dump(2) + "\n";
      }
      if (!names.insert(one.name).second) Add(at.pointer + "/name", "expected each linter once");
    });
    return profile;
  }
};

}  // namespace

const LinterSettings* LinterProfile::Find(std::string_view name) const {
  const auto found = absl::c_find_if(linters, [name](const LinterSettings& one) { return one.name == name; });
  return found == linters.end() ? nullptr : &*found;
}

std::shared_ptr<const LinterProfile> LoadLinters(const PackFiles& files, std::string_view pack, Problems& problems) {
  for (const std::string& owner : PackChain(files, pack)) {
    const auto file = files.find(absl::StrCat(owner, "/linters.json"));
    if (file == files.end()) continue;
    const size_t before = problems.size();
    const auto document = JsonDocument::Parse(Readable(file->first, 200), file->second, PackFileLimits(), problems);
    if (!document || !SchemaValidator::Get().Validate("linters", *document, problems)) return nullptr;
    auto profile = std::make_shared<LinterProfile>(LintersReader(*document, owner, problems).Read());
    if (problems.size() != before) return nullptr;
    return profile;
  }
  return nullptr;
}

}  // namespace yardmaster::rules
