// What the stacks of a process say: whether it waits for others, and where it stands.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_STACK_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_STACK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::worker {

enum class Doing : uint8_t {
  kUnknown,         // there is no stack
  kServes,          // a library's own thread, or a helper process, that waits for work
  kWaitsForChild,   // for the end of a process that it started
  kMayWait,         // in a call that computes or waits, and the stack does not say which: backward(), item()
  kElsewhere,       // in none of the others
  kWaitsForDevice,  // until a device has done what it was given, collectives among it
  kWaitsForOthers,  // in a collective, a rendezvous, a receive
};

struct Stand {
  Doing doing = Doing::kUnknown;
  std::string operation;  // "all_reduce", "MPI_Barrier"; empty: the stack names none
  std::string frame;      // the line of the stack that shows where: the innermost of the program's own code
  std::string place;      // the same, short: "train.py:12 in main"
};

// A line of a stack that a tool prints below a frame: the text of its line of source.
inline constexpr std::string_view kSourceLineMark = "    | ";

// A line of a stack as faulthandler, py-spy, eu-stack and gdb print them.
bool IsStackFrame(std::string_view line);
bool BeginsThread(std::string_view line);
// A frame of Python, and what it names. False: it is none.
bool ReadPythonFrame(std::string_view line, std::string& file, int& number, std::string& function);

// All threads of one process, as one tool printed them or several did, one after the other. Frames stand innermost
// first. A thread that waits for others or for a device says what the process does; else its first thread.
Stand ReadStack(const std::vector<std::string_view>& lines);

// What several processes of one rank do, the outermost first.
Stand CombineStands(const std::vector<Stand>& stands);

// Those that hold up the rest, by their stacks.
struct OddOnes {
  std::vector<size_t> which;  // indices; empty: the stacks name none
  std::string why;            // "in no collective, and the others wait in all_reduce"
};
OddOnes FindOddOnes(const std::vector<Stand>& stands);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_STACK_H_
