#include "services/review/reminders.h"

#include <set>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/glob.h"

namespace yardmaster {
namespace {

struct WantedReminder {
  const rules::ReminderInfo* reminder = nullptr;
  std::vector<std::string_view> paths;  // that ask for it
};

bool MatchesAnyGlob(const std::vector<std::string>& globs, const std::string& path) {
  return absl::c_any_of(globs, [&](const std::string& glob) { return MatchesGlob(glob, path); });
}

}  // namespace

std::vector<ChecklistItem> RemindersFor(const std::vector<std::shared_ptr<const rules::CheckSet>>& packs,
                                        const std::vector<std::string>& paths) {
  std::vector<WantedReminder> wanted;
  // Packs may extend the same one.
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const auto& pack : packs) {
    for (const rules::ReminderInfo& reminder : pack->reminders()) {
      if (!seen.emplace(reminder.pack, reminder.id).second) continue;
      WantedReminder one{&reminder, {}};
      for (const std::string& path : paths) {
        if (MatchesAnyGlob(reminder.files, path) && !MatchesAnyGlob(reminder.not_files, path))
          one.paths.push_back(path);
      }
      if (!one.paths.empty()) wanted.push_back(std::move(one));
    }
  }
  absl::c_stable_sort(wanted, [](const WantedReminder& a, const WantedReminder& b) {
    return std::pair(a.reminder->risk, a.paths.size()) > std::pair(b.reminder->risk, b.paths.size());
  });
  if (wanted.size() > kMaxReminders) wanted.resize(kMaxReminders);
  std::vector<ChecklistItem> items;
  for (const WantedReminder& one : wanted) {
    const std::string path = one.paths.size() == 1 ? std::string(one.paths.front()) : std::string();
    items.push_back({one.reminder->id, one.reminder->text, std::nullopt, path});
  }
  return items;
}

}  // namespace yardmaster
