// What one check says.
#ifndef YARDMASTER_CLIENTS_DOCTOR_FINDING_H_
#define YARDMASTER_CLIENTS_DOCTOR_FINDING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace yardmaster::doctor {

// kWarning: it works, but somebody should know. kSkipped: it could not be looked at.
enum class State : uint8_t { kOk, kWarning, kProblem, kSkipped };

constexpr std::string_view StateName(State state) {
  constexpr std::string_view kNames[] = {"ok", "warning", "problem", "skipped"};
  return kNames[static_cast<size_t>(state)];
}

struct Finding {
  State state = State::kOk;
  std::string text;  // what was found
  std::string fix;   // what to do; empty: nothing
};

inline Finding Ok(std::string text) { return {State::kOk, std::move(text), {}}; }
inline Finding Warning(std::string text, std::string fix) { return {State::kWarning, std::move(text), std::move(fix)}; }
inline Finding Problem(std::string text, std::string fix) { return {State::kProblem, std::move(text), std::move(fix)}; }
inline Finding Skipped(std::string text, std::string fix = {}) {
  return {State::kSkipped, std::move(text), std::move(fix)};
}

// A finding in a report: what was checked, and of what.
struct CheckedThing {
  std::string subject;  // "github", "github:octo/repo", "127.0.0.1:9090"
  std::string_view check;
  Finding finding;
};

}  // namespace yardmaster::doctor

#endif  // YARDMASTER_CLIENTS_DOCTOR_FINDING_H_
