// What runs of one worker keep for those after them: objects of git repositories, what compilers made (ccache), and
// builds (build_tree.h).
#ifndef YARDMASTER_SERVICES_YARDWORKER_RUN_CACHE_H_
#define YARDMASTER_SERVICES_YARDWORKER_RUN_CACHE_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace yardmaster::yardworker {

//     git/NAME.git   a bare repository for each one that suites name: only the step that fetches may write to it, and
//                    each run gets a fresh tree from it
//     ccache/KEY/    a folder of ccache's for each origin of code: a run can write to that of its own alone
//     trees/         builds, by key
//
// It is for one pool only, and the pool "untrusted" has none: what one run left there another would take for its own.
class RunCache {
 public:
  // `budget_bytes` of disk in all; 0: nothing is kept. `origin`: whose code the run is, see code_origin.h.
  RunCache(std::filesystem::path folder, uint64_t budget_bytes, const std::string& origin);

  bool enabled() const { return budget_bytes_ > 0; }
  std::filesystem::path objects() const { return folder_ / "git"; }
  std::filesystem::path ccaches() const { return folder_ / "ccache"; }
  // That of the run's origin.
  const std::filesystem::path& ccache() const { return ccache_; }
  std::filesystem::path trees() const { return folder_ / "trees"; }
  // Makes its folders, and takes note that those of the run's origin are used.
  void Prepare() const;

  // Variables by which CMake and compilers use it; `tree` is the folder of the run, whose name then is in no key.
  std::map<std::string, std::string> VariablesFor(const std::filesystem::path& tree) const;

  // Removes what was not used for longest until all of it is within the budget. What a run fetches into or builds in at
  // the moment stays.
  void Trim() const;
  // The same until the disk has so many bytes free, or nothing is left.
  void MakeRoom(uint64_t bytes) const;

 private:
  const std::filesystem::path folder_;
  const uint64_t budget_bytes_;
  const std::filesystem::path ccache_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_RUN_CACHE_H_
