// One installed package wants another one, or a name of it, that is not there: what is installed does not fit. The same
// import in the code that is tested is that code's fault.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_PACKAGE_VERSIONS_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_PACKAGE_VERSIONS_H_

#include <string>
#include <string_view>

namespace yardmaster::worker {

// Takes the lines of an output or of a message one after the other, without prefix.
class PackageVersions {
 public:
  // True for the line that says so.
  bool Next(std::string_view text);

 private:
  std::string package_;  // of the last frame of a traceback; empty: it is not installed
};

// The line of a failed test's message that says so; empty if none does.
std::string_view MisfitOf(std::string_view message);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_PACKAGE_VERSIONS_H_
