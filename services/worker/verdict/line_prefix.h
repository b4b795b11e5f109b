// What stands in front of a line of output and is no part of what a program says in it.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_LINE_PREFIX_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_LINE_PREFIX_H_

#include <optional>
#include <string_view>

namespace yardmaster::worker {

// `line` without what loggers, the kernel, the journal, jobs of a CI, builders of images, and programs that pass on
// what others print (Ray, vLLM, mpirun, torch, pytest) put in front of it: a pattern that begins with "^" means what
// comes after that. How far the rest is indented stays. A view into `line`, which is free of escape sequences.
std::string_view WithoutPrefix(std::string_view line);

// What WithoutPrefix takes away.
std::string_view PrefixOf(std::string_view line);

// What names the process in such a prefix: "[rank2]", "pid=7", "[1,2]"; empty: nothing does.
std::string_view ProcessInPrefix(std::string_view prefix);

// The rank that such a prefix, or a bracket right behind it, names: "(VllmWorker rank=2 pid=7) ", "[rank2]: ",
// "[1,2]<stderr>: ", "[Rank 2] ". A rank among some of the processes only ("TP3") is none.
std::optional<int> RankInPrefix(std::string_view line);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_LINE_PREFIX_H_
