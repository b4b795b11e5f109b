// A folder that runs share, such as a build folder in the cache: one run at a time works in it.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_FOLDER_LOCK_H_
#define YARDMASTER_SERVICES_WORKER_RUN_FOLDER_LOCK_H_

#include <atomic>
#include <filesystem>
#include <functional>
#include <string_view>

#include "services/worker/process/unique_fd.h"

namespace yardmaster::worker {

// Makes the folder and waits until no other run has it; `note` is told what is waited for. The lock is held as long as
// the descriptor is open; there is none where the folder can't be made or locked, or `cancel` became true.
UniqueFd LockFolder(const std::filesystem::path& folder, const std::atomic<bool>& cancel,
                    const std::function<void(std::string_view)>& note);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_FOLDER_LOCK_H_
