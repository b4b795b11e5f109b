// Limits of the forge clients. Passing one is an error or an incomplete answer that says so, never silence.
#ifndef YARDMASTER_CLIENTS_FORGE_LIMITS_H_
#define YARDMASTER_CLIENTS_FORGE_LIMITS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace yardmaster {

// One answer of a forge, as JSON. 100 issues with bodies of 64 KiB are 6.4 MiB.
inline constexpr size_t kMaxForgeAnswerBytes = 16 * 1024 * 1024;
inline constexpr size_t kMaxForgeAnswerDepth = 64;
inline constexpr size_t kMaxForgeAnswerValues = 2'000'000;
// Both forges: what a page may hold at most.
inline constexpr int kForgePageSize = 100;
// Pages of one list that one call reads.
inline constexpr int kMaxForgePages = 50;
// Comments of one list, all bodies together; or the files of one pull request, all patches.
inline constexpr size_t kMaxForgeListBytes = 32 * 1024 * 1024;
// Text of a forge inside one of our messages.
inline constexpr size_t kMaxForgeMessageBytes = 300;
// GitHub takes at most 100 labels an issue.
inline constexpr size_t kMaxLabelsPerCall = 100;
// One file of a repository. GitHub gives no larger ones in this form.
inline constexpr size_t kMaxForgeFileBytes = 1024 * 1024;
// Path of a file, or name of a ref.
inline constexpr size_t kMaxForgePathBytes = 4'096;
// Files of one pull request. GitHub shows no more, and does not say that there are.
inline constexpr size_t kMaxForgePullFiles = 3'000;
// Comments at lines whose place a list leaves out, and that are therefore asked for one by one.
inline constexpr size_t kMaxForgePlaceLookups = 20;
// Redirects within the configured host that one read follows.
inline constexpr int kMaxForgeRedirects = 3;
// The longest that a server can make us wait by Retry-After or a reset time; more is taken for a mistake.
inline constexpr std::chrono::hours kMaxRetryAfter{24};

// Our clock may be that far from a forge's: GitHub refuses what an App signs with one that is further off.
inline constexpr std::chrono::seconds kMaxClockSkew{60};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_LIMITS_H_
