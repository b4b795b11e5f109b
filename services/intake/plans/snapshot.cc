#include "services/intake/plans/snapshot.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"
#include "services/core/utf8.h"

namespace yardmaster {
namespace {

std::string Cut(const std::string& text, size_t max_bytes) { return std::string(CutUtf8(text, max_bytes)); }

void AddComments(std::vector<ForgeComment> comments, const ConfiguredForge& account, v1::IssueSnapshot& snapshot) {
  std::erase_if(comments, [](const ForgeComment& comment) { return comment.system; });
  // The newest are kept: they are what has changed. One kept comment less than the limit allows is no harm.
  size_t bytes = 0;
  size_t first = comments.size();
  while (first > 0 && comments.size() - first < kMaxComments) {
    bytes += std::min(comments[first - 1].body.size(), kMaxCommentBytes);
    if (bytes > kMaxAllCommentsBytes) break;
    --first;
  }
  for (size_t i = first; i < comments.size(); ++i) {
    v1::Comment& out = *snapshot.add_comments();
    const ForgeUser& author = comments[i].author;
    int64_t id = 0;
    if (absl::SimpleAtoi(comments[i].id, &id)) out.set_id(id);
    out.set_author(author.login);
    out.set_author_is_bot(author.bot || account.IsOurs(author.login));
    out.set_body(Cut(comments[i].body, kMaxCommentBytes));
  }
}

}  // namespace

absl::StatusOr<SubjectReading> ReadSubject(ConfiguredForge& account, const ForgeCall& call,
                                           const v1::Subject& subject) {
  Forge& forge = account.forge();
  const ForgeSubject address = ForgeSubjectOf(subject);
  ASSIGN_OR_RETURN(ForgeIssue issue, forge.GetIssue(call, address));
  if (issue.pull_request != address.pull_request) {
    return absl::FailedPreconditionError(issue.pull_request ? "the number is a pull request's"
                                                            : "the number is an issue's");
  }
  ASSIGN_OR_RETURN(ForgeCommentList comments, forge.ListComments(call, address));

  SubjectReading reading;
  reading.open = MayBeOpen(issue.state);
  v1::IssueSnapshot& snapshot = reading.snapshot;
  *snapshot.mutable_subject() = subject;
  snapshot.set_title(Cut(issue.title, kMaxTitleBytes));
  snapshot.set_body(Cut(issue.body, kMaxBodyBytes));
  snapshot.set_author(issue.author.login);
  snapshot.set_labels_known(true);
  for (std::string& label : issue.labels) {
    if (static_cast<size_t>(snapshot.labels_size()) < kMaxLabels) snapshot.add_labels(std::move(label));
  }
  AddComments(std::move(comments.comments), account, snapshot);

  SubjectFacts& facts = reading.facts;
  facts.title = snapshot.title();
  facts.body = snapshot.body();
  facts.labels = std::vector<std::string>(snapshot.labels().begin(), snapshot.labels().end());
  facts.open = reading.open;
  facts.author = snapshot.author();
  return reading;
}

bool Differs(const SubjectReading& before, const ForgeIssue& now) {
  if (before.open != MayBeOpen(now.state)) return true;
  if (before.snapshot.title() != Cut(now.title, kMaxTitleBytes)) return true;
  if (before.snapshot.body() != Cut(now.body, kMaxBodyBytes)) return true;
  std::vector<std::string> was(before.snapshot.labels().begin(), before.snapshot.labels().end());
  std::vector<std::string> is(
      now.labels.begin(), now.labels.begin() + static_cast<std::ptrdiff_t>(std::min(now.labels.size(), kMaxLabels)));
  std::sort(was.begin(), was.end());
  std::sort(is.begin(), is.end());
  return was != is;
}

}  // namespace yardmaster
