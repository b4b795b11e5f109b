// The right to open device nodes that only their group may open.
#ifndef YARDMASTER_SERVICES_YARDWORKER_DEVICE_GROUPS_H_
#define YARDMASTER_SERVICES_YARDWORKER_DEVICE_GROUPS_H_

#include <filesystem>
#include <vector>

namespace yardmaster::yardworker {

// Root without capabilities, as in a sandbox, is nobody special: nodes of Ascend (0660, of user and group HwHiAiUser)
// are closed to it, and programs end with -8005. So root joins the groups of these nodes, for itself and all that it
// starts. Does nothing for other users, who are in the groups that their administrator gave them, nor for nodes that
// are not there.
void JoinGroupsOf(const std::vector<std::filesystem::path>& nodes);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_DEVICE_GROUPS_H_
