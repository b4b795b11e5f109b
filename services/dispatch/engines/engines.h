// The engines that there are. To add one: its file, and a row in engines.cc.
#ifndef YARDMASTER_SERVICES_DISPATCH_ENGINES_ENGINES_H_
#define YARDMASTER_SERVICES_DISPATCH_ENGINES_ENGINES_H_

#include <string>
#include <string_view>
#include <vector>

#include "services/dispatch/queue/engine.h"

namespace yardmaster::dispatch {

// Used where the configuration names none.
inline constexpr std::string_view kUsualEngine = "local";

// Lives as long as the program. nullptr: there is none of that name.
const Engine* FindEngine(std::string_view name);
// For messages.
std::vector<std::string> EngineNames();

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_ENGINES_ENGINES_H_
