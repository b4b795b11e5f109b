// From a Type at run time to a type at compile time.
#ifndef KERNELS_TYPED_H_
#define KERNELS_TYPED_H_

#include "float16.h"
#include "kernels.h"

namespace kernels {

template <typename T>
const T* As(const void* memory) {
  return static_cast<const T*>(memory);
}
template <typename T>
T* As(void* memory) {
  return static_cast<T*>(memory);
}

// Calls f with a value of the element's type.
template <typename F>
void Typed(Type type, const F& f) {
  switch (type) {
    case Type::kFloat32:
      f(float{});
      return;
    case Type::kFloat16:
      f(Float16{});
      return;
    case Type::kBFloat16:
      f(BFloat16{});
      return;
  }
}

}  // namespace kernels

#endif  // KERNELS_TYPED_H_
