// The section "forges".
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/config/config_parser.h"
#include "services/core/repository_name.h"

namespace yardmaster {

void ConfigParser::ParseApp(JsonPlace place, ForgeConfig& forge) {
  ObjectReader reader(context_, std::move(place), "an app");
  ForgeApp app;
  for (auto [key, target] : {std::pair{"id", &app.id}, std::pair{"installation", &app.installation}}) {
    if (!reader.Has(key)) reader.Missing(key, "the number that the forge shows");
    if (auto id = reader.Id(key)) *target = *std::move(id);
  }
  if (auto key = reader.Any("private_key")) {
    const size_t problems_before = context_.problems.size();
    app.private_key = ParseSecret(*key);
    if (options_.resolve_secrets && context_.problems.size() == problems_before) {
      const absl::Status valid = ValidatePrivateKey(app.private_key, "private_key");
      if (!valid.ok()) context_.Problem(key->pointer, std::string(valid.message()));
    }
  } else {
    reader.Missing("private_key", "{\"file\": PATH} or {\"env\": NAME}");
  }
  reader.Finish();
  forge.app = std::move(app);
}

void ConfigParser::ParseBudget(JsonPlace place, ForgeBudget& budget) {
  ObjectReader reader(context_, std::move(place), "a budget");
  const auto read = [&](const char* key, int64_t low, int64_t high, std::optional<uint32_t>& out) {
    if (auto value = reader.Integer(key, low, high)) out = static_cast<uint32_t>(*value);
  };
  read("mutations_per_minute", 1, 100'000, budget.mutations_per_minute);
  read("mutations_per_hour", 1, 1'000'000, budget.mutations_per_hour);
  read("spacing_ms", 0, 600'000, budget.spacing_ms);
  read("requests_per_minute", 1, 1'000'000, budget.requests_per_minute);
  reader.Finish();
}

void ConfigParser::ParseWebhookSecret(const JsonPlace& place, ForgeConfig& forge) {
  WebhookSecret secret;
  secret.secret = ParseSecret(place, [&](ObjectReader& reader) {
    for (const JsonPlace& element : reader.Strings("repositories")) {
      const std::string& repository = element.value->get_ref<const std::string&>();
      if (!IsRepositoryPattern(repository)) {
        context_.Problem(element.pointer, "expected a repository: \"owner/name\" or \"owner/*\"");
      }
      secret.repositories.push_back(repository);
    }
    // An empty list is not "no list": it would let the secret open nothing.
    if (reader.Has("repositories") && secret.repositories.empty()) {
      reader.Problem("repositories", "expected at least one repository; leave the key out for all of this forge");
    }
  });
  forge.webhook_secrets.push_back(std::move(secret));
}

void ConfigParser::ParseHook(JsonPlace place, ForgeConfig& forge) {
  ObjectReader reader(context_, std::move(place), "a hook");
  ForgeHook hook;
  if (auto repository = reader.RequiredString("repository")) {
    if (!IsRepositoryName(*repository)) {
      reader.Problem("repository", "expected a repository: \"owner/name\"");
    }
    hook.repository = *std::move(repository);
  }
  if (!reader.Has("id")) reader.Missing("id", "the hook's number");
  if (auto id = reader.Id("id")) hook.id = *std::move(id);
  reader.Finish();
  forge.hooks.push_back(std::move(hook));
}

void ConfigParser::ParseForge(const ForgeProfile& profile, JsonPlace place) {
  ForgeConfig forge;
  forge.name = profile.name;
  forge.profile = &profile;
  forge.api_url = profile.api_url;
  ObjectReader reader(context_, std::move(place), "a forge");
  if (auto url = ParseUrlMember(reader, "api_url", /*git=*/false)) forge.api_url = *std::move(url);
  if (auto url = ParseUrlMember(reader, "git_url", /*git=*/true)) forge.git_url = *std::move(url);
  if (auto login = reader.String("bot_login")) {
    // GitHub writes app accounts as "name[bot]".
    std::string_view bare = *login;
    if (bare.ends_with("[bot]")) bare.remove_suffix(5);
    if (!IsNamePart(bare)) reader.Problem("bot_login", "expected a login");
    forge.bot_login = *std::move(login);
  }
  if (auto token = reader.Any("token")) forge.token = ParseSecret(*token);
  if (auto app = reader.Any("app")) ParseApp(*app, forge);
  if (reader.Has("token") && reader.Has("app")) {
    reader.Problem("app", "a forge has a \"token\" or an \"app\", not both");
  }
  if (reader.Has("app") && profile.app_credentials == nullptr) {
    reader.Problem("app", absl::StrCat(forge.name, " has no apps: expected \"token\""));
  }
  reader.Each("webhook_secrets", [&](const JsonPlace& element) { ParseWebhookSecret(element, forge); });
  if (auto accept = reader.Bool("accept_plain_token")) forge.accept_plain_token = *accept;
  if (forge.accept_plain_token && profile.webhooks.token_header.empty()) {
    reader.Problem("accept_plain_token",
                   absl::StrCat(forge.name, " signs every delivery: expected false or no such key"));
  }
  if (auto budget = reader.Object("budget")) ParseBudget(*budget, forge.budget);
  if (reader.Has("settle_ms")) {
    forge.settle.clear();
    int64_t previous = 0;
    reader.Each("settle_ms", [&](const JsonPlace& element) {
      const bool integer = element.value->is_number_integer();
      const int64_t value = integer ? element.value->get<int64_t>() : 0;
      if (!integer || value <= previous || value > 3'600'000) {
        context_.Problem(element.pointer, "expected milliseconds in ascending order, above 0 and at most 3600000");
        return;
      }
      previous = value;
      forge.settle.emplace_back(value);
    });
    if (forge.settle.empty() || forge.settle.size() > 10) {
      reader.Problem("settle_ms", "expected 1 to 10 times in milliseconds");
    }
  }
  ParseMillis(reader, "timeout_ms", 100, 600'000, forge.timeout);
  reader.Each("hooks", [&](JsonPlace element) { ParseHook(std::move(element), forge); });
  reader.Finish();
  config_.forges.emplace(forge.name, std::move(forge));
}

}  // namespace yardmaster
