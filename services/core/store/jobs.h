// Jobs of dispatch, the leases of their runs, and the runners. What a record says is its owner's business.
#ifndef YARDMASTER_SERVICES_CORE_STORE_JOBS_H_
#define YARDMASTER_SERVICES_CORE_STORE_JOBS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/store/page.h"

namespace yardmaster::store {

struct JobRow {
  std::string job;
  int64_t number = 0;      // in the order of submission, from 1
  std::string repository;  // may be empty
  bool ended = false;
  int64_t ended_at = 0;  // microseconds since the epoch; 0: it has not
  std::string record;
};

struct LeaseRow {
  std::string job;
  uint64_t fence = 0;
  bool live = false;
  std::string record;
};

struct RunnerRow {
  std::string name;
  std::string record;
};

// Rows that replace those of the same job, job and fence, or name.
struct JobRows {
  std::vector<JobRow> jobs;
  std::vector<LeaseRow> leases;
  std::vector<std::string> forgotten_runners;  // removed before `runners` are written
  std::vector<RunnerRow> runners;

  bool empty() const { return jobs.empty() && leases.empty() && forgotten_runners.empty() && runners.empty(); }
};

struct JobFilter {
  std::string repository;  // empty: any; without regard to case
  bool live_only = false;
};

// Jobs that have ended are removed by maintenance after RetentionConfig::jobs, with their leases. Thread-safe. Writing
// waits for the commit and must not be done from a callback of the store.
class Jobs {
 public:
  virtual ~Jobs() = default;

  // All of them or none. INVALID_ARGUMENT for names that can't be stored and records over kMaxJobRecordBytes.
  // RESOURCE_EXHAUSTED if `is_new` and the disk is low: what goes on is always let through.
  virtual absl::Status Put(const JobRows& rows, bool is_new) = 0;
  // What has not ended: jobs by number, live leases, and all runners.
  virtual absl::StatusOr<JobRows> LoadLive() = 0;
  // The largest number that was given; 0: none.
  virtual absl::StatusOr<int64_t> LastNumber() = 0;
  // NOT_FOUND if there is none.
  virtual absl::StatusOr<JobRow> Get(std::string_view job) = 0;
  // The newest first.
  virtual absl::StatusOr<Page<JobRow>> List(const JobFilter& filter, const PageRequest& page) = 0;
};

inline constexpr size_t kMaxJobRecordBytes = 4 * 1024 * 1024;

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_JOBS_H_
