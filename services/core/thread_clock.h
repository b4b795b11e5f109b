// The processor time of the calling thread, for limits of work: what other programs take from it does not count, so
// that the same input ends at the same place on a busy machine.
#ifndef YARDMASTER_SERVICES_CORE_THREAD_CLOCK_H_
#define YARDMASTER_SERVICES_CORE_THREAD_CLOCK_H_

#include <chrono>
#include <ctime>

namespace yardmaster {

// A clock of std::chrono. Points of time are those of one thread: another's can't be compared with them.
struct ThreadClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ThreadClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_THREAD_CLOCK_H_
