// What a line says only together with those below it.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_COMPLETION_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_COMPLETION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yardmaster::worker {

// A place in a file and nothing else, as GoogleTest puts it above what it says: "/w/plan_test.cc:12".
bool IsPlaceOnly(std::string_view line);

// An exception's name and nothing else: "AssertionError", "E   queue.Empty".
bool IsBareException(std::string_view text);

// Collects the words below a line that completes them: one that ends with a colon, is a heading, shows source,
// announces an exception of C++ or a check that failed. All lines are without prefix.
class Completion {
 public:
  explicit Completion(std::string_view said);

  // Takes the next line below. False: nothing further is wanted.
  bool Next(std::string_view text);

  // Empty if the line says enough, or if a traceback is below.
  std::string Take();

 private:
  enum class Kind : uint8_t {
    kSentence,   // it may say below what its own cause is
    kHeading,    // it ends with a colon, or says no more than that there are errors
    kBlock,      // CMake: "CMake Error at x.cmake:4 (message):", what it says is further in
    kSource,     // "CompilationError: at 12:10:": source, a mark under the place, and then what is wrong with it
    kCheck,      // GoogleTest compares over several lines
    kStack,      // MPI: "…, error stack:", the innermost call last
    kTerminate,  // "terminate called after …": C++ says `what():` below
  };

  Kind kind_ = Kind::kSentence;
  size_t indent_ = 0;  // of the line
  int wanted_ = 0;
  int headings_ = 0;  // below the first one, one below the other
  bool marked_ = false;
  bool in_marked_ = false;  // pytest marks the last line as one of an error
  bool in_frames_ = false;  // frames stand between it and what it says
  bool named_ = false;      // a line says that the cause stands below it
  bool coded_ = false;      // the line right below names the code of a C library
  std::string below_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_COMPLETION_H_
