#include "services/worker/run/stack_targets.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/worker/logs/log.h"
#include "services/worker/process/process_tree.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kRankVariable = "RANK";

// What only starts other programs and waits for them.
constexpr std::string_view kWrappers[] = {"bash",    "sh",      "dash",
                                          "ash",     "zsh",     "ksh",
                                          "busybox", "env",     "bwrap",
                                          "prlimit", "timeout", "nohup",
                                          "nice",    "ionice",  "setsid",
                                          "taskset", "numactl", "stdbuf",
                                          "tee",     "cat",     "sudo",
                                          "su",      "time",    "unshare",
                                          "nsenter", "script",  "xargs",
                                          "mpirun",  "mpiexec", "orterun",
                                          "orted",   "prterun", "hydra_pmi_proxy",
                                          "srun",    "msrun",   "torchrun"};
// Python's own processes beside a program's, by words of their commands.
constexpr std::string_view kHelpers[] = {"multiprocessing.resource_tracker",
                                         "multiprocessing.semaphore_tracker",
                                         "multiprocessing.forkserver",
                                         "torch._inductor.compile_worker",
                                         "torch.distributed.run",
                                         "torch.distributed.launch"};

bool IsWrapper(const ProcessFacts& facts, const ProcessEntry& process) {
  const std::string_view name = facts.program.empty() ? std::string_view(process.name) : facts.program;
  return absl::c_linear_search(kWrappers, name) ||
         absl::c_any_of(kHelpers, [&](std::string_view word) { return Contains(facts.command, word); });
}

struct Candidate {
  StackTarget target;
  size_t depth = 0;
  bool wrapper = false;
};

// A leader and all below it.
std::vector<Candidate> CandidatesOf(const StackLeader& leader, const std::vector<ProcessEntry>& table,
                                    const std::function<ProcessFacts(const ProcessEntry&)>& facts_of) {
  const auto at = absl::c_find_if(table, [&](const ProcessEntry& entry) { return entry.pid == leader.pid; });
  if (at == table.end()) return {};
  const auto never = [](const ProcessEntry&) { return false; };
  std::vector<ProcessEntry> tree = MembersOf({leader.pid, at->start, ""}, table, {}, ::getpid(), never, never);
  tree.insert(tree.begin(), *at);
  std::map<pid_t, const ProcessEntry*> by_pid;
  for (const ProcessEntry& process : tree) by_pid.emplace(process.pid, &process);

  std::vector<Candidate> candidates;
  for (const ProcessEntry& process : tree) {
    if (process.zombie) continue;
    const ProcessFacts facts = facts_of(process);
    Candidate candidate;
    candidate.target = {process, leader.rank};
    candidate.wrapper = IsWrapper(facts, process);
    if (leader.rank == kNoRank && facts.rank.has_value()) candidate.target.rank = *facts.rank;
    // Nobody is deeper than there are processes: a table that changed while it was read may hold a circle.
    for (auto up = by_pid.find(process.parent); up != by_pid.end() && candidate.depth < tree.size();
         up = by_pid.find(up->second->parent)) {
      ++candidate.depth;
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace

std::vector<StackTarget> ChooseStackTargets(const std::vector<StackLeader>& leaders,
                                            const std::vector<ProcessEntry>& table,
                                            const std::function<ProcessFacts(const ProcessEntry&)>& facts_of,
                                            bool ranked, size_t most) {
  std::map<int, std::vector<Candidate>> ranks;
  std::set<pid_t> known;
  for (const StackLeader& leader : leaders) {
    for (Candidate& candidate : CandidatesOf(leader, table, facts_of)) {
      if (!known.insert(candidate.target.process.pid).second) continue;
      if (!ranked) candidate.target.rank = kNoRank;
      ranks[candidate.target.rank].push_back(std::move(candidate));
    }
  }
  // A launcher matters only before it has started any rank.
  if (ranked && ranks.size() > 1) ranks.erase(kNoRank);

  // Workers of a data loader all stand at the same place.
  const size_t most_of_rank = std::max<size_t>(1, most / std::max<size_t>(1, ranks.size()));
  std::vector<std::pair<size_t, StackTarget>> ordered;
  for (auto& [rank, candidates] : ranks) {
    const bool only_wrappers = absl::c_all_of(candidates, [](const Candidate& c) { return c.wrapper; });
    if (!only_wrappers) std::erase_if(candidates, [](const Candidate& c) { return c.wrapper; });
    absl::c_sort(candidates, [](const Candidate& a, const Candidate& b) {
      return std::tuple(a.depth, a.target.process.pid) < std::tuple(b.depth, b.target.process.pid);
    });
    // The innermost of nothing but wrappers is the one that does something.
    if (only_wrappers) absl::c_reverse(candidates);
    if (candidates.size() > most_of_rank) candidates.resize(most_of_rank);
    for (size_t i = 0; i < candidates.size(); ++i) ordered.emplace_back(i, std::move(candidates[i].target));
  }
  absl::c_stable_sort(ordered, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<StackTarget> targets;
  targets.reserve(ordered.size());
  for (auto& [index, target] : ordered) targets.push_back(std::move(target));
  return targets;
}

ProcessFacts ReadProcessFacts(pid_t pid, std::string_view rank_variable) {
  const std::string folder = Concat("/proc/", pid, "/");
  ProcessFacts facts;
  std::error_code error;
  facts.program = std::filesystem::read_symlink(folder + "exe", error).filename().native();
  facts.command = ReadProcFile(folder + "cmdline");
  absl::c_replace(facts.command, '\0', ' ');
  const std::string environment = ReadProcFile(folder + "environ");
  for (const std::string_view name : {rank_variable, kRankVariable}) {
    for (const std::string_view entry : Split(environment, '\0')) {
      if (name.empty() || facts.rank.has_value()) break;
      if (!entry.starts_with(name) || entry.size() <= name.size() || entry[name.size()] != '=') continue;
      constexpr uint64_t kMaxRank = 1'000'000;
      const std::optional<uint64_t> number = NumberOf(entry.substr(name.size() + 1));
      if (number.has_value() && *number <= kMaxRank) facts.rank = static_cast<int>(*number);
    }
  }
  return facts;
}

}  // namespace yardmaster::worker
