#include "clients/git/git_remotes.h"

#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "clients/git/remote_url.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

constexpr std::string_view kSymbolic = "ref: refs/heads/";
constexpr std::string_view kFetch = " (fetch)";

// The line of `git push --porcelain` about a ref that was not updated: "!<tab>from:to<tab>[rejected] (stale info)".
std::string RejectionIn(const std::string& out) {
  for (const absl::string_view line : absl::StrSplit(out, '\n')) {
    const std::vector<std::string> columns = absl::StrSplit(line, '\t');
    if (columns.size() >= 3 && columns[0] == "!") return columns[2];
  }
  return "";
}

// What git says of a fetch that failed: the ref is not there, or the remote can't be used.
absl::Status WhyNotFetched(const std::string& remote, const std::string& said) {
  static constexpr std::string_view kMissing = "couldn't find remote ref ";
  const size_t at = said.find(kMissing);
  if (at == std::string::npos) return errors::GitRemoteUnusable(remote, GitComplaint(said));
  const size_t begin = at + kMissing.size();
  return errors::GitRemoteRefMissing(remote, said.substr(begin, said.find('\n', begin) - begin));
}

}  // namespace

absl::StatusOr<const GitRemotes::Addresses*> GitRemotes::AddressesOf(const std::string& remote) const {
  if (!addresses_.has_value()) {
    ASSIGN_OR_RETURN(const std::string listed, git_.Text({"remote", "--verbose"}));
    addresses_.emplace();
    for (const std::string& line : std::vector<std::string>(absl::StrSplit(listed, '\n'))) {
      // "origin<tab>URL (fetch)", behind which a partial clone names its filter; "origin<tab>URL (push)" for each.
      const size_t tab = line.find('\t');
      const size_t use = line.rfind(" (");
      if (tab == std::string::npos || use == std::string::npos || use < tab) continue;
      Addresses& known = (*addresses_)[line.substr(0, tab)];
      std::string url = line.substr(tab + 1, use - tab - 1);
      if (line.compare(use, kFetch.size(), kFetch) == 0) {
        known.fetch = std::move(url);
      } else {
        known.push.push_back(std::move(url));
      }
    }
  }
  const auto found = addresses_->find(remote);
  return found == addresses_->end() ? nullptr : &found->second;
}

absl::StatusOr<std::string> GitRemotes::Url(const std::string& remote) const {
  ASSIGN_OR_RETURN(const Addresses* const known, AddressesOf(remote));
  return known == nullptr ? std::string() : known->fetch;
}

absl::Status GitRemotes::PushesWhereItFetches(const std::string& remote) const {
  ASSIGN_OR_RETURN(const Addresses* const known, AddressesOf(remote));
  if (known == nullptr || known->fetch.empty()) return errors::GitRemoteMissing(remote);
  for (const std::string& pushed : known->push) {
    if (SameRepository(known->fetch, pushed)) continue;
    return errors::GitPushGoesElsewhere(remote, WithoutCredentials(known->fetch), WithoutCredentials(pushed));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> GitRemotes::DefaultBranch(const std::string& remote) const {
  static constexpr std::array kUsual = {"main", "master", "develop"};
  std::vector<std::string> arguments = {"ls-remote", "--symref", "--", remote, "HEAD"};
  for (const char* name : kUsual) arguments.push_back(absl::StrCat("refs/heads/", name));
  ASSIGN_OR_RETURN(const GitOutput output, git_.Run(arguments, variables_));
  if (output.code != 0) return errors::GitRemoteUnusable(remote, GitComplaint(output.err));
  // "ID<tab>refs/heads/main"; in front of that of HEAD what it names: "ref: refs/heads/main<tab>HEAD".
  std::set<std::string> there;
  for (const absl::string_view line : absl::StrSplit(output.out, '\n')) {
    const std::pair<absl::string_view, absl::string_view> columns = absl::StrSplit(line, absl::MaxSplits('\t', 1));
    absl::string_view rest = columns.first;
    if (columns.second == "HEAD" && absl::ConsumePrefix(&rest, Abs(kSymbolic))) return std::string(rest);
    there.emplace(columns.second);
  }
  for (const char* name : kUsual) {
    if (there.contains(absl::StrCat("refs/heads/", name))) return std::string(name);
  }
  return std::string();
}

absl::StatusOr<std::string> GitRemotes::Ref(const std::string& remote, const std::string& ref) const {
  ASSIGN_OR_RETURN(const GitOutput output, git_.Run({"ls-remote", "--", remote, ref}, variables_));
  if (output.code != 0) return errors::GitRemoteUnusable(remote, GitComplaint(output.err));
  // The pattern also fits the ends of longer names.
  for (const absl::string_view line : absl::StrSplit(output.out, '\n')) {
    const std::pair<absl::string_view, absl::string_view> columns = absl::StrSplit(line, absl::MaxSplits('\t', 1));
    if (columns.second == ref) return std::string(columns.first);
  }
  return std::string();
}

absl::Status GitRemotes::CompleteHistory(const std::string& remote) const {
  if (has_whole_history_) return absl::OkStatus();
  // The history may be cut at a commit that only the fork has.
  for (const std::string& one : {remote, std::string("origin")}) {
    ASSIGN_OR_RETURN(const std::string shallow, git_.Text({"rev-parse", "--is-shallow-repository"}));
    has_whole_history_ = shallow != "true";
    if (has_whole_history_) return absl::OkStatus();
    ASSIGN_OR_RETURN(const GitOutput output, git_.Run({"fetch", "--quiet", "--no-tags", "--no-recurse-submodules",
                                                       "--unshallow", "--", one, "HEAD"},
                                                      variables_));
    if (output.code != 0) return WhyNotFetched(one, output.err);
  }
  return absl::OkStatus();
}

absl::Status GitRemotes::FetchBranches(const std::string& remote, const std::vector<std::string>& branches) const {
  RETURN_IF_ERROR(CompleteHistory(remote));
  std::vector<std::string> arguments = {"fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--", remote};
  for (const std::string& branch : branches) {
    arguments.push_back(absl::StrCat("+refs/heads/", branch, ":refs/remotes/", remote, "/", branch));
  }
  ASSIGN_OR_RETURN(const GitOutput output, git_.Run(arguments, variables_));
  return output.code == 0 ? absl::OkStatus() : WhyNotFetched(remote, output.err);
}

absl::Status GitRemotes::FetchRef(const std::string& remote, const std::string& ref) const {
  ASSIGN_OR_RETURN(
      const GitOutput output,
      git_.Run({"fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--", remote, ref}, variables_));
  return output.code == 0 ? absl::OkStatus() : WhyNotFetched(remote, output.err);
}

absl::Status GitRemotes::Push(const GitPush& push) const {
  ASSIGN_OR_RETURN(const GitOutput output,
                   git_.Run({"push", "--porcelain", "--no-follow-tags", "--no-recurse-submodules",
                             absl::StrCat("--force-with-lease=", push.ref, ":", push.old_id), "--", push.remote,
                             absl::StrCat(push.new_id, ":", push.ref)},
                            variables_));
  if (output.code == 0) return absl::OkStatus();
  if (const std::string rejection = RejectionIn(output.out); !rejection.empty()) {
    return errors::GitPushRejected(push.ref, rejection);
  }
  // Git came as far as to the push itself: a hook of the clone was against it.
  if (output.err.find("failed to push some refs") != std::string::npos) {
    return errors::GitPushRejected(push.ref, GitComplaint(output.err));
  }
  return errors::GitRemoteUnusable(push.remote, GitComplaint(output.err));
}

}  // namespace yardmaster
