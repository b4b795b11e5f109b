// Time as an interface, so that tests and the simulation of the pipe run on a clock of their own.
#ifndef YARDMASTER_SERVICES_CORE_CLOCK_H_
#define YARDMASTER_SERVICES_CORE_CLOCK_H_

#include <chrono>

namespace yardmaster {

class Clock {
 public:
  virtual ~Clock() = default;
  // Wall time: for what people read and for deadlines that come from outside. May jump.
  virtual std::chrono::system_clock::time_point Now() const = 0;
  // Monotonic time: for durations.
  virtual std::chrono::steady_clock::time_point Monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  std::chrono::system_clock::time_point Now() const override { return std::chrono::system_clock::now(); }
  std::chrono::steady_clock::time_point Monotonic() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CLOCK_H_
