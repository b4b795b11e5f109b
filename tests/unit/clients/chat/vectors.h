// Requests of the platforms from tests/data/chat/vectors.json, which other programs computed.
#ifndef YARDMASTER_TESTS_UNIT_CLIENTS_CHAT_VECTORS_H_
#define YARDMASTER_TESTS_UNIT_CLIENTS_CHAT_VECTORS_H_

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "clients/chat/chat_config.h"
#include "clients/chat/chat_event.h"
#include "clients/chat/platform.h"
#include "tests/support/source_path.h"

namespace yardmaster::chat::testing {

inline const nlohmann::json& Vectors() {
  static const nlohmann::json kVectors =
      nlohmann::json::parse(yardmaster::testing::SourceText("tests/data/chat/vectors.json"));
  return kVectors;
}

inline std::chrono::system_clock::time_point VectorTime() {
  return std::chrono::system_clock::time_point(std::chrono::seconds(Vectors()["now"].get<int64_t>()));
}

// The platform with the vectors' secrets.
inline PlatformConfig VectorConfig(std::string_view platform) {
  const ChatPlatform& row = *FindChatPlatform(platform);
  const nlohmann::json& values = Vectors()[std::string(platform)];
  PlatformConfig config;
  config.api_url = row.api_url.empty() ? "https://chat.example.org" : std::string(row.api_url);
  for (const KeyRule& rule : row.secrets) {
    const std::string key(rule.key);
    if (values.contains(key)) config.secrets.emplace(key, values[key].get<std::string>());
  }
  for (const KeyRule& rule : row.ids) {
    const std::string key(rule.key);
    if (values.contains(key)) config.ids.emplace(key, values[key].get<std::string>());
  }
  return config;
}

// A request that a test may change before it is read.
struct VectorRequest {
  std::map<std::string, std::string> headers;
  std::string query;
  std::string body;
  std::string method = "POST";
};

inline VectorRequest VectorOf(std::string_view platform, std::string_view name) {
  const nlohmann::json& one = Vectors()[std::string(platform)].at(std::string(name));
  VectorRequest request{one["headers"].get<std::map<std::string, std::string>>(), one.value("query", ""),
                        one["body"].get<std::string>()};
  if (request.body.empty()) request.method = "GET";
  return request;
}

inline ChatReading ReadAt(std::string_view platform, const PlatformConfig& config, const VectorRequest& request,
                          std::chrono::system_clock::time_point now) {
  ChatRequest read;
  read.method = request.method;
  read.query = request.query;
  read.body = request.body;
  read.header = [&](std::string_view name) -> std::string_view {
    const auto header = request.headers.find(std::string(name));
    return header == request.headers.end() ? std::string_view() : std::string_view(header->second);
  };
  return FindChatPlatform(platform)->read(config, read, now);
}

inline ChatReading Read(std::string_view platform, const VectorRequest& request) {
  return ReadAt(platform, VectorConfig(platform), request, VectorTime());
}

}  // namespace yardmaster::chat::testing

#endif  // YARDMASTER_TESTS_UNIT_CLIENTS_CHAT_VECTORS_H_
