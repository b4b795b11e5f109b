#include "clients/cli/user_forges.h"

#include <optional>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/files.h"
#include "clients/forges/shipped_forges.h"
#include "services/core/absl_view.h"
#include "services/core/address.h"
#include "services/core/files.h"
#include "services/core/json_document.h"
#include "services/core/json_reader.h"
#include "services/core/status_macros.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxUserConfigBytes = 1024 * 1024;
constexpr size_t kMaxUserTokenBytes = 64 * 1024;

UserForge ReadUserForge(const JsonContext& context, const JsonPlace& place, const fs::path& folder) {
  UserForge forge;
  ObjectReader reader(context, place, "a forge");
  forge.api_url = reader.String("api_url").value_or("");
  forge.git_url = reader.String("git_url").value_or("");
  for (const JsonPlace& host : reader.Strings("hosts")) {
    forge.hosts.push_back(absl::AsciiStrToLower(host.value->get<std::string>()));
  }
  if (const std::optional<JsonPlace> token = reader.Object("token")) {
    ObjectReader secret(context, *token, "a secret");
    forge.token_env = secret.String("env").value_or("");
    if (const std::optional<std::string> file = secret.String("file")) forge.token_file = folder / *file;
    if (forge.token_env.empty() == forge.token_file.empty()) secret.Missing("env", "either \"env\" or \"file\"");
    secret.Finish();
  }
  reader.Finish();
  return forge;
}

}  // namespace

absl::StatusOr<UserForges> ReadUserForges(const std::string& config, const Environment& env) {
  fs::path file = config;
  if (file.empty()) {
    const std::string xdg = env.variable("XDG_CONFIG_HOME");
    file = (xdg.empty() ? fs::path(env.variable("HOME")) / ".config" : fs::path(xdg)) / "yardmaster" / "config.json";
    std::error_code error;
    if (!fs::exists(file, error)) return UserForges();
  }
  ASSIGN_OR_RETURN(const std::string text, ReadInputFile(file.string(), env, kMaxUserConfigBytes));
  Problems problems;
  UserForges forges;
  const std::optional<JsonDocument> document = JsonDocument::Parse(file.string(), text, JsonLimits(), problems);
  if (document) {
    const JsonContext context{*document, problems};
    ObjectReader reader(context, {&document->value(), ""}, "the configuration");
    if (const std::optional<JsonPlace> all = reader.Object("forges")) {
      for (const auto& [name, value] : all->value->items()) {
        const JsonPlace place{&value, PointerJoin(all->pointer, name)};
        if (FindForge(ShippedForges(), name) == nullptr) {
          context.Problem(place.pointer, "there is no such forge");
        } else {
          forges.emplace(name, ReadUserForge(context, place, file.parent_path()));
        }
      }
    }
    reader.Finish();
  }
  if (!problems.empty()) return ProblemsError("the configuration is not valid", problems);
  return forges;
}

std::string HostOfUrl(std::string_view url) {
  const std::optional<Url> parsed = ParseUrl(url);
  if (!parsed) return "";
  return parsed->port == 0 ? parsed->host : absl::StrCat(parsed->host, ":", parsed->port);
}

std::vector<std::string> HostsOf(const ForgeProfile& profile, const UserForges& forges) {
  std::vector<std::string> hosts = {HostOfUrl(profile.git_url)};
  const auto own = forges.find(profile.name);
  if (own == forges.end()) return hosts;
  hosts.insert(hosts.end(), own->second.hosts.begin(), own->second.hosts.end());
  if (!own->second.git_url.empty()) hosts.push_back(HostOfUrl(own->second.git_url));
  return hosts;
}

const ForgeProfile* ForgeOfHost(const RemoteRepository& remote, const UserForges& forges) {
  for (const ForgeProfile* profile : ShippedForges()) {
    const std::vector<std::string> hosts = HostsOf(*profile, forges);
    if (absl::c_linear_search(hosts, remote.host) || absl::c_linear_search(hosts, std::string(remote.bare_host()))) {
      return profile;
    }
  }
  return nullptr;
}

absl::StatusOr<Secret> NamedToken(const ForgeProfile& profile, const UserForges& forges, const Environment& env) {
  const auto own = forges.find(profile.name);
  if (own != forges.end() && !own->second.token_file.empty()) {
    ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(own->second.token_file, kMaxUserTokenBytes));
    return Secret(std::string(absl::StripAsciiWhitespace(text)));
  }
  const std::string name = own != forges.end() && !own->second.token_env.empty()
                               ? own->second.token_env
                               : absl::AsciiStrToUpper(absl::StrCat(Abs(profile.name), "_TOKEN"));
  std::string value = env.variable(name.c_str());
  return value.empty() ? Secret() : Secret(std::move(value));
}

}  // namespace yardmaster::cli
