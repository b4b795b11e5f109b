#include "services/yardworker/device_groups.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace yardmaster::yardworker {

void JoinGroupsOf(const std::vector<std::filesystem::path>& nodes) {
  if (::geteuid() != 0) return;
  std::vector<gid_t> groups(static_cast<size_t>(std::max(0, ::getgroups(0, nullptr))));
  if (!groups.empty() && ::getgroups(static_cast<int>(groups.size()), groups.data()) < 0) return;
  const size_t before = groups.size();
  for (const std::filesystem::path& node : nodes) {
    struct stat about {};
    if (::stat(node.c_str(), &about) != 0 || !S_ISCHR(about.st_mode) || (about.st_mode & S_IRGRP) == 0) continue;
    if (std::find(groups.begin(), groups.end(), about.st_gid) == groups.end()) groups.push_back(about.st_gid);
  }
  // Where that is refused the device says so.
  if (groups.size() > before) static_cast<void>(::setgroups(groups.size(), groups.data()));
}

}  // namespace yardmaster::yardworker
