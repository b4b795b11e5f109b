// `yard review hook`: what the hosts of writing programs call around each write, each shell command and at the end.
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "clients/cli/review_packs.h"
#include "clients/cli/verbs.h"
#include "rules/engine/code/source_file.h"
#include "services/core/status_macros.h"
#include "services/review/block_text.h"
#include "services/review/gates.h"
#include "services/review/hook.h"
#include "services/review/operator_files.h"
#include "services/review/review_run.h"
#include "services/review/run_verdict.h"
#include "services/review/shell_runs.h"
#include "services/review/shell_writes.h"
#include "services/review/state_file.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

// At the end of a session: folders below the working directory that are looked at for operators.
constexpr size_t kMaxStopFolders = 20'000;
constexpr int kMaxStopDepth = 4;

struct HookArguments {
  std::string event;
  std::string host = "plain";
  std::vector<std::string> packs;
  std::string profile;
  std::string language = "zh";
  std::string deliver = "error";
};

// One operator, with the files that are at hand.
struct Operator {
  std::string folder;
  std::vector<ReviewInput> inputs;  // paths relative to the folder, places absolute
};

class Hook {
 public:
  Hook(const HookArguments& arguments, HookEvent event, HookInput input, Session& session)
      : arguments_(arguments), event_(event), input_(std::move(input)), session_(session) {
    std::error_code ignored;
    cwd_ = input_.cwd.empty() ? fs::current_path(ignored).string() : input_.cwd;
    language_ = arguments.language == "en" ? TextLanguage::kEnglish : TextLanguage::kChinese;
  }

  absl::StatusOr<HookAnswer> Run();

 private:
  std::string Absolute(const std::string& path) const {
    std::string absolute = (fs::path(cwd_) / path).lexically_normal().string();
    if (absolute.size() > 1 && absolute.ends_with('/')) absolute.pop_back();
    return absolute;
  }
  std::string Shown(const std::string& absolute) const {
    return absolute.starts_with(cwd_ + "/") ? absolute.substr(cwd_.size() + 1) : absolute;
  }

  // The operator of a file, which is judged; nullopt if the pack has no role for it or nothing tells that an operator
  // lives there.
  std::optional<Operator> OperatorOf(const std::string& file, bool even_alone) const;
  Operator OperatorAt(const std::string& folder) const;
  // What the pack says about the judged files at a moment.
  absl::StatusOr<ReviewReport> Judge(const Operator& at, std::string_view moment, bool named_only) const;
  ReadInput Reader(const Operator& at) const {
    return [&at](size_t index, std::string& error) -> std::optional<std::string> {
      std::error_code ignored;
      // A file that is about to be made.
      if (!fs::exists(at.inputs[index].place, ignored)) return std::string();
      return ReadText(at.inputs[index].place, rules::kMaxSourceBytes, error);
    };
  }
  std::string Text(const Operator& at, ReviewReport report) const;
  void Show(const Operator& at, ReviewReport& report) const {
    for (ReportedFinding& reported : report.findings) {
      std::string& path = reported.finding.path;
      path = Shown(path.starts_with('/') ? path : JoinPath(at.folder, path));
    }
  }
  void Save(StateFile& memory) const {
    std::string error;
    if (memory.damaged()) session_.output.Note("the memory of the operator was damaged and begins anew");
    if (!memory.Save(error)) session_.output.Error("what was found can't be remembered: " + error);
  }

  absl::Status AfterEdit(HookAnswer& answer);
  absl::Status BeforeEdit(HookAnswer& answer);
  absl::Status Shell(HookAnswer& answer);
  // The verdict on a test that the command ran.
  void AfterRun(HookAnswer& answer) const;
  absl::Status Stop(HookAnswer& answer);

  const HookArguments& arguments_;
  const HookEvent event_;
  const HookInput input_;
  Session& session_;
  std::string cwd_;
  TextLanguage language_ = TextLanguage::kChinese;
  CheckSets packs_;
};

void Append(std::string& text, const std::string& more) {
  if (more.empty()) return;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += more;
}

// What was found keeps the host from going on.
void Block(HookAnswer& answer, const std::string& text) {
  answer.block = answer.block || !text.empty();
  Append(answer.reason, text);
}

std::optional<Operator> Hook::OperatorOf(const std::string& file, bool even_alone) const {
  for (const auto& pack : packs_) {
    const RoleTable roles(*pack);
    const FileRole role = roles.Match(file);
    if (role.role.empty()) continue;
    const OperatorFiles found = FindOperator(roles, file);
    const std::vector<std::string>* lone = pack->List("lone_roles");
    const bool known =
        even_alone || !found.others.empty() || (lone != nullptr && absl::c_linear_search(*lone, role.role));
    if (!known) continue;
    Operator at;
    at.folder = found.folder.empty() ? std::string(FolderOf(file)) : found.folder;
    const auto add = [&](const std::string& place, bool context) {
      const std::string path = place.starts_with(at.folder + "/") ? place.substr(at.folder.size() + 1) : place;
      at.inputs.push_back({path, "", place, context});
    };
    add(file, false);
    for (const std::string& other : found.others) add(other, true);
    return at;
  }
  return std::nullopt;
}

Operator Hook::OperatorAt(const std::string& folder) const {
  Operator at;
  at.folder = folder;
  std::set<std::string> seen;
  for (const auto& pack : packs_) {
    for (const std::string& place : FilesOfOperator(RoleTable(*pack), folder)) {
      if (seen.insert(place).second) at.inputs.push_back({place.substr(folder.size() + 1), "", place, false});
    }
  }
  return at;
}

absl::StatusOr<ReviewReport> Hook::Judge(const Operator& at, std::string_view moment, bool named_only) const {
  const bool known = absl::c_any_of(packs_, [&](const auto& pack) {
    return absl::c_any_of(pack->moments(), [&](const rules::MomentInfo& info) { return info.id == moment; });
  });
  if (!known) return ReviewReport();
  RunOptions options;
  options.profile = arguments_.profile;
  options.moment = std::string(moment);
  options.stage = StageOfOperator(packs_, at.inputs, Reader(at));
  options.named_moment_only = named_only;
  options.options["partial"] = "yes";
  if (!input_.tool.empty()) options.options["tool"] = input_.tool;
  return RunReview(packs_, at.inputs, Reader(at), options);
}

std::string Hook::Text(const Operator& at, ReviewReport report) const {
  Show(at, report);
  return BlockText(report, BlockFrameOf(packs_.front().get(), language_), language_);
}

absl::Status Hook::AfterEdit(HookAnswer& answer) {
  for (const std::string& path : input_.paths) {
    const std::string file = Absolute(path);
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) continue;
    const std::optional<Operator> at = OperatorOf(file, false);
    if (!at.has_value()) continue;
    StateFile memory(at->folder);
    ASSIGN_OR_RETURN(ReviewReport report, Judge(*at, kEditMoment, false));
    // Frozen files: this one, and what else may have changed meanwhile.
    ASSIGN_OR_RETURN(std::vector<rules::Finding> changed,
                     CheckFrozen(packs_, at->inputs, Reader(*at), arguments_.profile, memory.state()));
    for (rules::Finding& finding : changed) report.findings.push_back({std::move(finding)});
    SortFindings(report.findings);

    std::vector<rules::Finding> own;
    const std::string& name = at->inputs.front().path;
    for (const ReportedFinding& reported : report.findings) {
      if (reported.finding.path == file || reported.finding.path == name) own.push_back(reported.finding);
    }
    const std::optional<BreakerTrip> trip = RecordWrite(memory.state(), name, own);
    Save(memory);

    ReviewReport shown = report;
    Show(*at, shown);
    Block(answer, Text(*at, std::move(report)));
    if (trip.has_value()) Append(answer.reason, BreakerText(*trip) + "\n");
    Append(answer.context, ContextText(shown, language_));
    if (trip.has_value()) Append(answer.context, BreakerText(*trip) + "\n");
  }
  return absl::OkStatus();
}

absl::Status Hook::BeforeEdit(HookAnswer& answer) {
  for (const std::string& path : input_.paths) {
    const std::optional<Operator> at = OperatorOf(Absolute(path), true);
    if (!at.has_value()) continue;
    ASSIGN_OR_RETURN(ReviewReport report, Judge(*at, kPreEditMoment, true));
    // A file that must not change is not to be written at all.
    ASSIGN_OR_RETURN(const ReviewReport frozen, Judge(*at, kFrozenMoment, true));
    for (const ReportedFinding& reported : frozen.findings) {
      const std::string& name = reported.finding.path;
      const bool told = absl::c_any_of(report.findings, [&](const ReportedFinding& other) {
        return other.finding.rule_id == reported.finding.rule_id;
      });
      if (!told && (name == at->inputs.front().path || name == at->inputs.front().place))
        report.findings.push_back(reported);
    }
    Block(answer, Text(*at, std::move(report)));
  }
  return absl::OkStatus();
}

void Hook::AfterRun(HookAnswer& answer) const {
  // Without a word about how it ended there is nothing to judge.
  if (event_ != HookEvent::kPostShell || !input_.result.has_value()) return;
  for (const auto& pack : packs_) {
    std::vector<std::string> files = JudgedRuns(*pack, RoleTable(*pack), ShellRuns(input_.command));
    if (files.empty()) continue;
    // 1. Where the operator stands.
    std::string state;
    const std::optional<Operator> at = OperatorOf(Absolute(files.front()), true);
    const std::vector<std::string>* roles = pack->List("stage_roles");
    for (size_t i = 0; at.has_value() && roles != nullptr && state.empty() && i < at->inputs.size(); ++i) {
      const std::string role = RoleTable(*pack).Match(at->inputs[i].path).role;
      if (!absl::c_linear_search(*roles, role)) continue;
      std::string error;
      state = StateText(*pack, ReadText(at->inputs[i].place, rules::kMaxSourceBytes, error).value_or(""));
    }
    // 2. What its test said.
    for (std::string& file : files) file = Shown(Absolute(file));
    const RunVerdict verdict = JudgeRun(*pack, *input_.result);
    const std::string text = RunText(*pack, verdict, *input_.result, files, state, language_);
    answer.block = answer.block || IsNegative(verdict);
    Append(IsNegative(verdict) ? answer.reason : answer.context, text);
    return;
  }
}

absl::Status Hook::Shell(HookAnswer& answer) {
  for (const std::string& path : ShellWrites(input_.command)) {
    const std::optional<Operator> at = OperatorOf(Absolute(path), true);
    if (!at.has_value()) continue;
    ASSIGN_OR_RETURN(ReviewReport report, Judge(*at, kShellMoment, true));
    Block(answer, Text(*at, std::move(report)));
  }
  AfterRun(answer);
  return absl::OkStatus();
}

// Operators that a hook has seen before, below the working directory and around it.
void FindMemories(const fs::path& folder, int depth, size_t& left, std::vector<std::string>& out) {
  std::error_code error;
  if (fs::exists(folder / kStateFolder / kStateFile, error)) out.push_back(folder.string());
  if (depth == 0) return;
  for (fs::directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end && left > 0; it.increment(error)) {
    std::error_code ignored;
    if (!fs::is_directory(it->symlink_status(ignored)) || it->path().filename().string().starts_with('.')) continue;
    --left;
    FindMemories(it->path(), depth - 1, left, out);
  }
}

absl::Status Hook::Stop(HookAnswer& answer) {
  // A host that was kept from stopping once is let go: what is open was told.
  if (input_.stopping_again) return absl::OkStatus();
  std::vector<std::string> folders;
  size_t left = kMaxStopFolders;
  const std::string here = Absolute(".");
  FindMemories(here, kMaxStopDepth, left, folders);
  // The operator's own folder, though nobody has written there yet.
  const Operator own = OperatorAt(here);
  const std::vector<std::string>* stage_roles = packs_.front()->List("stage_roles");
  const bool is_operator =
      stage_roles != nullptr && absl::c_any_of(own.inputs, [&](const ReviewInput& input) {
        return FolderOf(input.path).empty() &&
               absl::c_linear_search(*stage_roles, RoleTable(*packs_.front()).Match(input.path).role);
      });
  if (is_operator && !absl::c_linear_search(folders, here)) folders.push_back(here);
  for (const std::string& folder : folders) {
    const Operator at = OperatorAt(folder);
    if (at.inputs.empty()) continue;
    StateFile memory(folder);
    ReviewReport report;
    if (StageOfOperator(packs_, at.inputs, Reader(at)).has_value()) {
      GateRequest request;
      request.gate = std::string(kStageMoment);
      request.profile = arguments_.profile;
      request.folder = folder;
      ASSIGN_OR_RETURN(report, RunGate(packs_, at.inputs, Reader(at), request, memory.state()));
    } else {
      // Nobody says how far the operator is: what was written must hold, what is not there yet is not missing.
      ASSIGN_OR_RETURN(report, Judge(at, kEditMoment, false));
    }
    Save(memory);
    Block(answer, Text(at, std::move(report)));
  }
  return absl::OkStatus();
}

absl::StatusOr<HookAnswer> Hook::Run() {
  // 1. What it is about. A message about anything else is none of ours.
  std::vector<std::string> paths = input_.paths;
  const bool shell = event_ == HookEvent::kPreShell || event_ == HookEvent::kPostShell;
  if (shell) paths = ShellWrites(input_.command);
  if (event_ == HookEvent::kPostShell && input_.result.has_value()) {
    // Packs are chosen by what may be a test; most commands have no such word.
    for (const ShellRun& run : ShellRuns(input_.command)) {
      for (size_t i = 1; i < run.words.size(); ++i) {
        if (!run.words[i].starts_with('-')) paths.push_back(run.words[i].substr(0, run.words[i].find("::")));
      }
    }
  }
  HookAnswer answer;
  if (event_ != HookEvent::kStop && paths.empty()) return answer;
  ASSIGN_OR_RETURN(packs_, LoadReviewPacks(session_, arguments_.packs, paths, PackNotes::kQuiet));
  if (packs_.empty()) return answer;

  // 2. What we think of it.
  switch (event_) {
    case HookEvent::kPostEdit:
      RETURN_IF_ERROR(AfterEdit(answer));
      break;
    case HookEvent::kPreEdit:
      RETURN_IF_ERROR(BeforeEdit(answer));
      break;
    case HookEvent::kPreShell:
    case HookEvent::kPostShell:
      RETURN_IF_ERROR(Shell(answer));
      break;
    case HookEvent::kStop:
      RETURN_IF_ERROR(Stop(answer));
      break;
  }
  return answer;
}

absl::StatusOr<ExitCode> RunHook(const HookArguments& arguments, Session& session) {
  std::string message = session.env.variable("YARD_HOOK_INPUT");
  if (message.empty()) {
    char block[64 * 1024];
    while (message.size() <= kMaxHookBytes &&
           (session.env.in->read(block, sizeof(block)) || session.env.in->gcount() > 0))
      message.append(block, static_cast<size_t>(session.env.in->gcount()));
  }
  std::string error;
  std::optional<HookInput> input = ParseHookInput(message, error);
  if (!input.has_value()) return UsageError("the host's message: " + error);
  // The command line allows no other names.
  const HookEvent event = HookEventFromName(arguments.event).value_or(HookEvent::kPostEdit);
  const HookHost host = HookHostFromName(arguments.host).value_or(HookHost::kPlain);
  ASSIGN_OR_RETURN(const HookAnswer answer, Hook(arguments, event, *std::move(input), session).Run());
  const HookReply reply = ReplyOf(host, event, answer, arguments.deliver == "context");
  session.output.out() << reply.out;
  return reply.negative ? ExitCode::kNegative : ExitCode::kDone;
}

}  // namespace

void AddReviewHookVerb(Verb& review) {
  Verb& hook =
      review.Add("hook",
                 "Answer a hook of a coding tool before or after its edits; the tool's message is read from stdin or "
                 "YARD_HOOK_INPUT",
                 {"yard review hook --host claude post-edit < message.json", "yard review hook --host claude pre-edit",
                  "yard review hook --host opencode post-shell --deliver context", "yard review hook stop"});
  HookArguments& arguments = hook.Runs(RunHook);
  hook.Argument("EVENT", &arguments.event, "Event of the tool")
      .OneOf({"post-edit", "pre-edit", "post-shell", "pre-shell", "stop"})
      .Required();
  hook.Value("--host", &arguments.host, "Tool whose protocol is used").OneOf({"claude", "opencode", "plain"});
  hook.Value("--pack", &arguments.packs, "PACK", "Pack to review with (default: the one that fits)");
  hook.Value("--profile", &arguments.profile, "PROFILE", "Profile of the pack (default: the pack's)");
  hook.Value("--lang", &arguments.language, "Language of the texts").OneOf({"zh", "en"});
  hook.Value("--deliver", &arguments.deliver,
             "How the answer is delivered: error makes the tool's call fail, context is added to a call that succeeded")
      .OneOf({"error", "context"});
}

}  // namespace yardmaster::cli
