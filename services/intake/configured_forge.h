// One configured forge, as the pipe sees it: its profile, its client, and the account that we write as.
#ifndef YARDMASTER_SERVICES_INTAKE_CONFIGURED_FORGE_H_
#define YARDMASTER_SERVICES_INTAKE_CONFIGURED_FORGE_H_

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "clients/forge/forge_pulls.h"
#include "clients/forge/profile.h"
#include "clients/git/git_push.h"
#include "services/core/clock.h"
#include "services/intake/notices.h"

namespace yardmaster {

// Thread-safe.
class ConfiguredForge {
 public:
  // References outlive this object. `bot_login` may be empty: then the forge is asked.
  ConfiguredForge(Forge& forge, const ForgeProfile& profile, std::vector<std::chrono::milliseconds> settle,
                  std::string bot_login, const Clock& clock, Notices& notices);

  // What pull requests and branches are written with; before the first use of the others. null: they are not.
  void WriteWith(ForgePulls* pulls, GitPusher* git) {
    pulls_ = pulls;
    git_ = git;
  }
  ForgePulls* pulls() const { return pulls_; }
  GitPusher* git() const { return git_; }

  std::string_view name() const { return profile_.name; }
  const ForgeProfile& profile() const { return profile_; }
  Forge& forge() { return forge_; }
  // Waits before an effect of unknown outcome is read back, counted from when it was sent.
  const std::vector<std::chrono::milliseconds>& settle() const { return settle_; }
  // What one write may take: it must have reached the forge, if ever, well before it is read back for the last time.
  std::chrono::milliseconds WriteTimeout() const;

  // Our account if it is known already, else empty. Never asks.
  std::string KnownLogin() const;
  // Our account; asks the forge where it is not known, at most once a minute where it refuses. Empty if it does not
  // say. Errors are those that pass: the caller tries again later.
  absl::StatusOr<std::string> Login(const ForgeCall& call);
  // Something that we wrote came back under this account. A configured login that is wrong is put right by it.
  void NoteAuthor(std::string_view login);
  // Whether an account may be ours: one of those that are known to be, or any while none is known.
  bool MayBeOurs(std::string_view login) const;
  // Whether it is known to be ours.
  bool IsOurs(std::string_view login) const;

 private:
  Forge& forge_;
  const ForgeProfile& profile_;
  const std::vector<std::chrono::milliseconds> settle_;
  const Clock& clock_;
  Notices& notices_;
  ForgePulls* pulls_ = nullptr;
  GitPusher* git_ = nullptr;
  mutable std::mutex mutex_;  // guards what follows
  // The account that we write as first; then others that were configured or seen.
  std::vector<std::string> logins_;
  std::chrono::steady_clock::time_point ask_again_{};
};

using ConfiguredForges = std::map<std::string, ConfiguredForge*, std::less<>>;

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_CONFIGURED_FORGE_H_
