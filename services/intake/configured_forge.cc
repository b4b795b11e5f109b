#include "services/intake/configured_forge.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

// Between two questions for a login that the forge does not tell.
constexpr std::chrono::minutes kAskAgain{1};

}  // namespace

ConfiguredForge::ConfiguredForge(Forge& forge, const ForgeProfile& profile,
                                 std::vector<std::chrono::milliseconds> settle, std::string bot_login,
                                 const Clock& clock, Notices& notices)
    : forge_(forge), profile_(profile), settle_(std::move(settle)), clock_(clock), notices_(notices) {
  if (!bot_login.empty()) logins_.push_back(std::move(bot_login));
}

std::chrono::milliseconds ConfiguredForge::WriteTimeout() const {
  using std::chrono::milliseconds;
  const milliseconds last = settle_.empty() ? milliseconds(30'000) : settle_.back();
  return std::clamp(last * 2 / 3, milliseconds(1'000), milliseconds(20'000));
}

std::string ConfiguredForge::KnownLogin() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return logins_.empty() ? std::string() : logins_.front();
}

absl::StatusOr<std::string> ConfiguredForge::Login(const ForgeCall& call) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!logins_.empty()) return logins_.front();
    if (clock_.Monotonic() < ask_again_) return std::string();
  }
  // Without the lock: others that ask meanwhile get the same answer.
  const absl::StatusOr<ForgeUser> user = forge_.CurrentUser(call);
  const std::string notice = absl::StrCat("login of ", Abs(name()));
  if (!user.ok()) {
    const std::optional<ForgeError> error = ForgeErrorOf(user.status());
    if (error.has_value() && (error->Transient() || error->reason == ForgeReason::kStopped)) return user.status();
    notices_.Raise(notice, absl::StrCat("the forge ", Abs(name()), " does not say which account the bot is (",
                                        user.status().message(), "): set forges.", Abs(name()), ".bot_login"));
    const std::lock_guard<std::mutex> lock(mutex_);
    ask_again_ = clock_.Monotonic() + kAskAgain;
    return std::string();
  }
  notices_.Clear(notice);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (logins_.empty() && !user->login.empty()) logins_.push_back(user->login);
  return user->login;
}

void ConfiguredForge::NoteAuthor(std::string_view login) {
  if (login.empty()) return;
  std::string configured;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!logins_.empty() && SameLogin(logins_.front(), login)) return;
    if (!logins_.empty()) configured = logins_.front();
    std::erase_if(logins_, [&](const std::string& known) { return SameLogin(known, login); });
    logins_.insert(logins_.begin(), std::string(login));
  }
  if (configured.empty()) return;
  notices_.Raise(absl::StrCat("login of ", Abs(name())),
                 absl::StrCat("what the bot writes on ", Abs(name()), " comes back as \"", Abs(login), "\", not as \"",
                              configured, "\": correct forges.", Abs(name()), ".bot_login"));
}

bool ConfiguredForge::IsOurs(std::string_view login) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return absl::c_any_of(logins_, [login](const std::string& known) { return SameLogin(known, login); });
}

bool ConfiguredForge::MayBeOurs(std::string_view login) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return logins_.empty() ||
         absl::c_any_of(logins_, [login](const std::string& known) { return SameLogin(known, login); });
}

}  // namespace yardmaster
