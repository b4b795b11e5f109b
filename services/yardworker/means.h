// The means by which a worker contains what it runs, and which of them this host has.
#ifndef YARDMASTER_SERVICES_YARDWORKER_MEANS_H_
#define YARDMASTER_SERVICES_YARDWORKER_MEANS_H_

#include <string>
#include <vector>

namespace yardmaster::yardworker {

struct Mean {
  std::string name;     // "namespaces", "seccomp", "processes", "memory"
  std::string does;     // what it keeps a run from
  std::string missing;  // why it is not to be had here; empty: it is
};

// All of them, as they are now: each is tried. Takes some ten milliseconds. In control groups of version 2 this process
// moves into one of its own on the way, see services/worker/process/cgroup.h.
std::vector<Mean> FindMeans();

// True if none is missing.
bool AllThere(const std::vector<Mean>& means);
// True if the one of this name is there.
bool IsThere(const std::vector<Mean>& means, const std::string& name);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_MEANS_H_
