#include "services/worker/launch/launch.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/worker/launch/python_hook.h"
#include "services/worker/launch/rank_script.h"
#include "services/worker/launch/shell_text.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kMasterAddress = "127.0.0.1";

// What of a step depends on the rank.
struct RankCommand {
  RankPlace place;
  rules::CommandLine command;
  std::filesystem::path directory;
  Environment environment;
};

class Planner {
 public:
  explicit Planner(const LaunchRequest& request) : request_(request), step_(*request.step) {}

  absl::StatusOr<LaunchPlan> Plan() {
    const bool ranked = step_.launcher.has_ranks();
    std::vector<RankCommand> ranks;
    const size_t count = ranked ? request_.world_size : 1;
    for (size_t rank = 0; rank < count; ++rank) ranks.push_back(CommandOf(rank, ranked));
    std::vector<std::string> scripts;
    scripts.reserve(request_.scripts.size());
    for (const std::string& script : request_.scripts) scripts.push_back(Filled(script, ValuesOf(ranks[0].place, 0)));
    if (!status_.ok()) return status_;

    LaunchPlan plan;
    for (const RankCommand& rank : ranks) plan.places.push_back(rank.place);
    if (!request_.build) {
      plan.files.emplace_back(request_.control / kPythonHookFolder / kPythonHookFile,
                              PythonHook(request_.control / kStacksFolder));
    }
    if (ranked && step_.launcher.kind != rules::kPlainLauncher) {
      plan.launcher = FindLauncher(request_.launchers, step_.launcher.kind);
      if (plan.launcher == nullptr) {
        return errors::FieldInvalid(absl::StrCat("launcher of the step ", step_.id), "a launcher that is known here");
      }
      AddLauncher(ranks, scripts, plan);
      return plan;
    }
    for (const RankCommand& rank : ranks) {
      PlannedProcess process;
      process.rank = rank.place.rank;
      process.spec.argv = CommandArguments(rank.command, scripts, request_.unset);
      process.spec.environment = Lines(rank.environment);
      process.spec.directory = rank.directory;
      plan.processes.push_back(std::move(process));
    }
    return plan;
  }

 private:
  std::string Filled(std::string_view text, const rules::PlaceholderValues& values) {
    std::string error;
    std::optional<std::string> filled = rules::Substitute(text, values, error);
    if (!filled.has_value()) {
      status_.Update(errors::FieldInvalid(absl::StrCat("of the step ", step_.id), error));
      return std::string();
    }
    return *std::move(filled);
  }

  rules::PlaceholderValues ValuesOf(const RankPlace& place, size_t rank) const {
    rules::PlaceholderValues values = request_.values;
    if (request_.build) return values;
    values["OUT"] = place.out.native();
    values["TENSORS"] = place.tensors.native();
    values["RANK"] = values["LOCAL_RANK"] = std::to_string(rank);
    values["WORLD_SIZE"] = std::to_string(request_.world_size);
    values["SHARD"] = std::to_string(request_.shard);
    values["SHARDS"] = std::to_string(step_.shards);
    return values;
  }

  RankCommand CommandOf(size_t rank, bool ranked) {
    RankCommand out;
    out.place.rank = ranked ? static_cast<int>(rank) : -1;
    out.place.out = ranked ? request_.folder / "ranks" / std::to_string(rank) : request_.folder / "out";
    out.place.tensors = out.place.out / "tensors";
    const rules::PlaceholderValues values = ValuesOf(out.place, rank);

    for (const std::string& word : step_.command.words) out.command.words.push_back(Filled(word, values));
    out.command.shell = Filled(step_.command.shell, values);
    out.directory = request_.source;
    if (!step_.directory.empty()) out.directory /= Filled(step_.directory, values);
    for (const rules::ReportModel& report : step_.reports) {
      std::filesystem::path file = Filled(report.file, values);
      // As the program sees it; an absolute one stays as it is.
      out.place.reports.push_back(file.empty() ? file : out.directory / file);
    }
    out.environment = EnvironmentOf(out.place, rank, ranked, values);
    return out;
  }

  Environment EnvironmentOf(const RankPlace& place, size_t rank, bool ranked, const rules::PlaceholderValues& values) {
    Environment environment = request_.environment;
    const auto add = [&](const rules::Variables& variables) {
      for (const auto& [name, value] : variables) {
        const std::string filled = Filled(value, values);
        // Options of ours that keep pytest from writing into the source stay; the manifest's come after them.
        if (name == "PYTEST_ADDOPTS" && environment.contains(name)) {
          environment[name] += " " + filled;
        } else {
          environment[name] = filled;
        }
      }
    };
    add(request_.variables);
    add(step_.variables);
    for (const auto& [name, value] : request_.overrides) environment[name] = value;
    for (const std::string& name : request_.unset) environment.erase(name);
    if (!request_.build) {
      environment["OUT"] = place.out.native();
      environment["TENSORS"] = place.tensors.native();
      AddPythonHook(environment);
    }
    if (step_.shards > 1) {
      // GoogleTest's, and the same under the names that Bazel gave them, which other test programs know.
      environment["GTEST_SHARD_INDEX"] = environment["TEST_SHARD_INDEX"] = std::to_string(request_.shard);
      environment["GTEST_TOTAL_SHARDS"] = environment["TEST_TOTAL_SHARDS"] = std::to_string(step_.shards);
    }
    if (!ranked) return environment;
    environment["RANK"] = environment["LOCAL_RANK"] = std::to_string(rank);
    environment["WORLD_SIZE"] = environment["LOCAL_WORLD_SIZE"] = std::to_string(request_.world_size);
    environment["MASTER_ADDR"] = kMasterAddress;
    environment["MASTER_PORT"] = Port();
    // All ranks are on this machine, whose name need not be known to any resolver.
    environment.try_emplace("GLOO_SOCKET_IFNAME", "lo");
    // Each rank would else start as many threads as there are processors.
    if (request_.world_size > 1) {
      environment.try_emplace("OMP_NUM_THREADS",
                              std::to_string(std::max<size_t>(1, request_.processors / request_.world_size)));
    }
    return environment;
  }

  // Before whatever the suite puts there: the first sitecustomize is taken, and ours hands over to the next.
  void AddPythonHook(Environment& environment) const {
    constexpr const char* kSearchPath = "PYTHONPATH";
    if (absl::c_linear_search(request_.unset, kSearchPath)) return;
    const std::string hook = (request_.control / kPythonHookFolder).native();
    const auto own = environment.find(kSearchPath);
    environment[kSearchPath] = own == environment.end() || own->second.empty() ? hook : hook + ":" + own->second;
  }

  std::string Port() const {
    const auto port = request_.values.find("PORT");
    return port == request_.values.end() ? "29500" : port->second;
  }

  // One process that starts the ranks; what differs between these goes into a script of each rank.
  void AddLauncher(const std::vector<RankCommand>& ranks, const std::vector<std::string>& scripts, LaunchPlan& plan) {
    const Launcher& launcher = *plan.launcher;
    LauncherInput input;
    input.world_size = request_.world_size;
    const auto python = request_.values.find("PYTHON");
    input.python = python == request_.values.end() ? "python3" : python->second;
    input.address = kMasterAddress;
    input.port = Port();
    input.control = request_.control;
    input.rank_script = request_.control / kRankScript;

    // What all ranks have in common is the launcher's environment, and inherited; not what names a rank.
    Environment common = ranks[0].environment;
    for (const char* name : {"RANK", "LOCAL_RANK", "OUT", "TENSORS"}) common.erase(name);
    for (const RankCommand& rank : ranks) {
      for (auto entry = common.begin(); entry != common.end();) {
        const auto own = rank.environment.find(entry->first);
        const bool same = own != rank.environment.end() && own->second == entry->second;
        entry = same ? std::next(entry) : common.erase(entry);
      }
    }
    if (launcher.variables != nullptr) {
      for (const auto& [name, value] : launcher.variables()) common.try_emplace(name, value);
    }

    for (const RankCommand& rank : ranks) {
      std::string text;
      for (const auto& [name, value] : rank.environment) {
        const auto shared = common.find(name);
        if (shared != common.end() && shared->second == value) continue;
        if (launcher.sets_rank && (name == "RANK" || name == "LOCAL_RANK")) continue;
        absl::StrAppend(&text, "export ", name, "=", ShellQuoted(value), "\n");
      }
      text += "cd -- " + ShellQuoted(rank.directory.native()) + " || exit 126\n";
      if (rank.command.words.empty()) {
        text += rank.command.shell + "\n";
      } else {
        text += "exec --";
        for (const std::string& word : rank.command.words) text += " " + ShellQuoted(word);
        text += "\n";
      }
      plan.files.emplace_back(request_.control / RankFile(kRankCommand, rank.place.rank), std::move(text));
    }
    plan.files.emplace_back(input.rank_script, RankScript(input.control, launcher.rank_variable));
    if (launcher.files != nullptr) absl::c_move(launcher.files(input), std::back_inserter(plan.files));
    if (launcher.logs != nullptr) plan.logs = launcher.logs(input);

    PlannedProcess process;
    process.spec.argv = CommandArguments({.words = launcher.command(input), .shell = ""}, scripts, request_.unset);
    process.spec.environment = Lines(common);
    process.spec.directory = ranks[0].directory;
    plan.processes.push_back(std::move(process));
  }

  static std::vector<std::string> Lines(const Environment& environment) {
    std::vector<std::string> lines;
    lines.reserve(environment.size());
    for (const auto& [name, value] : environment) lines.push_back(absl::StrCat(name, "=", value));
    return lines;
  }

  const LaunchRequest& request_;
  const rules::SuiteStep& step_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<LaunchPlan> PlanLaunch(const LaunchRequest& request) { return Planner(request).Plan(); }

}  // namespace yardmaster::worker
