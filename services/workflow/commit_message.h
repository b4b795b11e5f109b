// Messages of commits: what is wrong with one, and one made of what a change does. Pure.
#ifndef YARDMASTER_SERVICES_WORKFLOW_COMMIT_MESSAGE_H_
#define YARDMASTER_SERVICES_WORKFLOW_COMMIT_MESSAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/git/git_repository.h"
#include "services/workflow/result.h"

namespace yardmaster::workflow {

// Why a message must not be used: it is empty, or it credits a tool as an author. nullopt: it is fine.
std::optional<std::string> WhyBadMessage(std::string_view message);

enum class Language : uint8_t { kEnglish, kChinese };

// What is known of one file of a change.
struct FileFacts {
  GitChangedFile file;
  // Public functions and classes at the top of the file, by their names.
  std::vector<std::string> added;
  std::vector<std::string> removed;
};

// `base`, `head`: the text of the file before and after; empty where it is not there.
FileFacts FactsOfFile(const GitChangedFile& file, std::string_view base, std::string_view head);

// "feat(ops): add matmul" and a line for each file. Nothing is said that the facts do not show. `branch`: its prefix,
// as in "fix/overflow", tells the type; empty where it is not known. `scope`: empty for the folder that all have in
// common.
CommitMessage MessageOf(const std::vector<FileFacts>& files, std::string_view branch, std::string_view scope,
                        Language language = Language::kEnglish);

// "Update a.py", "Update 3 files"; "更新 a.py".
std::string ShortMessageOf(const std::vector<std::string>& paths, Language language = Language::kEnglish);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_COMMIT_MESSAGE_H_
