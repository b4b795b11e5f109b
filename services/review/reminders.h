// The checklist of a change: what only a person can judge, chosen by the files that are touched.
#ifndef YARDMASTER_SERVICES_REVIEW_REMINDERS_H_
#define YARDMASTER_SERVICES_REVIEW_REMINDERS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "rules/engine/checks/check_set.h"
#include "services/review/report.h"

namespace yardmaster {

// More are read by nobody.
inline constexpr size_t kMaxReminders = 7;

// The reminders of all packs about one of `paths`, each once, those of the highest risk first; of the same risk those
// about more of the paths.
std::vector<ChecklistItem> RemindersFor(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs,
                                        const std::vector<std::string>& paths);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_REMINDERS_H_
