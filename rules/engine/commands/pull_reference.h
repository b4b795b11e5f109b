// The ways in which people name an issue or a pull request.
#ifndef YARDMASTER_RULES_ENGINE_COMMANDS_PULL_REFERENCE_H_
#define YARDMASTER_RULES_ENGINE_COMMANDS_PULL_REFERENCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::rules {

struct PullReference {
  int64_t number = 0;  // 1 … 2^31 - 1
  std::string repo;    // "owner/name" as written; empty where only a number is given
  std::string host;    // "gitcode.com", lower case, where a URL names it; empty elsewhere. Never contacted.
  bool issue = false;  // the URL of an issue
};

// Reads all of `text`: "160", "#160", "!160", "owner/repo#160", "owner/repo!160", or the URL of an issue or a pull
// request at a forge, with or without a scheme, in "<>", with anything behind the number ("/files", "/diffs?x",
// "#note_3"). Wide forms of ASCII must have been replaced. nullopt if it is none of these.
std::optional<PullReference> ParsePullReference(std::string_view text);

// Whether `text` is marked as a reference, that is more than a bare number, which could mean something else.
bool IsMarkedReference(std::string_view text);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_COMMANDS_PULL_REFERENCE_H_
