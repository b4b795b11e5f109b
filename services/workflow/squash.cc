#include "services/workflow/squash.h"

#include <string_view>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace yardmaster::workflow {
namespace {

struct MessageParts {
  std::string subject;
  std::string body;
  std::vector<std::string> trailers;
};

// "Signed-off-by: Ann <ann@example.com>"
bool IsTrailer(std::string_view line) {
  const size_t colon = line.find(": ");
  return colon != line.npos && colon > 0 &&
         absl::c_all_of(line.substr(0, colon), [](char c) { return absl::ascii_isalnum(c) || c == '-'; });
}

MessageParts SplitMessage(const std::string& message) {
  MessageParts parts;
  std::vector<std::string> paragraphs;
  std::vector<std::string> lines = absl::StrSplit(absl::StripAsciiWhitespace(message), '\n');
  std::string paragraph;
  lines.emplace_back();
  for (const std::string& line : lines) {
    if (!absl::StripAsciiWhitespace(line).empty()) {
      absl::StrAppend(&paragraph, paragraph.empty() ? "" : "\n", line);
    } else if (!paragraph.empty()) {
      paragraphs.push_back(std::move(paragraph));
      paragraph.clear();
    }
  }
  if (paragraphs.empty()) return parts;
  // Git takes the whole first paragraph for the subject; what stands below its first line belongs to the body here.
  const size_t end = paragraphs[0].find('\n');
  parts.subject = paragraphs[0].substr(0, end);
  paragraphs[0] = end == std::string::npos ? "" : paragraphs[0].substr(end + 1);
  if (paragraphs.size() > 1) {
    std::vector<std::string> last = absl::StrSplit(paragraphs.back(), '\n');
    if (absl::c_all_of(last, IsTrailer)) {
      parts.trailers = std::move(last);
      paragraphs.pop_back();
    }
  }
  if (paragraphs[0].empty()) paragraphs.erase(paragraphs.begin());
  parts.body = absl::StrJoin(paragraphs, "\n\n");
  return parts;
}

}  // namespace

std::string SquashedMessage(const std::vector<GitCommit>& commits) {
  std::vector<std::string> blocks;
  std::vector<std::string> trailers;
  for (const GitCommit& commit : commits) {
    const MessageParts parts = SplitMessage(commit.message);
    if (!parts.subject.empty()) blocks.push_back(blocks.empty() ? parts.subject : absl::StrCat("* ", parts.subject));
    if (!parts.body.empty()) blocks.push_back(parts.body);
    for (const std::string& trailer : parts.trailers) {
      if (!absl::c_linear_search(trailers, trailer)) trailers.push_back(trailer);
    }
  }
  if (!trailers.empty()) blocks.push_back(absl::StrJoin(trailers, "\n"));
  return absl::StrCat(absl::StrJoin(blocks, "\n\n"), "\n");
}

SquashPlan PlanSquash(const GitCloneState& state, const std::string& merge_base, const std::vector<GitCommit>& commits,
                      const std::string& message) {
  SquashPlan plan;
  plan.refused = WhyNotWritable(state);
  if (!plan.refused && !state.dirty.empty()) {
    plan.refused = {absl::StrCat("uncommitted changes: ", absl::StrJoin(state.dirty, ", ")), "commit or stash them"};
  }
  if (plan.refused) return plan;
  plan.nothing = commits.size() < 2;
  if (plan.nothing) return plan;
  plan.commit.tree_of = state.head;
  plan.commit.parent = merge_base;
  plan.commit.author_of = commits.front().id;
  plan.commit.message =
      message.empty() ? SquashedMessage(commits) : absl::StrCat(message, message.ends_with('\n') ? "" : "\n");
  return plan;
}

}  // namespace yardmaster::workflow
