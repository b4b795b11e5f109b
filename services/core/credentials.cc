#include "services/core/credentials.h"

#include <re2/re2.h>

namespace yardmaster {
namespace {

struct Look {
  RE2 match;
  std::string replacement;
};

}  // namespace

std::string WithoutCredentials(std::string text) {
  // One of these is in every text that a look below can match: nearly all texts are done after one pass.
  static const RE2 kHint("://|gh[pousr]_|github_pat_|glpat-|AKIA|AIza|hf_|sk-|xox[abprs]-|PRIVATE KEY");
  static const Look kLooks[] = {
      // https://user:password@host and https://token@host.
      {RE2(R"((?i)([a-z][a-z0-9+.-]*://)[^/\s@"']+@)"), R"(\1[redacted]@)"},
      // GitHub's own: ghp_, gho_, ghu_, ghs_, ghr_, github_pat_.
      {RE2(R"(\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}))"), std::string(kRedacted)},
      // Of GitLab, Amazon, Google, Hugging Face, model services and Slack.
      {RE2(R"(\b(?:glpat-[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16}\b|AIza[0-9A-Za-z_-]{35}|hf_[A-Za-z]{34}\b)"
           R"(|sk-(?:proj-|ant-)?[A-Za-z0-9_-]{32,}|xox[abprs]-[A-Za-z0-9-]{20,}))"),
       std::string(kRedacted)},
      // Private keys in PEM, also when the end is missing.
      {RE2(R"((?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))"),
       std::string(kRedacted)},
  };
  if (!RE2::PartialMatch(text, kHint)) return text;
  for (const Look& look : kLooks) RE2::GlobalReplace(&text, look.match, look.replacement);
  return text;
}

}  // namespace yardmaster
