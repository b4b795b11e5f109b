#include "services/review/import/sarif_paths.h"

#include <charconv>
#include <cstdint>
#include <string_view>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "services/review/import/sarif_json.h"

namespace yardmaster::sarif {
namespace {

constexpr absl::string_view kFileScheme = "file:";
// Bases of bases.
constexpr int kMaxBases = 8;

// "file:", "https:". One letter is a drive of Windows.
bool HasScheme(std::string_view uri) {
  const size_t colon = uri.find(':');
  return colon != std::string_view::npos && colon > 1 && absl::c_all_of(uri.substr(0, colon), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.';
         });
}

// Percent-encoded bytes decoded; a "%" that encodes nothing stays.
std::string Decoded(std::string_view uri) {
  std::string path;
  for (size_t i = 0; i < uri.size(); ++i) {
    uint8_t byte = 0;
    const char* const digits = uri.data() + i + 1;
    if (uri[i] == '%' && i + 2 < uri.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      path += static_cast<char>(byte);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

// The URI with its bases before it.
std::string Resolved(const nlohmann::json& run, const nlohmann::json& location, std::string_view root) {
  std::string uri(TextAt(location, "uri"));
  std::string_view base_id = TextAt(location, "uriBaseId");
  for (int i = 0; i < kMaxBases && !base_id.empty() && !HasScheme(uri) && !uri.starts_with('/'); ++i) {
    const nlohmann::json& base = At(At(run, "originalUriBaseIds"), base_id);
    std::string before(TextAt(base, "uri"));
    const bool absolute = HasScheme(before) || before.starts_with('/');
    if (absolute && root.empty()) break;
    if (!before.empty() && !before.ends_with('/')) before += '/';
    uri.insert(0, before);
    base_id = TextAt(base, "uriBaseId");
  }
  return uri;
}

}  // namespace

std::optional<std::string> PathOfLocation(const nlohmann::json& run, const nlohmann::json& location,
                                          std::string_view root) {
  const bool direct = !TextAt(location, "uri").empty();
  const nlohmann::json& named =
      direct ? location : At(ElementAt(At(run, "artifacts"), At(location, "index")), "location");
  const std::string uri = Resolved(run, named, root);
  if (!HasScheme(uri)) return Decoded(uri);
  if (!absl::StartsWithIgnoreCase(uri, kFileScheme)) return std::nullopt;
  std::string_view path = std::string_view(uri).substr(kFileScheme.size());
  if (path.starts_with("//")) {
    path.remove_prefix(2);
    const std::string_view host = path.substr(0, path.find('/'));
    if (!host.empty() && host != "localhost") return std::nullopt;
    path.remove_prefix(host.size());
  }
  return Decoded(path);
}

}  // namespace yardmaster::sarif
