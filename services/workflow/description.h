// Title and text of a pull request, by the repository's template and what the commits say. Pure.
#ifndef YARDMASTER_SERVICES_WORKFLOW_DESCRIPTION_H_
#define YARDMASTER_SERVICES_WORKFLOW_DESCRIPTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "clients/git/git_repository.h"
#include "services/workflow/commit_message.h"

namespace yardmaster::workflow {

// "#7", "owner/name#7" of "Fixes #7" and the like, as the commits say it, each once.
std::vector<std::string> IssuesNamed(const std::vector<GitCommit>& commits);
// Paths of the files that are there afterwards and have the name of a test.
std::vector<std::string> TestFiles(const std::vector<FileFacts>& files);

struct Description {
  std::string title;
  std::string body;
};

// `commits`: oldest first, one at least. `text`: the template, or what the pull request says now; empty: only what the
// commits say. Sections that are known by their heading get what the commits show; headings, comments and boxes to tick
// stay as they are, and so does every section in which somebody has written. Tests are counted, not named.
Description Describe(const std::vector<GitCommit>& commits, const std::vector<FileFacts>& files, std::string_view text,
                     Language language = Language::kEnglish);

// For repositories without a template.
std::string_view PlainTemplate(Language language);

// What checks of descriptions stop at, in words: known sections in which nobody has written, no issue where one is
// asked for, boxes that are not ticked. Nothing of it is filled in for people.
std::vector<std::string> GapsOf(std::string_view body, Language language = Language::kEnglish);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_DESCRIPTION_H_
