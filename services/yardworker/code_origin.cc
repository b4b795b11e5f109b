#include "services/yardworker/code_origin.h"

#include "absl/strings/str_cat.h"

namespace yardmaster::yardworker {

std::string CodeOrigin(const v1::JobSpec& spec, const rules::SuiteModel& suite) {
  const std::string& pull = spec.subject().empty() ? spec.head_of() : spec.subject();
  if (!pull.empty()) return absl::StrCat("pull request ", pull);
  if (!spec.repository().empty()) return absl::StrCat("repository ", spec.repository());
  const rules::SourceModel& source = suite.source;
  const std::string named = source.repository.empty() ? absl::StrCat("own suite ", source.own)
                                                      : absl::StrCat("repository ", source.repository);
  return spec.source_digest().empty() ? named : absl::StrCat("uploaded in place of ", named);
}

}  // namespace yardmaster::yardworker
