#include "services/packs/label_check.h"

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/guardrails.h"
#include "services/core/readable.h"

namespace yardmaster {
namespace {

// The same for names that differ only by case or blanks.
std::string Spelling(std::string_view name) {
  std::string out = rules::NormaliseLabel(name);
  std::erase(out, ' ');
  return out;
}

bool MayWrite(const rules::PackModel& pack, const std::string& label) {
  if (!pack.guardrails.has_value()) return false;
  const std::vector<std::string>& allow = pack.guardrails->allow;
  return absl::c_linear_search(allow, label);
}

}  // namespace

void CheckLabels(const rules::PackModel& pack, const RepositoryLabels& repository, v1::LabelCheck& check) {
  const std::set<std::string, std::less<>> names(repository.names.begin(), repository.names.end());
  std::map<std::string, std::string> spellings;
  for (const std::string& name : repository.names) spellings.emplace(Spelling(name), name);

  check.set_labels(static_cast<uint32_t>(pack.labels.size()));
  for (const rules::LabelModel& label : pack.labels) {
    if (names.contains(label.name)) continue;
    v1::LabelFinding& finding = *check.add_findings();
    finding.set_label(label.name);
    finding.set_written(MayWrite(pack, label.name));
    const std::string quoted = Quoted(label.name);
    const size_t characters = CodePoints(label.name);
    const auto alike = spellings.find(Spelling(label.name));
    if (characters < repository.min_characters || characters > repository.max_characters) {
      finding.set_kind(v1::LabelFinding::KIND_LENGTH);
      finding.set_message(absl::StrCat(quoted, " has ", characters, " characters; the forge takes ",
                                       repository.min_characters, " to ", repository.max_characters));
    } else if (alike != spellings.end()) {
      finding.set_kind(v1::LabelFinding::KIND_SPELLING);
      finding.set_repository_label(alike->second);
      finding.set_message(absl::StrCat(quoted, " is written ", Quoted(alike->second), " in the repository"));
    } else {
      finding.set_kind(v1::LabelFinding::KIND_MISSING);
      finding.set_message(absl::StrCat(quoted, " is not in the repository"));
    }
  }
}

}  // namespace yardmaster
