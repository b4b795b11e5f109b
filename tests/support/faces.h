// The forges that a test is run on: both, or one of them where time is short.
#ifndef YARDMASTER_TESTS_SUPPORT_FACES_H_
#define YARDMASTER_TESTS_SUPPORT_FACES_H_

#include <cstdlib>
#include <vector>

namespace yardmaster::testing {

// `one`: the forge that is left with YARD_ONE_FACE, as tests/run.sh --full has it for tests that take long. --long has
// both.
template <typename Name>
std::vector<Name> Faces(const char* one) {
  if (std::getenv("YARD_ONE_FACE") != nullptr) return {one};
  return {"github", "gitcode"};
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_FACES_H_
