// What starting and reloading leave behind.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_UNUSED_MEMORY_H_
#define YARDMASTER_SERVICES_YARDMASTERD_UNUSED_MEMORY_H_

namespace yardmaster {

// Gives memory that was freed back to the system. jemalloc does so only while it is used, so an idle daemon would keep
// what compiling the packs took on the side. Nothing happens under other allocators.
void ReturnUnusedMemory();

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_UNUSED_MEMORY_H_
