#include "services/worker/devices/fault_codes.h"

#include <algorithm>
#include <iterator>

#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

using enum FaultAction;

// From `first` to `last`. What is in no row is not known.
struct XidRow {
  uint32_t first;
  uint32_t last;
  FaultAction action;
  std::string_view meaning;
};
constexpr XidRow kXids[] = {
    {8, 8, kProgram, "a program of it did not end in time"},
    {11, 11, kProgram, "commands that are not valid"},
    {13, 13, kProgram, "an exception of its graphics engine, as an access out of bounds makes it"},
    {25, 25, kProgram, ""},
    {31, 31, kProgram, "an access to memory that is not mapped"},
    {32, 32, kProgram, "a command buffer that is not valid"},
    {37, 38, kNothing, ""},
    {39, 41, kProgram, ""},
    {43, 44, kNothing, ""},
    {45, 45, kNothing, "programs were ended after another error"},
    {46, 46, kReset, "it stopped processing"},
    {48, 48, kReset, "an error of its memory that could not be corrected"},
    {54, 54, kOperator, "a power cable is not connected"},
    {60, 60, kProgram, ""},
    {62, 62, kReset, "its microcontroller halted"},
    {63, 63, kNothing, "a row of its memory was remapped"},
    {64, 64, kReset, "a row of its memory could not be remapped"},
    {66, 67, kNothing, ""},
    {68, 72, kProgram, ""},
    {74, 74, kOperator, "a link between GPUs failed"},
    {75, 77, kProgram, ""},
    {78, 78, kOperator, "its software must be updated"},
    {79, 79, kRestartHost, "it has fallen off the bus"},
    {80, 80, kProgram, ""},
    {82, 86, kProgram, ""},
    {88, 89, kProgram, ""},
    {92, 92, kNothing, "many errors of its memory were corrected"},
    {93, 93, kNothing, ""},
    {94, 94, kRunElsewhere, "an error of its memory that was contained to one program"},
    {95, 95, kReset, "an error of its memory that was not contained"},
    {96, 105, kProgram, ""},
    {106, 107, kNothing, ""},
    {109, 109, kReset, "switching between programs took too long"},
    {110, 110, kReset, ""},
    {119, 120, kReset, "its system processor did not answer or failed"},
    {121, 121, kNothing, ""},
    {126, 135, kProgram, ""},
    {136, 136, kReset, ""},
    {137, 137, kNothing, ""},
    {139, 139, kProgram, ""},
    {140, 140, kReset, ""},
    {141, 141, kNothing, ""},
    {142, 142, kOperator, "for NVIDIA's support"},
    {143, 143, kReset, ""},
    {144, 150, kOperator, "a link between GPUs failed"},
    {151, 151, kOperator, "the virtual machine must be restarted"},
    {152, 153, kNothing, ""},
    {155, 156, kReset, ""},
    {157, 157, kNothing, ""},
    {158, 158, kReset, ""},
    {159, 159, kOperator, ""},
    {160, 161, kNothing, ""},
    {171, 172, kReset, "an error of its memory that could not be corrected"},
};

// 154 says what the driver wants: the first part that is in its text.
struct RecoveryRow {
  std::string_view part;
  FaultAction action;
};
constexpr uint32_t kRecoveryXid = 154;
constexpr RecoveryRow kRecoveries[] = {
    {"(none)", kRecovered}, {"reset", kReset}, {"reboot", kRestartHost}, {"restart", kRestartHost}};

struct NpuRow {
  uint32_t code;
  FaultAction action;
  std::string_view meaning;
};
constexpr NpuRow kNpuCodes[] = {
    {0x40F84E00, kOperator, "the card has dropped off"},
    {0x81078603, kOperator, "a link of its network is down"},
    {0x8C2FA009, kRecovered, "a reset has finished"},
};

FaultAction RecoveryOf(std::string_view text) {
  // "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)": the second one counts.
  std::string now = LowerCase(text);
  if (const size_t to = now.rfind(" to "); to != std::string::npos) now.erase(0, to);
  const auto* row = std::find_if(std::begin(kRecoveries), std::end(kRecoveries),
                                 [&](const RecoveryRow& one) { return Contains(now, one.part); });
  return row == std::end(kRecoveries) ? kOperator : row->action;
}

}  // namespace

bool TakesOut(FaultAction action) { return action >= FaultAction::kReset; }

std::string_view WordsOf(FaultAction action) {
  switch (action) {
    case FaultAction::kNothing:
      return "nothing to do";
    case FaultAction::kProgram:
      return "the program's doing";
    case FaultAction::kRunElsewhere:
      return "what ran on it is spoilt, it can be used again";
    case FaultAction::kRecovered:
      return "it has recovered";
    case FaultAction::kReset:
      return "it must be reset";
    case FaultAction::kRestartHost:
      return "its host must be restarted";
    case FaultAction::kOperator:
      break;
  }
  return "somebody must look at it";
}

FaultCode MeaningOfXid(uint32_t xid, std::string_view text) {
  if (xid == kRecoveryXid) return {RecoveryOf(text), "what the driver says must be done has changed"};
  const auto* row = std::find_if(std::begin(kXids), std::end(kXids),
                                 [xid](const XidRow& one) { return one.first <= xid && xid <= one.last; });
  if (row == std::end(kXids)) return {};
  return {row->action, row->meaning};
}

FaultCode MeaningOfNpuCode(uint32_t code) {
  const auto* row =
      std::find_if(std::begin(kNpuCodes), std::end(kNpuCodes), [code](const NpuRow& one) { return one.code == code; });
  if (row == std::end(kNpuCodes)) return {};
  return {row->action, row->meaning};
}

std::string TextOfXid(uint32_t xid, const FaultCode& code) {
  return Concat("Xid ", xid, code.meaning.empty() ? std::string() : Concat(" (", code.meaning, ")"), ": ",
                WordsOf(code.action));
}

}  // namespace yardmaster::worker
