#include "rules/engine/checks/check_set.h"

#include <algorithm>

#include "rules/engine/checks/compiled_checks.h"

namespace yardmaster::rules {

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kBlock:
      return "block";
    case Severity::kMajor:
      return "major";
    case Severity::kMinor:
      return "minor";
    case Severity::kInfo:
      return "info";
  }
  return {};
}

CheckSet::CheckSet(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
CheckSet::~CheckSet() = default;

const std::string& CheckSet::pack() const { return impl_->pack; }
const std::vector<CheckInfo>& CheckSet::checks() const { return impl_->infos; }
const std::vector<ProfileInfo>& CheckSet::profiles() const { return impl_->profiles; }
const std::string& CheckSet::default_profile() const { return impl_->default_profile; }
const std::vector<ProfileInfo>& CheckSet::moments() const { return impl_->moment_infos; }
const std::vector<RoleInfo>& CheckSet::roles() const { return impl_->role_infos; }

const CheckInfo* CheckSet::Find(std::string_view id) const {
  const auto found =
      std::find_if(impl_->infos.begin(), impl_->infos.end(), [&](const CheckInfo& info) { return info.id == id; });
  return found == impl_->infos.end() ? nullptr : &*found;
}

std::string CheckSet::RoleOf(std::string_view path) const {
  for (const CompiledRole& role : impl_->roles) {
    if (RE2::FullMatch(re2::StringPiece(path.data(), path.size()), *role.path)) return role.info.role;
  }
  return {};
}

const std::vector<std::string>* CheckSet::List(std::string_view name) const {
  const auto found = impl_->lists.find(name);
  return found == impl_->lists.end() ? nullptr : &found->second;
}

const std::map<std::string, std::string>* CheckSet::Map(std::string_view name) const {
  const auto found = impl_->maps.find(name);
  return found == impl_->maps.end() ? nullptr : &found->second;
}

bool CheckSet::across() const { return impl_->across; }

}  // namespace yardmaster::rules
