// Times of the contracts.
#ifndef YARDMASTER_SERVICES_CORE_MESSAGES_TIMESTAMPS_H_
#define YARDMASTER_SERVICES_CORE_MESSAGES_TIMESTAMPS_H_

#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/time_util.h>

#include <chrono>

namespace yardmaster {

inline google::protobuf::Timestamp ToTimestamp(std::chrono::system_clock::time_point time) {
  return google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count());
}

inline std::chrono::system_clock::time_point FromTimestamp(const google::protobuf::Timestamp& time) {
  return std::chrono::system_clock::time_point(
      std::chrono::microseconds(google::protobuf::util::TimeUtil::TimestampToMicroseconds(time)));
}

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_MESSAGES_TIMESTAMPS_H_
