// The checks of `yard doctor`. Pure: facts in, a finding out. To add one, write a function in forge_checks.cc or
// repository_checks.cc and name it in the table there.
#ifndef YARDMASTER_CLIENTS_DOCTOR_CHECKS_H_
#define YARDMASTER_CLIENTS_DOCTOR_CHECKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "clients/doctor/facts.h"
#include "clients/doctor/finding.h"

namespace yardmaster::doctor {

template <typename Facts>
struct Check {
  std::string_view name;
  Finding (*judge)(const Facts& facts);
};

// In the order in which later ones stand on earlier ones.
absl::Span<const Check<ForgeFacts>> ForgeChecks();
absl::Span<const Check<RepositoryFacts>> RepositoryChecks();

// Every check of the table.
template <typename Facts>
std::vector<CheckedThing> RunChecks(absl::Span<const Check<Facts>> checks, const std::string& subject,
                                    const Facts& facts) {
  std::vector<CheckedThing> findings;
  for (const Check<Facts>& check : checks) findings.push_back({subject, check.name, check.judge(facts)});
  return findings;
}

// "add … at PAGE": where the permissions of these credentials are changed.
std::string PermissionPage(const ForgeFacts& forge);

}  // namespace yardmaster::doctor

#endif  // YARDMASTER_CLIENTS_DOCTOR_CHECKS_H_
