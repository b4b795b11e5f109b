#include "services/worker/verdict/stand.h"

#include <cstdio>
#include <string_view>
#include <vector>

#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

// As scripts read it.
std::string_view DoingWord(Doing doing) {
  switch (doing) {
    case Doing::kUnknown:
      return "unknown";
    case Doing::kServes:
      return "serves";
    case Doing::kWaitsForChild:
      return "waits_for_child";
    case Doing::kMayWait:
      return "may_wait";
    case Doing::kElsewhere:
      return "elsewhere";
    case Doing::kWaitsForDevice:
      return "waits_for_device";
    case Doing::kWaitsForOthers:
      return "waits_for_others";
  }
  return "unknown";
}

std::string_view StateWord(char state) {
  switch (state) {
    case 'R':
      return "runs";
    case 'S':
    case 'I':
      return "sleeps";
    case 'D':
      return "waits in the kernel";
    case 'T':
    case 't':
      return "is stopped by a signal";
    case 'Z':
    case 'X':
      return "has ended";
    default:
      return "";
  }
}

std::string TextOf(const RankStand& stood, Doing doing) {
  std::string text;
  if (doing == Doing::kWaitsForOthers) {
    text = Concat("waits in ", stood.operation.empty() ? "a collective" : stood.operation, " (", stood.place, ")");
  } else if (doing == Doing::kWaitsForDevice) {
    text = Concat("waits for its device (", stood.place, ")");
  } else if (!stood.place.empty()) {
    text = Concat("stands at ", stood.place);
  }
  if (stood.state.empty()) return text;
  text += Concat(text.empty() ? "" : ", ", stood.state);
  if (!stood.waits_in.empty()) text += Concat(" (", stood.waits_in, ")");
  if (stood.cpu.has_value()) {
    char share[32];
    std::snprintf(share, sizeof share, ", %.1f processors", *stood.cpu);
    text += share;
  }
  return text;
}

}  // namespace

Stand StandOfProcess(const ProcessAtStop& process) {
  return ReadStack(std::vector<std::string_view>(process.stack.begin(), process.stack.end()));
}

Stand StandAtStop(const std::vector<ProcessAtStop>& processes) {
  std::vector<Stand> stands;
  stands.reserve(processes.size());
  for (const ProcessAtStop& process : processes) stands.push_back(StandOfProcess(process));
  return CombineStands(stands);
}

std::optional<RankStand> DescribeStand(const RankView& view) {
  if (view.evidence == nullptr || view.evidence->at_stop.empty()) return std::nullopt;
  const std::vector<ProcessAtStop>& processes = view.evidence->at_stop;
  const Stand stand = StandAtStop(processes);
  RankStand stood;
  stood.doing = DoingWord(stand.doing);
  stood.operation = stand.operation;
  stood.place = stand.place;
  stood.state = StateWord(processes.front().state);
  stood.waits_in = processes.front().waits_in;
  stood.processes = processes.size();
  for (const ProcessAtStop& process : processes) {
    if (process.cpu.has_value()) stood.cpu = stood.cpu.value_or(0) + *process.cpu;
  }
  stood.text = TextOf(stood, stand.doing);
  return stood;
}

}  // namespace yardmaster::worker
