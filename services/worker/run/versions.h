// Versions: read out of what programs print, and compared with what a manifest asks for.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_VERSIONS_H_
#define YARDMASTER_SERVICES_WORKER_RUN_VERSIONS_H_

#include <string>
#include <string_view>

namespace yardmaster::worker {

// The version in the output of "PROGRAM --version": behind the word "release" or "version", else the first number with
// a dot. Empty if there is none.
std::string VersionIn(std::string_view printed);

// Less than, equal to or greater than 0 by the numbers between dots: 1.9 < 1.13, 12 = 12.0. What follows the numbers
// ("a0", "+cu121") is not looked at.
int CompareVersions(std::string_view a, std::string_view b);

// Whether a version meets ">=12.0" or several such conditions, joined by commas. An unknown version meets none.
bool MeetsVersion(std::string_view version, std::string_view conditions);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_VERSIONS_H_
