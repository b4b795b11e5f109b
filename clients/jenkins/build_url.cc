#include "clients/jenkins/build_url.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// "a%2Fb" → "a/b".
std::string Decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
    const int low = high >= 0 ? HexValue(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::optional<JenkinsBuildName> Named(std::string job, std::string_view number) {
  JenkinsBuildName name{std::move(job), 0};
  if (name.job.empty() || !absl::SimpleAtoi(Abs(number), &name.number) || name.number <= 0) return std::nullopt;
  return name;
}

}  // namespace

std::optional<JenkinsBuildName> ParseBuildUrl(std::string_view server, std::string_view url) {
  if (!url.starts_with(server) || url.substr(server.size(), 1) != "/") return std::nullopt;
  url.remove_prefix(server.size() + 1);
  url = url.substr(0, url.find_first_of("?#"));
  const std::vector<std::string> parts = absl::StrSplit(Abs(url), '/');
  // 1. job/FOLDER/job/NAME/12
  std::vector<std::string> job;
  size_t at = 0;
  while (at + 1 < parts.size() && parts[at] == "job") {
    job.push_back(Decoded(parts[at + 1]));
    at += 2;
  }
  if (!job.empty()) return at < parts.size() ? Named(absl::StrJoin(job, "/"), parts[at]) : std::nullopt;
  // 2. blue/organizations/jenkins/NAME/detail/NAME/12; of a job with branches the second one is the branch.
  if (parts.size() < 7 || parts[0] != "blue" || parts[1] != "organizations" || parts[4] != "detail") {
    return std::nullopt;
  }
  std::string name = Decoded(parts[3]);
  const std::string detail = Decoded(parts[5]);
  const bool same = name == detail || absl::EndsWith(name, "/" + detail);
  return Named(same ? std::move(name) : absl::StrCat(name, "/", detail), parts[6]);
}

}  // namespace yardmaster
