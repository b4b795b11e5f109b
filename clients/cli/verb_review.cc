// `yard review file|tree`; hook is in verb_review_hook.cc.
#include "clients/cli/verb_review.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/cli/files.h"
#include "clients/cli/review_call.h"
#include "clients/cli/review_packs.h"
#include "clients/cli/review_text.h"
#include "clients/cli/review_watch.h"
#include "clients/cli/verbs.h"
#include "rules/engine/code/source_file.h"
#include "services/core/rpc/status.h"
#include "services/review/edits.h"
#include "services/review/gates.h"
#include "services/review/operator_files.h"
#include "services/review/review_run.h"
#include "services/review/sarif.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxBaselineBytes = 512 * 1024 * 1024;
constexpr size_t kMaxJobs = 256;
// Edits that overlap others come with another round.
constexpr int kMaxFixRounds = 10;

struct ReviewArguments {
  std::vector<std::string> paths;  // file: the files; tree: the folder
  std::vector<std::string> packs;
  std::vector<std::string> rules;
  std::string profile;
  std::string role;
  std::string gate;
  std::string phase;
  std::string format = "text";
  std::string language = "en";
  std::string fail_on = "block";
  std::string baseline;
  int stage = -1;
  size_t jobs = 0;  // 0: one for each core
  bool watch = false;
  bool fix = false;
  bool list_checks = false;
};

// What one run looks at.
struct Selection {
  std::vector<ReviewInput> inputs;
  std::string base;  // findings below this folder are told relative to it; empty: as they are
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

ExitCode InputError(Session& session, const std::string& message) {
  session.output.Error(message);
  return ExitCode::kUsage;
}

TextLanguage LanguageOf(const ReviewArguments& arguments) {
  return arguments.language == "zh" ? TextLanguage::kChinese : TextLanguage::kEnglish;
}

size_t Jobs(const ReviewArguments& arguments) {
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min(arguments.jobs == 0 ? cores : arguments.jobs, kMaxJobs);
}

// --- what to review ---

// The files named, and for context what else belongs to their operators.
std::optional<Selection> SelectFiles(const ReviewArguments& arguments, const CheckSets& packs, std::string& error) {
  Selection selection;
  std::set<std::string> seen;
  bool relative = false;
  for (const std::string& path : arguments.paths) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    if (!fs::is_regular_file(status)) {
      error = "can't read '" + path + "': " +
              (fs::is_directory(status) ? "it is a folder; see 'yard review tree'"
               : fs::exists(status)     ? "it is no regular file"
                                        : "there is no such file");
      return std::nullopt;
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
std::optional<Selection> SelectTree(const ReviewArguments& arguments, const CheckSets& packs, std::string& error) {
  const std::string& folder = arguments.paths.front();
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    error = "can't read '" + folder + "': " +
            (fs::exists(folder, ignored) ? "it is no folder; see 'yard review file'" : "there is no such folder");
    return std::nullopt;
  }
  Selection selection;
  selection.base = selection.folder = Absolute(folder);
  const TreeListing listing = ListTree(folder, kMaxTreeEntries, kMaxTreeDepth);
  if (!listing.complete) {
    error = "'" + folder + "' has more than " + std::to_string(kMaxTreeEntries) + " entries, the limit";
    return std::nullopt;
  }
  std::vector<RoleTable> roles;
  std::string extension;
  for (const auto& pack : packs) {
    roles.emplace_back(*pack);
    if (extension.empty())
      extension = fs::path(std::string(roles.back().ExampleOf(arguments.role))).extension().string();
  }
  for (const std::string& path : listing.paths) {
    const bool wanted =
        arguments.role.empty()
            ? std::any_of(roles.begin(), roles.end(), [&](const RoleTable& table) { return WorthReading(table, path); })
            : !extension.empty() && path.ends_with(extension);
    if (wanted) selection.inputs.push_back({path, arguments.role, JoinPath(selection.base, path), false});
  }
  return selection;
}

// --- answers ---

// Texts of the files that findings are in: read again, since a tree may be larger than memory.
class Sources {
 public:
  explicit Sources(const Selection& selection) {
    for (const ReviewInput& input : selection.inputs) places_[input.path] = input.place;
  }
  const std::string* Find(const std::string& path) {
    if (path == last_) return text_.has_value() ? &*text_ : nullptr;
    const auto it = places_.find(path);
    if (it == places_.end()) return nullptr;
    std::string ignored;
    last_ = path;
    text_ = ReadText(it->second, rules::kMaxSourceBytes, ignored);
    return text_.has_value() ? &*text_ : nullptr;
  }

 private:
  std::map<std::string, std::string> places_;
  std::string last_;
  std::optional<std::string> text_;
};

void Print(const ReviewArguments& arguments, const CheckSets& packs, const Selection& selection,
           const ReviewReport& report, Session& session) {
  Output& output = session.output;
  const std::string& format = arguments.format;
  if (session.options.json || format == "json") {
    output.out() << DumpReport(ReportJson(report)) << '\n';
  } else if (format == "sarif") {
    SarifRules rules;
    for (const auto& pack : packs) {
      for (const rules::CheckInfo& check : pack->checks()) rules.emplace(check.rule, &check);
    }
    output.out() << DumpReport(SarifLog(report, rules)) << '\n';
  } else if (format == "block") {
    const rules::CheckSet* pack = packs.empty() ? nullptr : packs.front().get();
    output.out() << BlockText(report, BlockFrameOf(pack, LanguageOf(arguments)), LanguageOf(arguments));
  } else {
    Sources sources(selection);
    output.out() << ReviewText(report, [&](const std::string& path) { return sources.Find(path); },
                               {LanguageOf(arguments), output.columns(), output.color()});
  }
  output.out().flush();
}

ExitCode ListChecks(const ReviewArguments& arguments, Session& session) {
  ExitCode code = ExitCode::kDone;
  const CheckSets packs = LoadReviewPacks(session, arguments.packs, arguments.paths, code);
  if (packs.empty()) return code;
  if (session.options.json || arguments.format == "json") {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& pack : packs) {
      for (nlohmann::ordered_json& check : CheckListJson(*pack)) list.push_back(std::move(check));
    }
    session.output.out() << DumpReport({{"checks", std::move(list)}}) << '\n';
    return ExitCode::kDone;
  }
  for (const auto& pack : packs) session.output.out() << CheckTable(*pack, session.output);
  return ExitCode::kDone;
}

// --- the run ---

// --fix: writes the files whose findings have edits. False if a file can't be written; `applied` counts findings.
bool CarryOut(const ReviewReport& report, const Selection& selection, size_t& applied, Session& session) {
  for (const ReviewInput& input : selection.inputs) {
    if (input.context) continue;
    std::vector<const rules::Finding*> findings;
    for (const ReportedFinding& reported : report.findings) {
      const bool stands = reported.status != FindingStatus::kFixed && !reported.finding.edits.empty();
      if (stands && reported.finding.path == input.path) findings.push_back(&reported.finding);
    }
    if (findings.empty()) continue;
    std::string error;
    const std::optional<std::string> text = ReadText(input.place, rules::kMaxSourceBytes, error);
    // What was too large to be read whole is not written back.
    if (!text.has_value() || text->size() > rules::kMaxSourceBytes) continue;
    const EditedText edited = ApplyEdits(*text, findings);
    if (edited.text == *text) continue;
    applied += edited.applied;
    const std::unique_ptr<OutputFile> output = OutputFile::Create(input.place, session.env, error);
    if (output != nullptr) output->stream() << edited.text;
    if (output == nullptr || !output->Commit(error)) {
      session.output.Error(error);
      return false;
    }
  }
  return true;
}

// What a review finds; `read` counts as the time of the review.
absl::StatusOr<ReviewReport> Review(const ReviewArguments& arguments, const CheckSets& packs,
                                    const Selection& selection, bool partial,
                                    const std::optional<std::vector<rules::Finding>>& baseline) {
  const auto started = std::chrono::steady_clock::now();
  const ReadInput read = [&](size_t index, std::string& error) {
    return ReadText(selection.inputs[index].place, rules::kMaxSourceBytes, error);
  };
  absl::StatusOr<ReviewReport> report = ReviewReport();
  if (!arguments.gate.empty()) {
    GateRequest request;
    request.gate = arguments.gate;
    if (arguments.stage >= 0) request.stage = arguments.stage;
    request.phase = arguments.phase;
    request.profile = arguments.profile;
    request.folder = selection.folder;
    request.jobs = Jobs(arguments);
    // Without a hook nobody remembers: what is frozen is known only where somebody does.
    OperatorState state;
    std::string ignored;
    const std::optional<std::string> kept =
        ReadText(fs::path(selection.folder) / ".yardmaster" / "state.json", kMaxStateBytes, ignored);
    if (kept.has_value()) state = ParseState(*kept).value_or(OperatorState());
    // Kept relative to the operator; see verb_review_hook.cc.
    OperatorState absolute;
    for (const auto& [path, digest] : state.frozen) {
      for (const ReviewInput& input : selection.inputs) {
        if (input.place == JoinPath(selection.folder, path)) absolute.frozen[input.path] = digest;
      }
    }
    report = RunGate(packs, selection.inputs, read, request, absolute);
  } else {
    RunOptions options;
    options.profile = arguments.profile;
    if (arguments.stage >= 0) options.stage = arguments.stage;
    options.only = arguments.rules;
    options.jobs = Jobs(arguments);
    if (!arguments.phase.empty()) options.options["phase"] = arguments.phase;
    if (partial) options.options["partial"] = "yes";
    report = RunReview(packs, selection.inputs, read, options);
  }
  if (!report.ok()) return report;
  // Files that were named keep the name that they were given.
  std::set<std::string_view> named;
  for (const ReviewInput& input : selection.inputs) {
    if (!input.context) named.insert(input.path);
  }
  const auto relative = [&](std::string& path) {
    if (selection.base.empty() || named.count(path) > 0) return;
    if (path == selection.base) {
      path = ".";
    } else if (Below(path, selection.base)) {
      path = path.substr(selection.base.size() + 1);
    }
  };
  for (ReportedFinding& reported : report->findings) relative(reported.finding.path);
  for (rules::SkippedCheck& skipped : report->skipped) relative(skipped.path);
  SortFindings(report->findings);
  if (baseline.has_value()) {
    std::vector<std::string> judged;
    for (const ReviewInput& input : selection.inputs) {
      if (!input.context) judged.push_back(input.path);
    }
    CompareWithBaseline(*baseline, judged, *report);
  }
  report->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return report;
}

// Reviews once and prints. With --fix: what is left when every edit is carried out that does not overlap another.
ExitCode ReviewOnce(const ReviewArguments& arguments, const CheckSets& packs, const Selection& selection, bool partial,
                    const std::optional<std::vector<rules::Finding>>& baseline, Session& session) {
  size_t applied = 0;
  absl::StatusOr<ReviewReport> report = Review(arguments, packs, selection, partial, baseline);
  for (int round = 0; arguments.fix && report.ok() && round < kMaxFixRounds; ++round) {
    const size_t before = applied;
    if (!CarryOut(*report, selection, applied, session)) return ExitCode::kSystem;
    if (applied == before) break;
    report = Review(arguments, packs, selection, partial, baseline);
  }
  if (!report.ok()) {
    session.output.Error(std::string(report.status().message()));
    return ExitCodeOf(ToGrpcStatus(report.status()));
  }
  if (arguments.fix)
    session.output.Note("fixed " + std::to_string(applied) + (applied == 1 ? " finding" : " findings"));
  Print(arguments, packs, selection, *report, session);
  const rules::Severity fail_on = SeverityFromName(arguments.fail_on).value_or(rules::Severity::kBlock);
  const bool closed = report->gate.has_value() && !report->gate->open;
  return closed || report->Reaches(fail_on) ? ExitCode::kNegative : ExitCode::kDone;
}

// Places of a selection, for what has changed since.
std::vector<std::string> PlacesOf(const Selection& selection) {
  std::vector<std::string> places;
  places.reserve(selection.inputs.size());
  for (const ReviewInput& input : selection.inputs) places.push_back(input.place);
  return places;
}

// The files and what belongs to their operators go to the server; it has the packs.
ExitCode RunOnServer(const ReviewArguments& arguments, Session& session) {
  const bool plain = arguments.gate.empty() && arguments.rules.empty() && arguments.baseline.empty() &&
                     !arguments.watch && !arguments.fix;
  if (!plain || arguments.packs.size() != 1) {
    return InputError(session, "with --server: one --pack, and neither --gate, --rule, --baseline, --fix nor --watch");
  }
  ReviewReport all;
  Selection selection;
  for (const std::string& path : arguments.paths) {
    std::string error;
    const std::optional<std::string> text = ReadText(path, rules::kMaxSourceBytes, error);
    if (!text.has_value()) return InputError(session, absl::StrCat("can't read '", path, "': ", error));
    v1::ReviewFileRequest request;
    request.set_pack(arguments.packs.front());
    request.set_profile(arguments.profile);
    request.set_role(arguments.role);
    if (arguments.stage >= 0) request.set_stage(static_cast<uint32_t>(arguments.stage));
    request.mutable_file()->set_path(Absolute(path));
    request.mutable_file()->set_content(*text);
    ExitCode code = ExitCode::kDone;
    std::optional<ReviewReport> report = ReviewOnServer(session, request, code);
    if (!report.has_value()) return code;
    all.packs = report->packs;
    all.profile = report->profile;
    all.files += report->files;
    all.seconds += report->seconds;
    for (ReportedFinding& reported : report->findings) {
      if (reported.finding.path == Absolute(path)) reported.finding.path = path;
      all.findings.push_back(std::move(reported));
    }
    all.skipped.insert(all.skipped.end(), report->skipped.begin(), report->skipped.end());
    selection.inputs.push_back({path, "", path, false});
  }
  Print(arguments, {}, selection, all, session);
  const rules::Severity fail_on = SeverityFromName(arguments.fail_on).value_or(rules::Severity::kBlock);
  return all.Reaches(fail_on) ? ExitCode::kNegative : ExitCode::kDone;
}

ExitCode Run(const ReviewArguments& arguments, bool tree, Session& session) {
  if (session.options.json && arguments.format != "text" && arguments.format != "json") {
    return InputError(session, "--json is --format json; it does not go with --format " + arguments.format);
  }
  if (arguments.list_checks) return ListChecks(arguments, session);
  if (arguments.paths.empty()) {
    return InputError(session, tree ? "expected a folder to review" : "expected a file to review");
  }
  if (session.options.server_given) {
    if (tree) return InputError(session, "'review tree' reviews what lies here: it works without a server");
    return RunOnServer(arguments, session);
  }
  if (!arguments.phase.empty() && arguments.gate.empty()) return InputError(session, "--phase needs --gate");
  if (!arguments.rules.empty() && !arguments.gate.empty()) {
    return InputError(session, "--rule does not go with --gate: a gate asks for all of its checks");
  }

  ExitCode code = ExitCode::kDone;
  const CheckSets packs = LoadReviewPacks(session, arguments.packs, arguments.paths, code);
  if (packs.empty()) return code;
  for (const std::string& rule : arguments.rules) {
    const bool known = std::any_of(packs.begin(), packs.end(), [&](const auto& pack) {
      return std::any_of(pack->checks().begin(), pack->checks().end(),
                         [&](const rules::CheckInfo& check) { return check.rule == rule || check.id == rule; });
    });
    if (!known) {
      session.output.Error("there is no check '" + rule + "' in the packs");
      return ExitCode::kNegative;
    }
  }
  std::optional<std::vector<rules::Finding>> baseline;
  if (!arguments.baseline.empty()) {
    std::string error;
    const std::unique_ptr<InputFile> input = InputFile::Open(arguments.baseline, session.env, error);
    const std::optional<std::string> text = input == nullptr ? std::nullopt : input->ReadAll(kMaxBaselineBytes, error);
    if (!text.has_value()) return InputError(session, error);
    baseline = ReadBaseline(*text, error);
    if (!baseline.has_value()) return InputError(session, arguments.baseline + ": " + error);
  }
  // A file alone says nothing about files that are not there; a gate asks for all of them.
  const bool partial = !tree;
  const auto select = [&](const ReviewArguments& given, std::string& error) {
    return tree ? SelectTree(given, packs, error) : SelectFiles(given, packs, error);
  };
  std::string error;
  std::optional<Selection> selection = select(arguments, error);
  if (!selection.has_value()) return InputError(session, error);
  if (!arguments.watch) return ReviewOnce(arguments, packs, *selection, partial, baseline, session);

  // Until interrupted. What goes wrong from here on is told and waited for, unless it is wrong from the beginning.
  const auto look = [&]() -> size_t {
    ReviewArguments given = arguments;
    std::string missing;
    if (!tree) {
      std::erase_if(given.paths, [&](const std::string& path) {
        std::error_code ignored;
        if (fs::is_regular_file(path, ignored)) return false;
        missing += (missing.empty() ? "'" : ", '") + path + "'";
        return true;
      });
      if (!missing.empty()) missing = "there is no file " + missing + " now";
    }
    error.clear();
    selection = select(given, error);
    if (error.empty()) error = missing;
    return selection.has_value() ? StampOf(PlacesOf(*selection)) ^ std::hash<std::string>()(error)
                                 : std::hash<std::string>()(error);
  };
  Watch watch(look);
  for (bool first = true;; first = false) {
    if (!error.empty()) session.output.Note(error + "; waiting");
    const bool any = selection.has_value() && (tree || !selection->inputs.empty());
    const ExitCode result =
        any ? ReviewOnce(arguments, packs, *selection, partial, baseline, session) : ExitCode::kDone;
    if (first && result != ExitCode::kDone && result != ExitCode::kNegative) return result;
    if (first) session.output.Note("watching; Ctrl-C ends");
    watch.WaitForChange();
  }
}

void AddOptions(CLI::App& verb, const std::shared_ptr<ReviewArguments>& arguments) {
  verb.add_option("--pack", arguments->packs,
                  "Pack to review with; may be given several times (default: the one that fits)")
      ->type_name("PACK");
  verb.add_option("--profile", arguments->profile, "Profile of the pack (default: the pack's)")->type_name("PROFILE");
  verb.add_option("--role", arguments->role, "What the files are, whatever their names; the operator is then the stem")
      ->type_name("ROLE");
  verb.add_option("--stage", arguments->stage, "Only checks of this stage")->check(CLI::Range(0, 1000))->type_name("N");
  verb.add_option("--gate", arguments->gate, "Ask a gate: all its checks over the operator's whole folder")
      ->check(CLI::IsMember({"phase", "design", "stage"}));
  verb.add_option("--phase", arguments->phase, "Phase that the gate is about, as M2")->type_name("PHASE");
  verb.add_option("--rule", arguments->rules, "Only this check; may be given several times")->type_name("RULE");
  verb.add_option("--format", arguments->format, "How to answer")
      ->check(CLI::IsMember({"text", "json", "sarif", "block"}));
  verb.add_option("--lang", arguments->language, "Language of text and block")->check(CLI::IsMember({"en", "zh"}));
  verb.add_option("--fail-on", arguments->fail_on, "Exit with 1 for findings as bad as this or worse")
      ->check(CLI::IsMember({"block", "major", "minor", "info"}));
  verb.add_option("--baseline", arguments->baseline, "JSON of an earlier review: only what is new counts")
      ->type_name("FILE");
  verb.add_option("--jobs", arguments->jobs, "Threads (default: one for each core)")
      ->check(CLI::Range(size_t{1}, kMaxJobs))
      ->type_name("N");
  verb.add_flag("--watch", arguments->watch, "Review again whenever a file changes, until interrupted");
  verb.add_flag("--fix", arguments->fix, "Carry out the edits that findings have, and tell what is left");
  verb.add_flag("--list-checks", arguments->list_checks, "List the checks instead");
}

}  // namespace

void AddReviewVerbs(CLI::App& app, Verb& chosen) {
  CLI::App* review = AddVerb(app, "review", "Review code against the checks of a pack",
                             "  yard review file custom/demo/demo_impl.py\n"
                             "  yard review tree custom/demo --gate stage --stage 5\n"
                             "  yard review tree . --format sarif > review.sarif");
  review->require_subcommand(0, 1);
  auto listing = std::make_shared<ReviewArguments>();
  review->add_flag("--list-checks", listing->list_checks, "List the checks of the packs");
  review->add_option("--pack", listing->packs, "Pack whose checks to list")->type_name("PACK");
  review->callback([review, listing, &chosen] {
    if (!review->get_subcommands().empty()) return;
    if (!listing->list_checks) throw CLI::RequiredError("a verb (file, tree or hook)");
    chosen = [listing](Session& session) { return ListChecks(*listing, session); };
  });

  const auto add = [&](const char* name, const char* description, const char* examples, bool tree) {
    auto arguments = std::make_shared<ReviewArguments>();
    CLI::App* verb = AddVerb(*review, name, description, examples);
    CLI::Option* paths =
        verb->add_option(tree ? "DIR" : "PATH", arguments->paths, tree ? "The folder (DIR)" : "The files (FILE)");
    paths->type_name("");
    if (tree) paths->expected(0, 1);
    AddOptions(*verb, arguments);
    verb->callback([&chosen, arguments, tree] {
      chosen = [arguments, tree](Session& session) { return Run(*arguments, tree, session); };
    });
  };
  add("file", "Review files; what belongs to the same operator is looked at, but not judged",
      "  yard review file demo_impl.py\n"
      "  yard review file kernel.py --pack pypto --role impl --profile strict\n"
      "  yard review file demo_impl.py --stage 5 --format block --lang zh",
      false);
  add("tree", "Review everything below a folder",
      "  yard review tree custom\n"
      "  yard review tree custom/demo --gate phase --phase M1\n"
      "  yard review tree . --baseline old.json --fail-on major --json",
      true);
  AddReviewHookVerb(*review, chosen);
}

}  // namespace yardmaster::cli
