#include "services/intake/notices.h"

#include "absl/strings/str_cat.h"
#include "clients/forge/limits.h"
#include "services/core/absl_view.h"
#include "services/core/repository_name.h"

namespace yardmaster {
namespace {

std::string AccessKey(std::string_view forge, std::string_view repository) {
  return absl::StrCat("access to ", QualifiedName(forge, repository));
}

}  // namespace

void Notices::Raise(const std::string& key, const std::string& text) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = notices_.find(key);
    if (known != notices_.end() && known->second.text == text) return;
    if (known == notices_.end() && notices_.size() < kMost) notices_[key] = {key, text, clock_.Now()};
    if (known != notices_.end()) known->second.text = text;
  }
  logger_.Warning("an operator is needed", {{"about", key}, {"what", text}});
}

void Notices::Clear(const std::string& key) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (notices_.erase(key) == 0) return;
  }
  logger_.Info("resolved", {{"about", key}});
}

std::vector<Notice> Notices::List() const {
  std::vector<Notice> out;
  const std::lock_guard<std::mutex> lock(mutex_);
  out.reserve(notices_.size());
  for (const auto& [key, notice] : notices_) out.push_back(notice);
  return out;
}

void NoteClock(Notices& notices, std::string_view forge, std::chrono::seconds ahead) {
  const std::string key = absl::StrCat("clock of ", Abs(forge));
  if (std::chrono::abs(ahead) <= kMaxClockSkew) return notices.Clear(key);
  // In minutes, so that the text stays the same.
  const auto minutes = std::chrono::round<std::chrono::minutes>(std::chrono::abs(ahead)).count();
  notices.Raise(
      key, absl::StrCat("this machine's clock is about ", minutes, " min ", ahead.count() > 0 ? "ahead of" : "behind",
                        " that of ", Abs(forge), ": synchronise it (systemd-timesyncd, chrony)"));
}

void NoteAccess(Notices& notices, std::string_view forge, std::string_view repository) {
  notices.Clear(AccessKey(forge, repository));
}

void NoteNoAccess(Notices& notices, std::string_view forge, std::string_view repository, std::string_view why) {
  const std::string name = QualifiedName(forge, repository);
  notices.Raise(AccessKey(forge, repository),
                absl::StrCat("the credentials give no access to ", name, " (", Abs(why),
                             "): its deliveries wait. Install the App there, or give the token access; `yard doctor "
                             "--repository ",
                             name, "` shows what is missing"));
}

}  // namespace yardmaster
