// A value that must not be shown: it can't be printed, logged or compared by accident.
#ifndef YARDMASTER_SERVICES_CORE_SECRET_H_
#define YARDMASTER_SERVICES_CORE_SECRET_H_

#include <iosfwd>
#include <string>
#include <utility>

namespace yardmaster {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  bool empty() const { return value_.empty(); }

  // The value. The name is long so that every use is seen in a review.
  const std::string& Reveal() const { return value_; }

  // Comparison would take a time that depends on the value; see auth.h and the webhook signatures for the right way.
  friend bool operator==(const Secret&, const Secret&) = delete;
  friend std::ostream& operator<<(std::ostream&, const Secret&) = delete;

 private:
  std::string value_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_SECRET_H_
