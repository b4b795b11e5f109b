// What holds for one repository: whether we may read and write there, its labels, its webhook.
#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/doctor/checks.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"
#include "services/core/repository_name.h"

namespace yardmaster::doctor {
namespace {

// Of labels and deliveries.
constexpr size_t kShownLabels = 5;
constexpr size_t kRecentDeliveries = 20;

// "config.json:12: ", or nothing.
std::string Place(const RepositoryFacts& facts) {
  if (facts.entry == nullptr) return {};
  return absl::StrCat(facts.forge.config.file.string(), ":", facts.entry->line, ": ");
}

std::string_view Login(const RepositoryFacts& facts) { return facts.forge.account->user.login; }

// What the others stand on.
std::optional<Finding> Unreadable(const RepositoryFacts& facts) {
  if (!facts.forge.account.ok()) return Skipped("needs credentials that work");
  if (!facts.repository.ok()) return Skipped("needs a repository that can be read");
  return std::nullopt;
}

Finding CheckConfiguration(const RepositoryFacts& facts) {
  if (facts.entry == nullptr) {
    return Problem("the configuration has no entry for it, so its events are ignored",
                   absl::StrCat(R"(add to "repositories": {"forge": ")", facts.forge.forge.name,
                                R"(", "repository": ")", facts.name, R"(", "packs": ["PACK"]})"));
  }
  if (facts.entry->packs.empty()) {
    return Problem("its entry names no packs, so its events are ignored",
                   absl::StrCat(Place(facts), "add \"packs\": [\"PACK\"]"));
  }
  return Ok(absl::StrCat("packs ", absl::StrJoin(facts.entry->packs, ", "), ", mode ",
                         Abs(RunModeName(facts.forge.config.ModeFor(facts.entry)))));
}

Finding CheckRepository(const RepositoryFacts& facts) {
  if (!facts.forge.account.ok()) return Skipped("needs credentials that work");
  if (!facts.repository.ok()) {
    const std::optional<ForgeError> error = ForgeErrorOf(facts.repository.status());
    const std::string message(facts.repository.status().message());
    if (!error.has_value() || error->Transient()) return Problem(absl::StrCat("can't be read: ", message), "try again");
    return Problem(
        absl::StrCat("does not exist, or ", Abs(Login(facts)), " has no access to it (", message, ")"),
        absl::StrCat(Place(facts), "correct the name, or give access: ",
                     facts.forge.forge.app.has_value() ? "add the repository to the App's installation"
                                                       : std::string(facts.forge.profile.setup.access_page)));
  }
  if (!absl::EqualsIgnoreCase(facts.repository->full_name, facts.name)) {
    return Problem(absl::StrCat("is called ", Readable(facts.repository->full_name), " now"),
                   absl::StrCat(Place(facts), "write \"repository\": ", Quoted(facts.repository->full_name)));
  }
  if (facts.repository->archived) {
    return Problem("is archived: nothing can be written", absl::StrCat(Place(facts), "take its entry out"));
  }
  return Ok("can be read");
}

Finding JudgeRead(const RepositoryFacts& facts, const absl::Status& status, std::string_view what,
                  std::string_view permission) {
  if (std::optional<Finding> unreadable = Unreadable(facts); unreadable.has_value()) return *std::move(unreadable);
  if (status.ok()) return Ok(absl::StrCat(Abs(what), " can be read"));
  return Problem(absl::StrCat(Abs(what), " can't be read: ", status.message()),
                 absl::StrCat("add the permission ", Abs(permission), ": ", PermissionPage(facts.forge)));
}

Finding CheckContents(const RepositoryFacts& facts) {
  return JudgeRead(facts, facts.contents, "files", "Contents (reading)");
}

Finding CheckIssues(const RepositoryFacts& facts) {
  return JudgeRead(facts, facts.issues, "issues", "Issues (reading and writing)");
}

Finding CheckWriting(const RepositoryFacts& facts) {
  if (std::optional<Finding> unreadable = Unreadable(facts); unreadable.has_value()) return *std::move(unreadable);
  if (facts.forge.account->permissions.has_value()) return Skipped("an App's rights are its permissions");
  const std::optional<ForgePermission> own = facts.repository->own;
  if (!own.has_value()) return Skipped(absl::StrCat("the forge does not tell what ", Abs(Login(facts)), " may do"));
  const std::string has = absl::StrCat(Abs(Login(facts)), " has the right \"", Abs(ForgePermissionName(*own)), "\"");
  if (*own >= ForgePermission::kTriage) return Ok(absl::StrCat(has, ": labels and comments can be written"));
  const std::string fix =
      absl::StrCat("give it a role that may label issues: ", Abs(facts.forge.profile.setup.access_page));
  if (facts.forge.config.ModeFor(facts.entry) == RunMode::kDryRun) {
    return Warning(absl::StrCat(has, ", which is enough for a dry run only"), fix);
  }
  return Problem(absl::StrCat(has, ": labels can't be written"), fix);
}

Finding CheckLabels(const RepositoryFacts& facts) {
  if (std::optional<Finding> unreadable = Unreadable(facts); unreadable.has_value()) return *std::move(unreadable);
  if (facts.entry == nullptr || facts.entry->packs.empty()) return Skipped("needs an entry with packs");
  if (!facts.labels.ok()) {
    return Warning(absl::StrCat("the repository's labels can't be read: ", facts.labels.message()),
                   "see for yourself that those of the packs are there");
  }
  if (facts.label_problems.empty()) return Ok("all that the packs use are there");
  const size_t shown = std::min(facts.label_problems.size(), kShownLabels);
  std::string text = absl::StrJoin(facts.label_problems.begin(), facts.label_problems.begin() + shown, "; ");
  if (shown < facts.label_problems.size())
    absl::StrAppend(&text, "; and ", facts.label_problems.size() - shown, " more");
  return Problem(std::move(text), "make them on the repository's page of labels; until then they are left out");
}

bool HasSecretFor(const ForgeConfig& forge, const std::string& repository) {
  return absl::c_any_of(forge.webhook_secrets, [&](const WebhookSecret& secret) {
    return secret.repositories.empty() || absl::c_any_of(secret.repositories, [&](const std::string& pattern) {
             return RepositoryMatches(pattern, repository);
           });
  });
}

std::vector<std::string> MissingEvents(const ForgeWebhook& webhook, const std::vector<std::string>& needed) {
  std::vector<std::string> missing;
  if (absl::c_linear_search(webhook.events, "*")) return missing;
  absl::c_copy_if(needed, std::back_inserter(missing),
                  [&](const std::string& event) { return !absl::c_linear_search(webhook.events, event); });
  return missing;
}

// What a webhook must have, and has not, in the words of its page.
std::vector<std::string> WebhookFaults(const RepositoryFacts& facts, const ForgeWebhook& webhook) {
  const ForgeConfig& forge = facts.forge.forge;
  std::vector<std::string> faults;
  if (!webhook.active) faults.emplace_back("it must be active");
  if (!webhook.content_type.empty() && !absl::StrContains(webhook.content_type, "json")) {
    faults.push_back(absl::StrCat("content type application/json in place of ", Quoted(webhook.content_type)));
  }
  if (webhook.has_secret.has_value() && !*webhook.has_secret) faults.emplace_back("the secret");
  if (webhook.sends_secret && !forge.accept_plain_token) faults.emplace_back("a signature key in place of a password");
  if (!webhook.verifies_tls) faults.emplace_back("SSL verification");
  for (const std::string& event : MissingEvents(webhook, facts.forge.profile.setup.webhook_events)) {
    faults.push_back(absl::StrCat("the event ", event));
  }
  return faults;
}

bool PublishesChecks(const RepositoryFacts& facts) {
  return facts.entry != nullptr && facts.entry->review.events && facts.entry->review.publish.check &&
         facts.forge.forge.app.has_value();
}

Finding CheckWebhook(const RepositoryFacts& facts) {
  if (std::optional<Finding> unreadable = Unreadable(facts); unreadable.has_value()) return *std::move(unreadable);
  const ForgeConfig& forge = facts.forge.forge;
  const std::string page(facts.forge.profile.setup.webhook_page);
  if (!HasSecretFor(forge, facts.name)) {
    return Problem("no webhook secret of the configuration is for this repository: its deliveries get 401",
                   absl::StrCat("add one to forges.", forge.name, ".webhook_secrets"));
  }
  if (!facts.webhooks.ok()) {
    return Skipped(absl::StrCat("these credentials may not see webhooks (", facts.webhooks.status().message(), ")"),
                   absl::StrCat("look for yourself: ", page, "; missed deliveries need the permission Webhooks"));
  }
  const ForgeWebhook* webhook = OurWebhook(forge, facts.name, *facts.webhooks);
  if (webhook == nullptr) {
    return Problem(absl::StrCat("none points to /webhooks/", forge.name),
                   absl::StrCat("add one: ", page, ", address https://HOST/webhooks/", forge.name,
                                ", content type application/json, the secret, events ",
                                absl::StrJoin(facts.forge.profile.setup.webhook_events, ", ")));
  }
  const std::string which = absl::StrCat("webhook ", Readable(webhook->id), " to ", Readable(webhook->url));
  if (const std::vector<std::string> faults = WebhookFaults(facts, *webhook); !faults.empty()) {
    return Problem(absl::StrCat(which, " lacks: ", absl::StrJoin(faults, ", ")), page);
  }
  for (const ForgeHook& hook : forge.hooks) {
    if (absl::EqualsIgnoreCase(hook.repository, facts.name) && hook.id != webhook->id) {
      return Problem(absl::StrCat("there is no webhook ", hook.id, ", which forges.", forge.name,
                                  ".hooks names for missed deliveries"),
                     absl::StrCat("write \"id\": ", Readable(webhook->id), " there"));
    }
  }
  const std::vector<std::string> of_reviews = MissingEvents(*webhook, facts.forge.profile.setup.review_events);
  if (PublishesChecks(facts) && !of_reviews.empty()) {
    return Warning(absl::StrCat(which, " lacks the events ", absl::StrJoin(of_reviews, ", "),
                                ": the button that runs a check again does nothing"),
                   page);
  }
  if (webhook->content_type.empty()) {
    return Ok(absl::StrCat(which, "; its content type, which the forge does not tell, must be application/json"));
  }
  return Ok(which);
}

// What our own answer to a delivery means.
std::string_view MeaningOf(int64_t status) {
  struct Meaning {
    int64_t status;
    std::string_view fix;
  };
  constexpr Meaning kMeanings[] = {
      {0, "no answer: see that the daemon runs and that the address is reached from outside (proxy, firewall)"},
      {401, "the webhook's secret is not the configured one, or not for this repository: set it again on both sides"},
      {404, "the address is wrong, or the forge is not configured: it must end with /webhooks/FORGE"},
      {405, "something in front of the daemon turned the POST into another method: look at the proxy's redirects"},
      {413, "the body is larger than limits.http_body_bytes, or than the proxy in front allows"},
      {415, "choose the content type application/json on the webhook's page"},
      {502, "the proxy in front does not reach the daemon"},
      {503, "the daemon was not ready: see 'yard health' and its log"},
  };
  for (const Meaning& meaning : kMeanings) {
    if (meaning.status == status) return meaning.fix;
  }
  return "see the daemon's log, and that of the proxy in front";
}

bool Failed(const ForgeHookDelivery& delivery) { return delivery.status_code < 200 || delivery.status_code >= 300; }

Finding CheckDeliveries(const RepositoryFacts& facts) {
  if (std::optional<Finding> unreadable = Unreadable(facts); unreadable.has_value()) return *std::move(unreadable);
  if (!facts.webhooks.ok() || OurWebhook(facts.forge.forge, facts.name, *facts.webhooks) == nullptr) {
    return Skipped("needs a webhook that can be seen");
  }
  if (!facts.deliveries.ok()) return Skipped(std::string(facts.deliveries.status().message()));
  const absl::Span<const ForgeHookDelivery> recent =
      absl::MakeConstSpan(*facts.deliveries).subspan(0, kRecentDeliveries);
  if (recent.empty()) return Warning("none yet", "start the daemon, then send one: the webhook's page has a button");
  const auto failed = absl::c_count_if(recent, Failed);
  if (failed == 0) return Ok(absl::StrCat("the last ", recent.size(), " arrived"));
  const ForgeHookDelivery& last = *absl::c_find_if(recent, Failed);
  std::string text = absl::StrCat(failed, " of the last ", recent.size(), " failed, the newest of them (",
                                  Readable(last.event), ", ", Readable(last.delivered_at), ") with ",
                                  last.status_code == 0 ? "no answer" : absl::StrCat(last.status_code));
  const std::string fix(MeaningOf(last.status_code));
  if (Failed(recent.front())) return Problem(std::move(text), fix);
  return Warning(absl::StrCat(text, "; later ones arrived"), fix);
}

constexpr Check<RepositoryFacts> kRepositoryChecks[] = {
    {"configuration", CheckConfiguration},
    {"repository", CheckRepository},
    {"contents", CheckContents},
    {"issues", CheckIssues},
    {"writing", CheckWriting},
    {"labels", CheckLabels},
    {"webhook", CheckWebhook},
    {"deliveries", CheckDeliveries},
};

}  // namespace

absl::Span<const Check<RepositoryFacts>> RepositoryChecks() { return kRepositoryChecks; }

}  // namespace yardmaster::doctor
