// What holds for a forge as a whole: the way there, the clock, the credentials.
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/doctor/checks.h"
#include "clients/forge/limits.h"
#include "services/core/absl_view.h"

namespace yardmaster::doctor {
namespace {

std::string Key(const ForgeFacts& facts, std::string_view key) {
  return absl::StrCat("forges.", facts.forge.name, ".", Abs(key));
}

// The forge answered, with whatever.
bool Answers(const ForgeFacts& facts) {
  if (facts.account.ok()) return true;
  const std::optional<ForgeError> error = ForgeErrorOf(facts.account.status());
  return error.has_value() && error->http_status != 0;
}

Finding CheckNetwork(const ForgeFacts& facts) {
  const std::string way = facts.proxy.empty() ? "" : absl::StrCat(" by way of ", facts.proxy);
  if (Answers(facts)) return Ok(absl::StrCat(facts.forge.api_url, " answers", way));
  return Problem(absl::StrCat("no answer of ", facts.forge.api_url, way, ": ", facts.account.status().message()),
                 absl::StrCat("look at ", Key(facts, "api_url"),
                              ", at the proxy (\"proxy\" in the configuration, or https_proxy) and at the firewall"));
}

Finding CheckClock(const ForgeFacts& facts) {
  if (!facts.clock_ahead.has_value()) return Skipped("no answer told the forge's time");
  const auto apart = std::chrono::abs(*facts.clock_ahead);
  if (apart <= kMaxClockSkew) return Ok(absl::StrCat(apart.count(), " s apart"));
  return Warning(absl::StrCat("this machine's clock is ", apart.count(), " s ",
                              facts.clock_ahead->count() > 0 ? "ahead of" : "behind", " the forge's"),
                 "synchronise it (systemd-timesyncd, chrony)");
}

Finding CheckCredentials(const ForgeFacts& facts) {
  const std::string kind = facts.forge.app.has_value() ? "App" : "token";
  if (facts.account.ok()) return Ok(absl::StrCat("the ", kind, " of ", facts.account->user.login));
  if (!Answers(facts)) return Skipped("the forge does not answer");
  if (!facts.forge.app.has_value() && facts.forge.token.empty()) {
    return Problem("there are none", absl::StrCat("make a token (", Abs(facts.profile.setup.token_page),
                                                  ") and name it in ", Key(facts, "token")));
  }
  const std::string message(facts.account.status().message());
  if (facts.forge.app.has_value()) {
    return Problem(absl::StrCat("the forge refuses the App: ", message),
                   absl::StrCat("compare ", Key(facts, "app"), " (id, installation, private_key) with ",
                                Abs(facts.profile.setup.app_page)));
  }
  return Problem(absl::StrCat("the forge refuses the token: ", message),
                 absl::StrCat("make a new one (", Abs(facts.profile.setup.token_page), "), write it where ",
                              Key(facts, "token"), " says, and send the daemon SIGHUP"));
}

Finding CheckLogin(const ForgeFacts& facts) {
  const std::string& configured = facts.forge.bot_login;
  if (!facts.account.ok()) return Skipped("needs credentials that work");
  const std::string& login = facts.account->user.login;
  if (configured.empty()) return Ok(absl::StrCat("the bot writes as ", login));
  if (absl::EqualsIgnoreCase(configured, login))
    return Ok(absl::StrCat("the bot writes as ", login, ", as configured"));
  return Problem(absl::StrCat("the bot writes as ", login, ", but ", Key(facts, "bot_login"), " is ", configured,
                              ": it would take its own comments for those of another"),
                 absl::StrCat("write \"bot_login\": \"", login, "\", or take it out of forges.", facts.forge.name));
}

bool Suffices(std::string_view level, std::string_view needed) { return needed == "read" || level != "read"; }

std::string Name(const PermissionNeed& need) {
  return absl::StrCat(Abs(need.shown), need.level == "read" ? ": Read-only" : ": Read and write");
}

Finding JudgePermissions(const ForgeFacts& facts, const ForgePermissions& granted) {
  std::vector<std::string> missing;
  std::vector<std::string> unused;
  for (const PermissionNeed& need : facts.profile.setup.permissions) {
    const auto it = granted.find(need.name);
    if (it != granted.end() && Suffices(it->second, need.level)) continue;
    if (need.use.empty()) {
      missing.push_back(Name(need));
    } else {
      unused.push_back(absl::StrCat(Name(need), " (for ", Abs(need.use), ")"));
    }
  }
  if (granted.empty()) {
    return Problem("the App's installation is suspended, or may do nothing", PermissionPage(facts));
  }
  if (!missing.empty()) {
    return Problem(absl::StrCat("missing: ", absl::StrJoin(missing, ", ")),
                   absl::StrCat("add them: ", PermissionPage(facts)));
  }
  if (!unused.empty()) {
    return Warning(absl::StrCat("not there: ", absl::StrJoin(unused, ", ")),
                   absl::StrCat("add what you want: ", PermissionPage(facts)));
  }
  return Ok("the App has all that is used");
}

Finding CheckPermissions(const ForgeFacts& facts) {
  if (!facts.account.ok()) return Skipped("needs credentials that work");
  const SetupProfile& setup = facts.profile.setup;
  if (facts.account->permissions.has_value()) return JudgePermissions(facts, *facts.account->permissions);
  if (facts.account->scopes.has_value()) {
    const std::vector<std::string>& scopes = *facts.account->scopes;
    const std::string list = scopes.empty() ? "none" : absl::StrJoin(scopes, ", ");
    if (absl::c_any_of(setup.scopes, [&](const std::string& scope) { return absl::c_linear_search(scopes, scope); })) {
      return Ok(absl::StrCat("scopes of the token: ", list));
    }
    return Problem(absl::StrCat("scopes of the token: ", list),
                   absl::StrCat("add ", absl::StrJoin(setup.scopes, " or "), ": ", PermissionPage(facts)));
  }
  if (setup.permissions.empty()) return Skipped("this forge does not tell what a token may do");
  const bool opaque = !setup.opaque_token_prefix.empty() &&
                      std::string_view(facts.forge.token.Reveal()).starts_with(setup.opaque_token_prefix);
  std::vector<std::string> needed;
  for (const PermissionNeed& need : setup.permissions) {
    if (need.use.empty()) needed.push_back(Name(need));
  }
  return Skipped(
      absl::StrCat("the forge does not tell what ", opaque ? "a fine-grained" : "this",
                   " token may do: reading is tried below, writing is not"),
      absl::StrCat("see for yourself that it has ", absl::StrJoin(needed, ", "), ": ", PermissionPage(facts)));
}

constexpr Check<ForgeFacts> kChecks[] = {
    {"network", CheckNetwork},         {"clock", CheckClock}, {"credentials", CheckCredentials}, {"login", CheckLogin},
    {"permissions", CheckPermissions},
};

}  // namespace

std::string PermissionPage(const ForgeFacts& forge) {
  const SetupProfile& setup = forge.profile.setup;
  return std::string(forge.forge.app.has_value() ? setup.app_page : setup.token_page);
}

absl::Span<const Check<ForgeFacts>> ForgeChecks() { return kChecks; }

}  // namespace yardmaster::doctor
