// The memory of an operator on the disk: `.yardmaster/state.json` of its folder.
#ifndef YARDMASTER_SERVICES_REVIEW_STATE_FILE_H_
#define YARDMASTER_SERVICES_REVIEW_STATE_FILE_H_

#include <string>

#include "services/review/operator_state.h"

namespace yardmaster {

inline constexpr const char* kStateFolder = ".yardmaster";
inline constexpr const char* kStateFile = "state.json";

// Reads, holds and writes the memory of one operator. While one exists, another process that opens the same one waits:
// two writes at once count one after the other.
class StateFile {
 public:
  explicit StateFile(const std::string& operator_folder);
  ~StateFile();
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  // Paths in it are relative to the operator's folder.
  OperatorState& state() { return state_; }
  // True if the file was there but can't be used: then it is begun anew, which the caller tells.
  bool damaged() const { return damaged_; }
  // Writes the file, whole or not at all, if anything changed. False and `error` if it can't be written. A folder
  // without anything to remember gets none.
  bool Save(std::string& error);

 private:
  const std::string folder_;
  OperatorState state_;
  OperatorState read_;
  int lock_ = -1;
  bool damaged_ = false;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_STATE_FILE_H_
