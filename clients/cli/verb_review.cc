// `yard review file|tree`; diff and hook are in verb_review_diff.cc and verb_review_hook.cc.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/cli/connection.h"
#include "clients/cli/files.h"
#include "clients/cli/review_answer.h"
#include "clients/cli/review_packs.h"
#include "clients/cli/review_watch.h"
#include "clients/cli/verbs.h"
#include "rules/engine/code/source_file.h"
#include "services/core/status_macros.h"
#include "services/review/edits.h"
#include "services/review/gates.h"
#include "services/review/merged_report.h"
#include "services/review/operator_files.h"
#include "services/review/review_messages.h"
#include "services/review/review_run.h"
#include "services/review/sarif.h"
#include "services/review/state_file.h"
#include "yardmaster/v1/review.grpc.pb.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kReviewTimeout{60};
constexpr size_t kMaxBaselineBytes = 512 * 1024 * 1024;
constexpr size_t kMaxJobs = 256;
// Edits that overlap others come with another round.
constexpr int kMaxFixRounds = 10;
constexpr size_t kMaxStdinBytes = rules::kMaxSourceBytes + 1;
// The name of stdin among files.
constexpr std::string_view kStdin = "-";

struct ReviewArguments {
  std::vector<std::string> paths;  // file: the files; tree: the folders
  std::vector<std::string> packs;
  std::vector<std::string> rules;
  std::vector<std::string> options;  // "NAME=VALUE"
  std::string profile;
  std::string role;
  std::string name;  // of stdin
  std::string gate;
  std::string phase;
  ReviewAnswerOptions answer;
  std::string baseline;
  std::optional<int> stage;
  size_t jobs = 0;  // 0: one for each core
  bool watch = false;
  bool fix = false;
  bool list_checks = false;
};

// What one run looks at.
struct Selection {
  std::vector<ReviewInput> inputs;
  std::map<std::string, std::string> texts;  // by place, of what does not lie on the disk
  std::string base;                          // findings below this folder are told relative to it; empty: as they are
  std::string folder;
};

std::string Absolute(const std::string& path) {
  std::error_code ignored;
  std::string absolute = fs::absolute(path, ignored).lexically_normal().string();
  if (absolute.size() > 1 && absolute.ends_with('/')) absolute.pop_back();
  return absolute;
}

bool Below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

size_t Jobs(const ReviewArguments& arguments) {
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min(arguments.jobs == 0 ? cores : arguments.jobs, kMaxJobs);
}

using OptionMap = std::map<std::string, std::string>;

// What conditions see as "option". "phase" is --phase, and "partial" says how much of an operator was given.
absl::StatusOr<OptionMap> OptionsOf(const ReviewArguments& arguments) {
  OptionMap options;
  for (const std::string& option : arguments.options) {
    const size_t equals = option.find('=');
    std::string name = option.substr(0, equals);
    if (equals == std::string::npos || name.empty()) {
      return UsageError(absl::StrCat("--option: expected NAME=VALUE, not '", option, "'"));
    }
    if (name == "phase" || name == "partial") {
      return UsageError(absl::StrCat("--option: '", name, "' is not given this way; see 'yard review file --help'"));
    }
    options[std::move(name)] = option.substr(equals + 1);
  }
  if (!arguments.phase.empty()) options["phase"] = arguments.phase;
  return options;
}

// The text of an input, cut behind the limit of the engine.
std::optional<std::string> InputText(const Selection& selection, const std::string& place, std::string& error) {
  const auto given = selection.texts.find(place);
  return given != selection.texts.end() ? given->second : ReadText(place, rules::kMaxSourceBytes, error);
}

// --- what to review ---

// What stdin is called: its name says its role and language.
absl::StatusOr<std::string> StdinName(const ReviewArguments& arguments, const CheckSets& packs) {
  if (!arguments.name.empty()) return arguments.name;
  for (const auto& pack : packs) {
    const std::string example(RoleTable(*pack).ExampleOf(arguments.role));
    if (!example.empty()) return "stdin" + fs::path(example).extension().string();
  }
  return UsageError("'-' has no name: --name FILE or --role says what it is");
}

// The files named, and for context what else belongs to their operators. `text`: what stands on stdin.
absl::StatusOr<Selection> SelectFiles(const ReviewArguments& arguments, const CheckSets& packs,
                                      const std::string& text) {
  Selection selection;
  std::set<std::string> seen;
  bool relative = false;
  for (const std::string& path : arguments.paths) {
    if (path == kStdin) {
      ASSIGN_OR_RETURN(const std::string name, StdinName(arguments, packs));
      const std::string place = Absolute(name);
      selection.texts[place] = text;
      selection.inputs.push_back({name, arguments.role, place, false});
      relative = true;
      seen.insert(place);
      continue;
    }
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    if (!fs::is_regular_file(status)) {
      return UsageError(absl::StrCat("can't read '", path, "': ",
                                     fs::is_directory(status) ? "it is a folder; see 'yard review tree'"
                                     : fs::exists(status)     ? "it is no regular file"
                                                              : "there is no such file"));
    }
    const std::string place = Absolute(path);
    relative = relative || !fs::path(path).is_absolute();
    if (seen.insert(place).second) selection.inputs.push_back({path, arguments.role, place, false});
  }
  const size_t named = selection.inputs.size();
  for (const auto& pack : packs) {
    const RoleTable roles(*pack);
    for (size_t i = 0; i < named; ++i) {
      const OperatorFiles found = FindOperator(roles, selection.inputs[i].place);
      if (selection.folder.empty()) selection.folder = found.folder;
      for (const std::string& other : found.others) {
        if (seen.insert(other).second) selection.inputs.push_back({other, "", other, true});
      }
    }
  }
  if (relative) selection.base = Absolute(".");
  return selection;
}

// The files below a folder.
absl::StatusOr<Selection> SelectTree(const ReviewArguments& arguments, const CheckSets& packs) {
  const std::string& folder = arguments.paths.front();
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    return UsageError(absl::StrCat(
        "can't read '", folder,
        "': ", fs::exists(folder, ignored) ? "it is no folder; see 'yard review file'" : "there is no such folder"));
  }
  Selection selection;
  selection.base = selection.folder = Absolute(folder);
  const TreeListing listing = ListTree(folder, kMaxTreeEntries, kMaxTreeDepth);
  if (!listing.complete) {
    return UsageError(absl::StrCat("'", folder, "' has more than ", kMaxTreeEntries, " entries, the limit"));
  }
  std::vector<RoleTable> roles;
  std::string extension;
  for (const auto& pack : packs) {
    roles.emplace_back(*pack);
    if (!extension.empty()) continue;
    extension = fs::path(std::string(roles.back().ExampleOf(arguments.role))).extension().string();
  }
  for (const std::string& path : listing.paths) {
    bool wanted = !extension.empty() && path.ends_with(extension);
    bool judged = wanted;
    if (arguments.role.empty()) {
      wanted = absl::c_any_of(roles, [&](const RoleTable& table) { return table.LooksAt(path); });
      judged = absl::c_any_of(roles, [&](const RoleTable& table) { return table.Judges(path); });
    }
    if (wanted) selection.inputs.push_back({path, arguments.role, JoinPath(selection.base, path), !judged});
  }
  return selection;
}

// --- answers ---

// Texts of the files that findings are in: read again, since a tree may be larger than memory.
class Sources {
 public:
  explicit Sources(const Selection& selection) : selection_(selection) {
    for (const ReviewInput& input : selection.inputs) places_[input.path] = input.place;
  }
  const std::string* Find(const std::string& path) {
    if (path == last_) return text_.has_value() ? &*text_ : nullptr;
    const auto it = places_.find(path);
    if (it == places_.end()) return nullptr;
    std::string ignored;
    last_ = path;
    text_ = InputText(selection_, it->second, ignored);
    return text_.has_value() ? &*text_ : nullptr;
  }

 private:
  const Selection& selection_;
  std::map<std::string, std::string> places_;
  std::string last_;
  std::optional<std::string> text_;
};

void Print(const ReviewArguments& arguments, const CheckSets& packs, const Selection& selection,
           const ReviewReport& report, Session& session) {
  Sources sources(selection);
  PrintReview(
      arguments.answer, packs, report, [&](const std::string& path) { return sources.Find(path); }, session);
}

absl::StatusOr<ExitCode> ListChecks(const ReviewArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const CheckSets packs, LoadReviewPacks(session, arguments.packs, arguments.paths));
  const bool json = session.options.json || arguments.answer.format == "json";
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& pack : packs) {
    if (!json) session.output.out() << CheckTable(*pack, session.output);
    for (const rules::CheckInfo& check : pack->checks()) list.push_back(CheckJson(check));
  }
  if (json) session.output.out() << DumpReport({{"checks", std::move(list)}}) << '\n';
  return ExitCode::kDone;
}

// --- the run ---

// --fix: writes the files whose findings have edits, and returns how many findings that settles.
absl::StatusOr<size_t> RunSelected(const ReviewReport& report, const Selection& selection, const Environment& env) {
  size_t applied = 0;
  for (const ReviewInput& input : selection.inputs) {
    if (input.context) continue;
    std::vector<const rules::Finding*> findings;
    for (const ReportedFinding& reported : report.findings) {
      const bool stands = reported.status != FindingStatus::kFixed && !reported.finding.edits.empty();
      if (stands && reported.finding.path == input.path) findings.push_back(&reported.finding);
    }
    if (findings.empty()) continue;
    std::string ignored;
    const std::optional<std::string> text = ReadText(input.place, rules::kMaxSourceBytes, ignored);
    // What was too large to be read whole is not written back.
    if (!text.has_value() || text->size() > rules::kMaxSourceBytes) continue;
    const EditedText edited = ApplyEdits(*text, findings);
    if (edited.text == *text) continue;
    applied += edited.applied;
    const absl::StatusOr<std::unique_ptr<OutputFile>> output = OutputFile::Create(input.place, env);
    if (!output.ok()) return SystemError(output.status().message());
    (*output)->stream() << edited.text;
    RETURN_IF_ERROR((*output)->Commit());
  }
  return applied;
}

// What is frozen, by the paths that findings have. Only hooks remember it, relative to the operator's folder.
OperatorState FrozenFiles(const Selection& selection) {
  std::string ignored;
  const fs::path file = fs::path(selection.folder) / kStateFolder / kStateFile;
  const std::string kept = ReadText(file, kMaxStateBytes, ignored).value_or("");
  OperatorState state;
  for (const auto& [path, digest] : ParseState(kept).value_or(OperatorState()).frozen) {
    for (const ReviewInput& input : selection.inputs) {
      if (input.place == JoinPath(selection.folder, path)) state.frozen[input.path] = digest;
    }
  }
  return state;
}

// Files that were named keep the name that they were given; others are told relative to the base.
void ShortenPaths(const Selection& selection, ReviewReport& report) {
  std::set<std::string_view> named;
  for (const ReviewInput& input : selection.inputs) {
    if (!input.context) named.insert(input.path);
  }
  const auto shorten = [&](std::string& path) {
    if (selection.base.empty() || named.count(path) > 0) return;
    if (path == selection.base) {
      path = ".";
    } else if (Below(path, selection.base)) {
      path = path.substr(selection.base.size() + 1);
    }
  };
  for (ReportedFinding& reported : report.findings) shorten(reported.finding.path);
  for (rules::SkippedCheck& skipped : report.skipped) shorten(skipped.path);
  SortFindings(report.findings);
}

// What a review finds; reading the files counts as the time of the review.
absl::StatusOr<ReviewReport> Review(const ReviewArguments& arguments, const CheckSets& packs,
                                    const Selection& selection, bool partial,
                                    const std::optional<std::vector<rules::Finding>>& baseline) {
  const auto started = std::chrono::steady_clock::now();
  const ReadInput read = [&](size_t index, std::string& error) {
    return InputText(selection, selection.inputs[index].place, error);
  };
  ASSIGN_OR_RETURN(OptionMap given, OptionsOf(arguments));
  ReviewReport report;
  if (!arguments.gate.empty()) {
    GateRequest request;
    request.gate = arguments.gate;
    request.stage = arguments.stage;
    request.phase = arguments.phase;
    request.profile = arguments.profile;
    request.folder = selection.folder;
    request.jobs = Jobs(arguments);
    request.options = std::move(given);
    OperatorState state = FrozenFiles(selection);
    ASSIGN_OR_RETURN(report, RunGate(packs, selection.inputs, read, request, state));
  } else {
    RunOptions options;
    options.profile = arguments.profile;
    options.stage = arguments.stage;
    options.only = arguments.rules;
    options.jobs = Jobs(arguments);
    options.options = std::move(given);
    if (partial) options.options["partial"] = "yes";
    options.stage_of_state = !partial;
    ASSIGN_OR_RETURN(report, RunReview(packs, selection.inputs, read, options));
  }
  ShortenPaths(selection, report);
  if (baseline.has_value()) {
    std::vector<std::string> judged;
    for (const ReviewInput& input : selection.inputs) {
      if (!input.context) judged.push_back(input.path);
    }
    CompareWithBaseline(*baseline, judged, report);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return report;
}

using OldFindings = std::optional<std::vector<rules::Finding>>;

// Reviews once. With --fix: what is left when every edit is carried out that does not overlap another.
absl::StatusOr<ReviewReport> ReviewAndFix(const ReviewArguments& arguments, const CheckSets& packs,
                                          const Selection& selection, bool partial, const OldFindings& baseline,
                                          size_t& fixed, Session& session) {
  ASSIGN_OR_RETURN(ReviewReport report, Review(arguments, packs, selection, partial, baseline));
  for (int round = 0; arguments.fix && round < kMaxFixRounds; ++round) {
    ASSIGN_OR_RETURN(const size_t applied, RunSelected(report, selection, session.env));
    if (applied == 0) break;
    fixed += applied;
    ASSIGN_OR_RETURN(report, Review(arguments, packs, selection, partial, baseline));
  }
  return report;
}

absl::StatusOr<ExitCode> PrintAndJudge(const ReviewArguments& arguments, const CheckSets& packs,
                                       const Selection& selection, const ReviewReport& report, size_t fixed,
                                       Session& session) {
  if (arguments.fix) session.output.Note(absl::StrCat("fixed ", fixed, fixed == 1 ? " finding" : " findings"));
  Print(arguments, packs, selection, report, session);
  return JudgeReview(arguments.answer, report);
}

absl::StatusOr<ExitCode> ReviewOnce(const ReviewArguments& arguments, const CheckSets& packs,
                                    const Selection& selection, bool partial, const OldFindings& baseline,
                                    Session& session) {
  size_t fixed = 0;
  ASSIGN_OR_RETURN(const ReviewReport report,
                   ReviewAndFix(arguments, packs, selection, partial, baseline, fixed, session));
  return PrintAndJudge(arguments, packs, selection, report, fixed, session);
}

// Several folders, each by itself: the paths that checks see are those below it. Findings are told with the folder as
// it was given.
absl::StatusOr<ExitCode> ReviewTrees(const ReviewArguments& arguments, const CheckSets& packs,
                                     const OldFindings& baseline, Session& session) {
  size_t fixed = 0;
  ReviewReport all;
  Selection told;
  std::vector<std::string> judged;
  for (const std::string& path : arguments.paths) {
    ReviewArguments one = arguments;
    one.paths = {path};
    ASSIGN_OR_RETURN(const Selection selection, SelectTree(one, packs));
    ASSIGN_OR_RETURN(ReviewReport report,
                     ReviewAndFix(one, packs, selection, /*partial=*/false, std::nullopt, fixed, session));
    const std::string folder = fs::path(path).lexically_normal().string();
    AddReport(folder.ends_with('/') ? folder.substr(0, folder.size() - 1) : folder, std::move(report), all);
    for (ReviewInput input : selection.inputs) {
      input.path = (fs::path(path) / input.path).lexically_normal().string();
      if (!input.context) judged.push_back(input.path);
      told.inputs.push_back(std::move(input));
    }
  }
  if (baseline.has_value()) CompareWithBaseline(*baseline, judged, all);
  return PrintAndJudge(arguments, packs, told, all, fixed, session);
}

// Places of a selection, for what has changed since.
std::vector<std::string> PlacesOf(const Selection& selection) {
  std::vector<std::string> places;
  places.reserve(selection.inputs.size());
  for (const ReviewInput& input : selection.inputs) places.push_back(input.place);
  return places;
}

// The files go to the server one by one; it has the packs. The answer is printed like a local one.
absl::StatusOr<ExitCode> RunOnServer(const ReviewArguments& arguments, Session& session) {
  const bool plain = arguments.gate.empty() && arguments.rules.empty() && arguments.options.empty() &&
                     arguments.baseline.empty() && !arguments.watch && !arguments.fix;
  if (!plain || arguments.packs.size() != 1) {
    return UsageError("with --server: one --pack, and neither --gate, --rule, --option, --baseline, --fix nor --watch");
  }
  ReviewReport all;
  Selection selection;
  for (const std::string& path : arguments.paths) {
    std::string error;
    const std::optional<std::string> text = ReadText(path, rules::kMaxSourceBytes, error);
    if (!text.has_value()) return UsageError(absl::StrCat("can't read '", path, "': ", error));
    v1::ReviewFileRequest request;
    request.set_pack(arguments.packs.front());
    request.set_profile(arguments.profile);
    request.set_role(arguments.role);
    if (arguments.stage.has_value()) request.set_stage(static_cast<uint32_t>(*arguments.stage));
    request.mutable_file()->set_path(Absolute(path));
    request.mutable_file()->set_content(*text);
    ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/true));
    ASSIGN_OR_RETURN(const v1::ReviewFileResponse response,
                     server.Call(&v1::ReviewService::Stub::ReviewFile, request, kReviewTimeout));
    ReviewReport report = ReadReview(response.review());
    all.packs = report.packs;
    all.profile = report.profile;
    all.files += report.files;
    all.seconds += report.seconds;
    for (ReportedFinding& reported : report.findings) {
      if (reported.finding.path == Absolute(path)) reported.finding.path = path;
      all.findings.push_back(std::move(reported));
    }
    all.skipped.insert(all.skipped.end(), report.skipped.begin(), report.skipped.end());
    selection.inputs.push_back({path, "", path, false});
  }
  Print(arguments, {}, selection, all, session);
  return JudgeReview(arguments.answer, all);
}

absl::StatusOr<std::optional<std::vector<rules::Finding>>> ReadOldFindings(const std::string& path,
                                                                           const Environment& env) {
  if (path.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(const std::string text, ReadInputFile(path, env, kMaxBaselineBytes));
  std::string error;
  std::optional<std::vector<rules::Finding>> findings = ReadBaseline(text, error);
  if (!findings.has_value()) return UsageError(absl::StrCat(path, ": ", error));
  return findings;
}

// Several folders: what one run can't say of them together, and folders that hold one another.
absl::Status CheckTrees(const ReviewArguments& arguments) {
  if (!arguments.gate.empty()) return UsageError("--gate asks about one folder; give one DIR");
  if (arguments.watch) return UsageError("--watch looks at one folder; give one DIR");
  for (size_t i = 0; i < arguments.paths.size(); ++i) {
    for (size_t j = 0; j < arguments.paths.size(); ++j) {
      const std::string inner = Absolute(arguments.paths[i]);
      const std::string outer = Absolute(arguments.paths[j]);
      if (i != j && (inner == outer || outer == "/" || Below(inner, outer))) {
        return UsageError(
            absl::StrCat("'", arguments.paths[i], "' lies in '", arguments.paths[j], "' and is reviewed with it"));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckArguments(const ReviewArguments& arguments, bool tree, const Session& session) {
  if (arguments.paths.empty()) return UsageError(tree ? "expected a folder to review" : "expected a file to review");
  if (session.options.server_given) {
    return tree ? UsageError("'review tree' reviews what lies here: it works without a server") : absl::OkStatus();
  }
  if (tree && arguments.paths.size() > 1) RETURN_IF_ERROR(CheckTrees(arguments));
  const bool piped = !tree && absl::c_linear_search(arguments.paths, kStdin);
  if (piped && (arguments.watch || arguments.fix)) return UsageError("'-' goes neither with --watch nor with --fix");
  if (!piped && !arguments.name.empty()) return UsageError("--name is for '-'");
  if (!arguments.phase.empty() && arguments.gate.empty()) return UsageError("--phase needs --gate");
  if (!arguments.rules.empty() && !arguments.gate.empty()) {
    return UsageError("--rule does not go with --gate: a gate asks for all of its checks");
  }
  return absl::OkStatus();
}

// A stage that no check is for would say that all is well.
absl::Status CheckStage(const std::optional<int>& stage, const CheckSets& packs) {
  if (!stage.has_value()) return absl::OkStatus();
  std::set<int> known;
  for (const auto& pack : packs) {
    for (const rules::CheckInfo& check : pack->checks()) known.insert(check.stages.begin(), check.stages.end());
  }
  if (known.empty() || known.contains(*stage)) return absl::OkStatus();
  return UsageError(absl::StrCat("there is no stage ", *stage, "; the checks are for ", absl::StrJoin(known, ", ")));
}

// Says of files that were named and that no check is about what would make them known.
void NoteUnknownFiles(const ReviewArguments& arguments, const CheckSets& packs, Session& session) {
  if (!arguments.role.empty()) return;
  std::vector<std::string> names;
  for (const auto& pack : packs) {
    if (!RoleTable(*pack).only_roles()) return;
    for (const rules::RoleInfo& role : pack->roles()) names.push_back(role.role);
  }
  for (const std::string& given : arguments.paths) {
    const std::string& path = given == kStdin ? arguments.name : given;
    const bool known =
        absl::c_any_of(packs, [&](const auto& pack) { return !RoleTable(*pack).Match(Absolute(path)).role.empty(); });
    if (known) continue;
    session.output.Note(
        absl::StrCat("no check is about '", path, "': --role says what it is: ", absl::StrJoin(names, ", ")));
  }
}

// Takes the files out that are not there, and returns what is to be said of them.
std::string DropMissing(std::vector<std::string>& paths) {
  const auto missing = std::stable_partition(paths.begin(), paths.end(), [](const std::string& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
  });
  if (missing == paths.end()) return "";
  const std::string names = absl::StrJoin(missing, paths.end(), "', '");
  paths.erase(missing, paths.end());
  return absl::StrCat("there is no file '", names, "' now");
}

using Select = std::function<absl::StatusOr<Selection>(const ReviewArguments&)>;
using ReviewSelected = std::function<absl::StatusOr<ExitCode>(const Selection&)>;

// Reviews whenever a file changes, until interrupted. What goes wrong on the way is told and waited for, unless it is
// wrong from the beginning.
absl::StatusOr<ExitCode> WatchAndReview(const ReviewArguments& arguments, bool tree, const Select& select,
                                        const ReviewSelected& review, Session& session) {
  absl::StatusOr<Selection> selection = Selection();
  std::string error;
  Watch watch([&]() -> size_t {
    ReviewArguments present = arguments;
    const std::string missing = tree ? "" : DropMissing(present.paths);
    selection = select(present);
    error = selection.ok() ? missing : std::string(selection.status().message());
    const size_t stamp = selection.ok() ? StampOf(PlacesOf(*selection)) : 0;
    return stamp ^ std::hash<std::string>()(error);
  });
  for (bool first = true;; first = false) {
    if (!error.empty()) session.output.Note(error + "; waiting");
    if (selection.ok() && (tree || !selection->inputs.empty())) {
      absl::StatusOr<ExitCode> result = review(*selection);
      if (first && !result.ok()) return result;
      if (!result.ok()) session.output.Error(result.status().message());
    }
    if (first) session.output.Note("watching; Ctrl-C ends");
    watch.WaitForChange();
  }
}

absl::StatusOr<ExitCode> RunReview(const ReviewArguments& arguments, bool tree, Session& session) {
  RETURN_IF_ERROR(CheckReviewFormat(arguments.answer, session));
  if (arguments.list_checks) return ListChecks(arguments, session);
  RETURN_IF_ERROR(CheckArguments(arguments, tree, session));
  if (session.options.server_given) return RunOnServer(arguments, session);
  std::vector<std::string> names = arguments.paths;
  absl::c_replace(names, std::string(kStdin), arguments.name);
  ASSIGN_OR_RETURN(const CheckSets packs, LoadReviewPacks(session, arguments.packs, names));
  RETURN_IF_ERROR(CheckRules(arguments.rules, packs));
  RETURN_IF_ERROR(CheckStage(arguments.stage, packs));
  if (!tree) NoteUnknownFiles(arguments, packs, session);
  ASSIGN_OR_RETURN(const auto baseline, ReadOldFindings(arguments.baseline, session.env));
  if (tree && arguments.paths.size() > 1) return ReviewTrees(arguments, packs, baseline, session);
  std::string text;
  if (!tree && absl::c_linear_search(arguments.paths, kStdin)) {
    ASSIGN_OR_RETURN(text, ReadInputFile(std::string(kStdin), session.env, kMaxStdinBytes));
  }
  const Select select = [&](const ReviewArguments& given) {
    return tree ? SelectTree(given, packs) : SelectFiles(given, packs, text);
  };
  const ReviewSelected review = [&](const Selection& selection) {
    // A file alone says nothing about files that are not there; a gate asks for all of them.
    return ReviewOnce(arguments, packs, selection, /*partial=*/!tree, baseline, session);
  };
  ASSIGN_OR_RETURN(const Selection selection, select(arguments));
  return arguments.watch ? WatchAndReview(arguments, tree, select, review, session) : review(selection);
}

absl::StatusOr<ExitCode> RunGroup(const ReviewArguments& arguments, Session& session) {
  if (arguments.list_checks) return ListChecks(arguments, session);
  return UsageError("a verb is missing; expected one of: file, tree, diff, pr, hook", {"See 'yard review --help'."});
}

absl::StatusOr<ExitCode> RunFile(const ReviewArguments& arguments, Session& session) {
  return RunReview(arguments, /*tree=*/false, session);
}

absl::StatusOr<ExitCode> RunTree(const ReviewArguments& arguments, Session& session) {
  return RunReview(arguments, /*tree=*/true, session);
}

void AddOptions(Verb& verb, ReviewArguments& arguments) {
  verb.Value("--pack", &arguments.packs, "PACK",
             "Pack to review with; may be given several times (default: the one that fits)");
  verb.Value("--profile", &arguments.profile, "PROFILE", "Profile of the pack (default: the pack's)");
  verb.Value("--role", &arguments.role, "ROLE",
             "What the files are, whatever their names; the operator is then the stem");
  verb.Value("--stage", &arguments.stage, "N", "Only checks of this stage").Between(0, 1000);
  verb.Value("--gate", &arguments.gate, "Ask a gate: all its checks over the operator's whole folder")
      .OneOf({"phase", "design", "stage"});
  verb.Value("--phase", &arguments.phase, "PHASE", "Phase that the gate is about, as M2");
  verb.Value("--rule", &arguments.rules, "RULE", "Only this rule, all its parts, or part; may be given several times");
  verb.Value("--option", &arguments.options, "NAME=VALUE",
             "What checks may ask for, as npu=yes; may be given several times");
  AddReviewAnswerOptions(verb, arguments.answer);
  verb.Value("--baseline", &arguments.baseline, "FILE", "JSON of an earlier review: only what is new counts");
  verb.Value("--jobs", &arguments.jobs, "N", "Threads (default: one for each core)").Between(1, kMaxJobs);
  verb.Flag("--watch", &arguments.watch, "Review again whenever a file changes, until interrupted");
  verb.Flag("--fix", &arguments.fix, "Carry out the edits that findings have, and tell what is left");
  verb.Flag("--list-checks", &arguments.list_checks, "List the checks instead");
}

}  // namespace

void AddReviewVerbs(Verb& yard) {
  Verb& review =
      yard.Add("review", "Review code against the checks of a pack",
               {"yard review file custom/demo/demo_impl.py", "yard review tree custom/demo --gate stage --stage 5",
                "yard review tree . --format sarif > review.sarif"});
  review.verb_optional = true;
  ReviewArguments& listing = review.Runs(RunGroup);
  review.Flag("--list-checks", &listing.list_checks, "List the checks of the packs");
  review.Value("--pack", &listing.packs, "PACK", "Pack whose checks to list");

  Verb& file = review.Add(
      "file", "Review files; what belongs to the same operator is looked at, but not judged",
      {"yard review file demo_impl.py", "yard review file kernel.py --pack pypto --role impl --profile strict",
       "yard review file demo_impl.py --stage 5 --format block --lang zh",
       "git show HEAD:demo_impl.py | yard review file - --name demo_impl.py"});
  ReviewArguments& files = file.Runs(RunFile);
  file.Argument("PATH", &files.paths, "The files (FILE); - is stdin");
  file.Value("--name", &files.name, "FILE", "What stdin is called: that says its role (default: as --role has it)");
  AddOptions(file, files);

  Verb& tree = review.Add(
      "tree", "Review everything below a folder, or below several",
      {"yard review tree custom", "yard review tree custom/demo --gate phase --phase M1",
       "yard review tree . --baseline old.json --fail-on major --json", "yard review tree custom/demo custom/other"});
  ReviewArguments& folder = tree.Runs(RunTree);
  tree.Argument("DIR", &folder.paths, "The folder (DIR); of several each is reviewed by itself");
  AddOptions(tree, folder);

  AddReviewDiffVerb(review);
  AddReviewProgressVerb(review);
  AddReviewPullVerb(review);
  AddReviewImportVerb(review);
  AddReviewListVerb(review);
  AddReviewHookVerb(review);
}

}  // namespace yardmaster::cli
