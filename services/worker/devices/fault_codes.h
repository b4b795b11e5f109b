// What the codes mean by which drivers say that a device failed: whose doing it was, and what it takes until the device
// can be used again. The tables are data: a code is a row.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_FAULT_CODES_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_FAULT_CODES_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace yardmaster::worker {

enum class FaultAction : uint8_t {
  kNothing,
  kProgram,       // the program's doing: the device can be used again when that has ended
  kRunElsewhere,  // it spoils what runs, and leaves the device usable
  kRecovered,     // what was wrong before is not any more
  // These take the device out of use.
  kReset,
  kRestartHost,
  kOperator,  // somebody must look at it; also what nobody knows
};
bool TakesOut(FaultAction action);
// "it must be reset".
std::string_view WordsOf(FaultAction action);

struct FaultCode {
  FaultAction action = FaultAction::kOperator;
  std::string_view meaning;  // empty: not told
};

// By number, and for 154 by the text after the number, which says what is to be done.
// Source: NVIDIA's catalogue of Xid errors (Ampere and newer).
FaultCode MeaningOfXid(uint32_t xid, std::string_view text);
// Of those that are known: others mean what the tool says of the device's health. Source: Ascend's device plugin.
FaultCode MeaningOfNpuCode(uint32_t code);

// "Xid 95 (…): it must be reset".
std::string TextOfXid(uint32_t xid, const FaultCode& code);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_FAULT_CODES_H_
