#include "rules/engine/checks/check_set.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/checks/compiled_checks.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {

std::string_view SeverityName(Severity severity) {
  static constexpr std::string_view kNames[] = {"block", "major", "minor", "info"};
  return kNames[static_cast<size_t>(severity)];
}

std::string RuleAndPart(std::string_view rule, std::string_view part) {
  return absl::StrCat(Abs(rule), part.empty() ? "" : ".", Abs(part));
}

CheckSet::CheckSet(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
CheckSet::~CheckSet() = default;

const std::string& CheckSet::pack() const { return impl_->pack; }
const std::vector<CheckInfo>& CheckSet::checks() const { return impl_->infos; }
const std::vector<ProfileInfo>& CheckSet::profiles() const { return impl_->profiles; }
const std::string& CheckSet::default_profile() const { return impl_->default_profile; }
const std::vector<MomentInfo>& CheckSet::moments() const { return impl_->moment_infos; }
const std::vector<StageInfo>& CheckSet::progress() const { return impl_->progress; }
const std::vector<RoleInfo>& CheckSet::roles() const { return impl_->role_infos; }
const std::vector<ReminderInfo>& CheckSet::reminders() const { return impl_->reminders; }

const CheckInfo* CheckSet::Find(std::string_view id) const {
  const auto found = absl::c_find_if(impl_->infos, [&](const CheckInfo& info) { return info.id == id; });
  return found == impl_->infos.end() ? nullptr : &*found;
}

const std::vector<std::string>* CheckSet::List(std::string_view name) const {
  const auto found = impl_->lists.find(name);
  return found == impl_->lists.end() ? nullptr : &found->second;
}

bool CheckSet::across() const {
  if (impl_->across) return true;
  // Known of a set loaded for reviews only when all of it is compiled.
  if (impl_->documents.empty()) return false;
  return absl::c_any_of(impl_->checks, [](const CompiledCheck& check) {
    return absl::c_any_of(check.rules, [](const auto& rule) {
      Problems told_by_the_review;
      const RuleBody* body = rule->off ? nullptr : rule->Body(told_by_the_review);
      return body != nullptr && body->across;
    });
  });
}
bool CheckSet::only_roles() const { return impl_->only_roles; }
bool CheckSet::queries() const { return !impl_->queries.empty(); }
void CheckSet::CompileQueries() const { impl_->queries.Compile(); }

}  // namespace yardmaster::rules
