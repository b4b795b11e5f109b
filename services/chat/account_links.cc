#include "services/chat/account_links.h"

#include <cstddef>
#include <random>
#include <utility>

#include "absl/strings/ascii.h"
#include "services/core/limits.h"
#include "services/core/sha256.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

// Digits and letters that nobody takes for others: 60 bits in twelve of them.
constexpr std::string_view kCodeLetters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
constexpr size_t kCodeLength = 12;
constexpr size_t kCodeGroup = 4;

}  // namespace

LinkCode NewLinkCode() {
  std::random_device device;  // the system's source, each time
  std::string code;
  for (size_t i = 0; i < kCodeLength; ++i) {
    if (i > 0 && i % kCodeGroup == 0) code += '-';
    code += kCodeLetters[device() % kCodeLetters.size()];
  }
  return {code, DigestOfLinkCode(code)};
}

std::string DigestOfLinkCode(std::string_view code) {
  std::string letters;
  for (const char c : code.substr(0, kMaxNameBytes)) {
    if (c == '-') continue;
    letters += absl::ascii_toupper(static_cast<unsigned char>(c));
  }
  if (letters.size() != kCodeLength || letters.find_first_not_of(kCodeLetters) != std::string::npos) return {};
  return Sha256Hex(letters);
}

absl::StatusOr<std::unique_ptr<AccountLinks>> AccountLinks::Open(store::ChatLinks& links, const Clock& clock) {
  std::unique_ptr<AccountLinks> opened(new AccountLinks(links, clock));
  ASSIGN_OR_RETURN(const std::vector<store::ChatLink> all, links.All());
  for (const store::ChatLink& link : all) {
    opened->logins_[{link.account.platform, link.account.user, link.account.forge}] = link.login;
  }
  return opened;
}

std::string AccountLinks::Find(std::string_view platform, std::string_view user, std::string_view forge) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (logins_.empty()) return {};
  const auto found = logins_.find({std::string(platform), std::string(user), std::string(forge)});
  return found == logins_.end() ? std::string() : found->second;
}

absl::StatusOr<std::optional<store::ChatAccount>> AccountLinks::FindCode(std::string_view code_digest,
                                                                         std::string_view forge,
                                                                         std::string_view login) const {
  if (code_digest.empty()) return std::nullopt;
  return links_.FindCode(code_digest, forge, login, clock_.Now());
}

absl::Status AccountLinks::Offer(const store::ChatAccount& account, std::string_view code_digest,
                                 std::chrono::system_clock::time_point until) {
  return links_.Offer(account, code_digest, until);
}

absl::Status AccountLinks::Redeem(std::string_view code_digest, std::string_view forge, std::string_view login) {
  ASSIGN_OR_RETURN(const std::optional<store::ChatLink> link, links_.Redeem(code_digest, forge, login));
  if (!link.has_value()) return absl::NotFoundError("the code is good no more");
  const std::lock_guard<std::mutex> lock(mutex_);
  logins_[{link->account.platform, link->account.user, link->account.forge}] = link->login;
  return absl::OkStatus();
}

absl::Status AccountLinks::Remove(std::string_view platform, std::string_view user) {
  RETURN_IF_ERROR(links_.Remove(platform, user).status());
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(logins_, [&](const auto& entry) {
    return std::get<0>(entry.first) == platform && std::get<1>(entry.first) == user;
  });
  return absl::OkStatus();
}

std::vector<store::ChatLink> AccountLinks::LinksOf(std::string_view platform, std::string_view user) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<store::ChatLink> links;
  for (const auto& [key, login] : logins_) {
    const auto& [on, who, forge] = key;
    if (on == platform && who == user) links.push_back({{on, who, forge}, login});
  }
  return links;
}

}  // namespace yardmaster
