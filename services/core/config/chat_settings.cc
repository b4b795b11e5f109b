#include "services/core/config/chat_settings.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/chat/platform.h"
#include "clients/chat/valid_text.h"
#include "services/core/absl_view.h"
#include "services/core/repository_name.h"

namespace yardmaster {
namespace {

using chat::ChannelConfig;
using chat::ChatConfig;
using chat::ChatPlatform;
using chat::ChatPlatforms;
using chat::KeyRule;
using chat::PlatformConfig;

constexpr std::string_view kChatIdExpected = "expected an id as the platform shows it: printable, without blanks";

class ChatReader {
 public:
  ChatReader(const JsonContext& context, const ChatSettingsReaders& readers) : context_(context), readers_(readers) {}

  PlatformConfig ReadPlatform(const ChatPlatform& row, const JsonPlace& place) {
    ObjectReader reader(context_, place, absl::StrCat("the platform ", Abs(row.name)));
    PlatformConfig config;
    config.api_url = readers_.url(reader, "api_url").value_or(std::string(row.api_url));
    if (config.api_url.empty() && !reader.Has("api_url")) reader.Missing("api_url", "the URL of the site");
    for (const KeyRule& rule : row.ids) ReadId(reader, rule, config);
    for (const KeyRule& rule : row.secrets) ReadSecret(reader, rule, config);
    if (auto users = reader.Object("users")) ReadUsers(*users, config);
    if (auto channels = reader.Object("channels")) ReadChannels(*channels, config);
    if (auto direct = reader.Object("direct")) {
      if (!row.tells_direct) {
        reader.Problem("direct", "this platform does not tell direct conversations from others: use \"channels\"");
      }
      config.direct = ReadChannel(*direct);
    }
    reader.Finish();
    if (config.channels.empty() && !config.direct.has_value()) {
      readers_.warn(absl::StrCat(
          place.pointer, " names no \"channels\" and no \"direct\": nothing that is said there is about a repository"));
    }
    return config;
  }

 private:
  void ReadId(ObjectReader& reader, const KeyRule& rule, PlatformConfig& config) {
    const std::string key(rule.key);
    if (rule.required && !reader.Has(key)) reader.Missing(key, "the id that the platform shows");
    // Some platforms' ids are numbers.
    std::optional<std::string> value =
        reader.Has(key) && ValueIsNumber(reader, key) ? reader.Id(key) : reader.String(key);
    if (!value.has_value()) return;
    if (!chat::IsValidId(*value)) {
      reader.Problem(key, std::string(kChatIdExpected));
    } else if (const std::string_view problem = rule.check == nullptr ? "" : rule.check(*value); !problem.empty()) {
      reader.Problem(key, std::string(problem));
    }
    config.ids.emplace(key, *std::move(value));
  }

  static bool ValueIsNumber(ObjectReader& reader, const std::string& key) {
    const std::optional<JsonPlace> place = reader.Any(key);
    return place.has_value() && place->value->is_number();
  }

  void ReadSecret(ObjectReader& reader, const KeyRule& rule, PlatformConfig& config) {
    const std::string key(rule.key);
    const std::optional<JsonPlace> place = reader.Any(key);
    if (!place.has_value()) {
      if (rule.required) reader.Missing(key, "{\"env\": NAME} or {\"file\": PATH}");
      return;
    }
    Secret secret = readers_.secret(*place);
    if (rule.check != nullptr && !secret.empty()) {
      if (const std::string_view problem = rule.check(secret.Reveal()); !problem.empty()) {
        context_.Problem(place->pointer, std::string(problem));
      }
    }
    config.secrets.emplace(key, std::move(secret));
  }

  void ReadUsers(const JsonPlace& place, PlatformConfig& config) {
    for (const auto& [user, value] : place.value->items()) {
      const JsonPlace entry = place.At(user);
      if (!chat::IsValidId(user)) context_.Problem(entry.pointer, std::string(kChatIdExpected));
      ObjectReader reader(context_, entry, "a user: {FORGE: LOGIN}");
      if (!value.is_object()) {
        reader.Finish();
        continue;
      }
      for (const auto& [forge, unused] : value.items()) {
        const std::optional<std::string> login = reader.String(forge);
        // One list of people may serve several daemons.
        if (const std::string problem = readers_.forge_problem(forge); !problem.empty()) {
          readers_.warn(absl::StrCat(reader.PointerTo(forge), " is never used: ", problem));
        }
        if (!login.has_value()) continue;
        if (!IsNamePart(*login)) reader.Problem(forge, "expected a login");
        config.users[user][forge] = *login;
      }
      reader.Finish();
    }
  }

  void ReadChannels(const JsonPlace& place, PlatformConfig& config) {
    for (const auto& [channel, unused] : place.value->items()) {
      const JsonPlace entry = place.At(channel);
      if (!chat::IsValidId(channel)) context_.Problem(entry.pointer, std::string(kChatIdExpected));
      config.channels.emplace(channel, ReadChannel(entry));
    }
  }

  ChannelConfig ReadChannel(const JsonPlace& place) {
    ObjectReader reader(context_, place, "a channel");
    ChannelConfig one;
    if (auto repository = reader.RequiredString("repository")) ReadRepository(*repository, reader, one);
    for (const JsonPlace& word : reader.Strings("may")) {
      const std::string& may = word.value->get_ref<const std::string&>();
      if (may != "read" && may != "write") context_.Problem(word.pointer, "expected \"read\" or \"write\"");
      one.may_write = one.may_write || may == "write";
    }
    reader.Finish();
    return one;
  }

  void ReadRepository(const std::string& text, ObjectReader& reader, ChannelConfig& channel) {
    const size_t colon = text.find(':');
    channel.forge = text.substr(0, colon == std::string::npos ? 0 : colon);
    channel.repository = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (!IsRepositoryName(channel.repository)) {
      reader.Problem("repository", "expected FORGE:OWNER/NAME, for example \"github:pytorch/pytorch\"");
    } else if (std::string problem = readers_.forge_problem(channel.forge); !problem.empty()) {
      reader.Problem("repository", std::move(problem));
    } else if (!readers_.has_packs(channel.forge, channel.repository)) {
      readers_.warn(absl::StrCat(reader.PointerTo("repository"), ": ", text,
                                 " has no packs in \"repositories\", so nothing can be asked about it"));
    }
  }

  const JsonContext& context_;
  const ChatSettingsReaders& readers_;
};

}  // namespace

ChatConfig ReadChatSettings(const JsonContext& context, const JsonPlace& place, const ChatSettingsReaders& readers) {
  ChatConfig config;
  ChatReader reader(context, readers);
  for (const auto& [name, unused] : place.value->items()) {
    const JsonPlace entry = place.At(name);
    if (const ChatPlatform* row = chat::FindChatPlatform(name); row != nullptr) {
      config.platforms.emplace(name, reader.ReadPlatform(*row, entry));
    } else {
      const std::string known = absl::StrJoin(ChatPlatforms(), ", ", [](std::string* out, const ChatPlatform& one) {
        absl::StrAppend(out, "\"", Abs(one.name), "\"");
      });
      context.Problem(entry.pointer, absl::StrCat("unknown chat platform: expected one of ", known));
    }
  }
  return config;
}

}  // namespace yardmaster
