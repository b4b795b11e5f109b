// The parser of the daemon's configuration. Private to this folder: the sections are read in *_section.cc and
// *_sections.cc, what several of them have in config_values.cc.
#ifndef YARDMASTER_SERVICES_CORE_CONFIG_CONFIG_PARSER_H_
#define YARDMASTER_SERVICES_CORE_CONFIG_CONFIG_PARSER_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/forge/profile.h"
#include "services/core/config/config.h"
#include "services/core/json_document.h"
#include "services/core/json_reader.h"

namespace yardmaster {

// A name of a pack, a schedule, a token and the like: what may stand in logs, metrics and paths.
bool IsConfigName(std::string_view text);

// Reads the sections of one document into a Config.
class ConfigParser {
 public:
  ConfigParser(const JsonDocument& document, const std::filesystem::path& file, std::filesystem::path folder,
               Problems& problems, const ConfigOptions& options)
      : context_{document, problems}, folder_(std::move(folder)), options_(options) {
    config_.file = file;
  }

  Config Parse(const nlohmann::json& root);

 private:
  void ParseListen(JsonPlace place);
  void ParseForge(const ForgeProfile& profile, JsonPlace place);
  void ParseApp(JsonPlace place, ForgeConfig& forge);
  void ParseBudget(JsonPlace place, ForgeBudget& budget);
  void ParseWebhookSecret(const JsonPlace& place, ForgeConfig& forge);
  void ParseHook(JsonPlace place, ForgeConfig& forge);
  void ParseRepository(const JsonPlace& place);
  std::optional<ShadowConfig> ReadShadow(ObjectReader& reader, const std::string& text,
                                         const std::vector<std::string>& packs);
  std::string ReadJob(ObjectReader& reader, const std::string& word);
  void ParseSchedule(JsonPlace place);
  // When exactly, how long, and what the job wants to know besides.
  void ParseScheduleExtras(ObjectReader& reader, ScheduleConfig& schedule);
  void ParseToken(JsonPlace place);
  void ParseLimits(JsonPlace place);
  void ParseRetention(JsonPlace place);
  void ParseTls(JsonPlace place);
  void ParseProxy(JsonPlace place);
  void ParseLog(JsonPlace place);
  void ParseChat(const JsonPlace& place);
  void CheckAsAWhole();

  // A secret: {"env": NAME} or {"file": PATH}. `extra` may ask for further members of the same object.
  Secret ParseSecret(const JsonPlace& place, const std::function<void(ObjectReader&)>& extra = nullptr);
  std::optional<Secret> ResolveEnvironment(const std::string& name, const std::string& pointer);
  std::optional<std::string> ReadFile(const std::string& text, const std::string& pointer, size_t max_bytes);

  std::optional<RunMode> ParseMode(ObjectReader& reader);
  std::optional<std::string> ParseUrlMember(ObjectReader& reader, std::string_view key, bool git);
  std::optional<HostPort> ParseAddress(ObjectReader& reader, std::string_view key);
  void ParseMillis(ObjectReader& reader, std::string_view key, int64_t low, int64_t high,
                   std::chrono::milliseconds& out);
  void ParseDays(ObjectReader& reader, std::string_view key, std::chrono::hours& out);
  void ParseSize(ObjectReader& reader, std::string_view key, int64_t low, int64_t high, size_t& out);
  std::filesystem::path Resolve(const std::string& text) const {
    return (folder_ / text).lexically_normal();  // an absolute text replaces the folder
  }

  JsonContext context_;
  std::filesystem::path folder_;
  const ConfigOptions& options_;
  Config config_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CONFIG_CONFIG_PARSER_H_
