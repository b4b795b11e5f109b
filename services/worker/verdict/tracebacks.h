// Follows the tracebacks of Python in the output of one rank: which line says the exception, and how one exception
// hangs together with the one before.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_TRACEBACKS_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_TRACEBACKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::worker {

// What follows on an exception that is not what ended the program.
enum class Chain : uint8_t {
  kNone,
  kHandled,     // another one, raised while it was handled
  kRaisedFrom,  // another one that was raised from it
  kOfProcess,   // that of the process that it tells of
  kRepeated,    // the same one: a pool of processes raises it again
};

class Tracebacks {
 public:
  // Takes the next line, without prefix. How a traceback that begins there, or is announced there, goes on from the
  // last exception.
  Chain Next(std::string_view text);
  // That line says the exception of a traceback, whatever its name ends with.
  bool AtException() const { return exception_; }
  // That line is a statement of a frame, or a mark below it: the exception's own line says what was raised.
  bool AtSource() const { return source_; }
  // It belongs to a traceback that ended nothing: of what is tidied up, of a logger, of a task that nobody waits for.
  bool Aside() const { return aside_; }

 private:
  std::optional<size_t> indent_;  // of the header of the traceback that is being read
  std::string prefix_;            // what stands in front of that header, and of each line of the traceback
  std::optional<size_t> frame_;   // how far its last frame is indented
  bool source_ = false;
  bool exception_ = false;
  bool ended_ = false;  // the last line said the exception of a traceback
  bool aside_ = false;
  bool announced_ = false;  // the last line says an exception that tells of another one: "… and exception:"
  bool of_ranks_ = false;   // tracebacks of single ranks are listed
  bool remote_ = false;     // a pool shows the traceback of its process: "multiprocessing.pool.RemoteTraceback:"
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_TRACEBACKS_H_
