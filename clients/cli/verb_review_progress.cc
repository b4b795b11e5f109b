// `yard review progress`: how far work has come that is done in stages.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/pull_meta_file.h"
#include "clients/cli/review_packs.h"
#include "clients/cli/style.h"
#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "services/core/status_macros.h"
#include "services/review/directory_tree.h"
#include "services/review/operator_files.h"
#include "services/review/progress.h"
#include "services/review/progress_json.h"
#include "services/review/pull_tree.h"

namespace yardmaster::cli {
namespace {

struct ProgressArguments {
  std::string folder;
  std::string name;
  std::string pack;
  std::string meta;
};

Style StyleOf(StageState state) {
  switch (state) {
    case StageState::kThere:
      return Style::kGood;
    case StageState::kUnknown:
      return Style::kFaint;
    case StageState::kMissing:
    case StageState::kInconsistent:
      return Style::kBad;
  }
  return Style::kPlain;
}

// One subject in full.
std::string SubjectText(const SubjectProgress& subject, const Output& output) {
  Table table;
  for (const StageProgress& stage : subject.stages) {
    table.Row({Printable(stage.title),
               {std::string(StageStateName(stage.state)), StyleOf(stage.state)},
               Printable(stage.text)});
  }
  std::string text = absl::StrCat(output.Paint(Printable(subject.name), Style::kName), "  ",
                                  output.Paint(absl::StrCat(Printable(subject.path), ":", subject.line), Style::kFaint),
                                  "\n", table.Render(2, output.columns(), output.color()));
  if (const StageProgress* const next = subject.Next()) {
    absl::StrAppend(&text, "  next: ", Printable(next->title), ": ", Printable(next->next), "\n");
  } else {
    absl::StrAppend(&text, "  next: nothing is missing\n");
  }
  return text;
}

// One line for each subject: what is not there, and what comes next.
std::string SubjectsText(const std::vector<SubjectProgress>& subjects, const Output& output) {
  Table table;
  table.Header({"name", "missing or inconsistent", "next"});
  size_t complete = 0;
  for (const SubjectProgress& subject : subjects) {
    const StageProgress* const next = subject.Next();
    if (next == nullptr) {
      ++complete;
      continue;
    }
    std::string open;
    for (const StageProgress& stage : subject.stages) {
      if (!stage.next.empty()) absl::StrAppend(&open, open.empty() ? "" : ", ", Printable(stage.title));
    }
    table.Row({{Printable(subject.name), Style::kName}, open, Printable(next->next)});
  }
  return absl::StrCat(table.empty() ? "" : table.Render(0, output.columns(), output.color()) + "\n", subjects.size(),
                      " found, nothing is missing for ", complete, "\n");
}

absl::StatusOr<std::shared_ptr<const rules::CheckSet>> PackWithStages(const ProgressArguments& arguments,
                                                                      const std::vector<std::string>& paths,
                                                                      Session& session) {
  ASSIGN_OR_RETURN(
      const CheckSets packs,
      LoadReviewPacks(session,
                      arguments.pack.empty() ? std::vector<std::string>() : std::vector<std::string>{arguments.pack},
                      paths));
  const auto found = absl::c_find_if(
      packs, [&](const auto& pack) { return TouchesProgress(*pack, paths) || !arguments.pack.empty(); });
  if (found == packs.end()) {
    return UsageError("no pack has stages for what lies there", {"Name one with --pack."});
  }
  if ((*found)->progress().empty()) {
    return UsageError(absl::StrCat("the pack '", (*found)->pack(), "' has no stages"));
  }
  return *found;
}

absl::StatusOr<ExitCode> RunProgress(const ProgressArguments& arguments, Session& session) {
  if (session.options.server_given) {
    return UsageError("'review progress' looks at a folder that lies here: it works without a server");
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(arguments.folder, ignored)) {
    return UsageError(absl::StrCat("can't read '", arguments.folder, "': there is no such folder"));
  }
  DirectoryTree tree(arguments.folder);
  if (!tree.complete()) {
    return UsageError(absl::StrCat("'", arguments.folder, "' has more than ", kMaxTreeEntries, " entries, the limit"));
  }
  ASSIGN_OR_RETURN(const auto pack, PackWithStages(arguments, tree.Paths(rules::TreeSide::kHead), session));
  PullMeta meta;
  if (!arguments.meta.empty()) {
    ASSIGN_OR_RETURN(meta, ReadPullMeta(arguments.meta, session.env));
  }
  PullTree with_pull(tree, meta);
  ASSIGN_OR_RETURN(std::vector<SubjectProgress> subjects,
                   ProgressOf(pack, with_pull, std::max(1u, std::thread::hardware_concurrency())));
  if (!arguments.name.empty()) {
    std::erase_if(subjects, [&](const SubjectProgress& subject) {
      return !absl::EqualsIgnoreCase(subject.name, arguments.name);
    });
    if (subjects.empty()) {
      return NegativeError(absl::StrCat("there is no '", arguments.name, "' in '", arguments.folder, "'"),
                           {absl::StrCat("The first stage is: ", pack->progress().front().title, ".")});
    }
  }
  if (session.options.json) {
    session.output.Json({{"pack", pack->pack()}, {"operators", JsonList(subjects, ProgressJson)}});
  } else if (arguments.name.empty()) {
    session.output.out() << SubjectsText(subjects, session.output);
  } else {
    for (const SubjectProgress& subject : subjects) session.output.out() << SubjectText(subject, session.output);
  }
  return ExitCode::kDone;
}

}  // namespace

void AddReviewProgressVerb(Verb& review) {
  Verb& progress =
      review.Add("progress", "Tell how far operators are: what is there, missing or inconsistent, and what comes next",
                 {"yard review progress .", "yard review progress . --operator CumsumExt",
                  "yard review progress ~/clone --pack hyper-parallel --json",
                  "yard review progress . --operator roll --meta pull.json"});
  ProgressArguments& arguments = progress.Runs(RunProgress);
  progress.Argument("DIR", &arguments.folder, "The root of a clone").Required();
  progress.Value("--operator", &arguments.name, "NAME", "Only this one, with all of its stages");
  progress.Value("--pack", &arguments.pack, "PACK", "Whose stages (default: those of the pack that fits)");
  progress.Value("--meta", &arguments.meta, "FILE",
                 "What only a forge knows of the pull request: {title, body, labels, author, commits}");
}

}  // namespace yardmaster::cli
