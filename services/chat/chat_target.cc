#include "services/chat/chat_target.h"

#include <re2/re2.h>

#include "services/core/repository_name.h"

namespace yardmaster {
namespace {

// More is no number of an issue.
constexpr size_t kMaxTargetText = 4'096;

struct TargetPatterns {
  re2::RE2 address{
      R"(https?://([A-Za-z0-9.:-]{1,100})/([A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100})/(?:-/)?(issues|pulls?|merge_requests)/([0-9]{1,9})\b)"};
  re2::RE2 named{R"((?:^|[^A-Za-z0-9_./&-])([A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100})([#!])([0-9]{1,9})\b)"};
  re2::RE2 marked{R"((?:^|[^A-Za-z0-9_./&])([#!])([0-9]{1,9})\b)"};
  re2::RE2 pull{
      R"((?i)(?:(?:^|--|[^A-Za-z0-9_-])(?:pr|mr|pull request|merge request)|合并请求)\s*[#!]?\s*([0-9]{1,9})(?:$|[^A-Za-z0-9_-]|-(?:$|[^A-Za-z0-9])))"};
  re2::RE2 alone{R"((?:^|[^A-Za-z0-9_.:=%/#!&-])([0-9]{1,9})(?:$|[^A-Za-z0-9_.:=%/-]))"};
};

const TargetPatterns& Patterns() {
  static const auto* const kPatterns = new TargetPatterns;
  return *kPatterns;
}

}  // namespace

ChatTarget FindChatTarget(std::string_view text, const std::map<std::string, std::string, std::less<>>& hosts) {
  const TargetPatterns& patterns = Patterns();
  text = text.substr(0, kMaxTargetText);
  ChatTarget target;
  std::string host;
  std::string repository;
  std::string kind;
  int64_t number = 0;
  re2::StringPiece rest(text.data(), text.size());
  while (re2::RE2::FindAndConsume(&rest, patterns.address, &host, &repository, &kind, &number)) {
    const auto forge = hosts.find(host);
    if (forge == hosts.end() || !IsRepositoryName(repository) || number == 0) continue;
    return {forge->second, repository, number, kind != "issues"};
  }
  const re2::StringPiece whole(text.data(), text.size());
  if (re2::RE2::PartialMatch(whole, patterns.named, &repository, &kind, &number) && IsRepositoryName(repository) &&
      number > 0) {
    return {"", repository, number, kind == "!"};
  }
  int64_t pull = 0;
  re2::RE2::PartialMatch(whole, patterns.pull, &pull);
  if (re2::RE2::PartialMatch(whole, patterns.marked, &kind, &number) && number > 0) {
    return {"", "", number, kind == "!" || pull == number};
  }
  if (pull > 0) return {"", "", pull, true};
  if (re2::RE2::PartialMatch(whole, patterns.alone, &number) && number > 0) return {"", "", number, false};
  return target;
}

}  // namespace yardmaster
