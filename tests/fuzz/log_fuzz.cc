// Any bytes as the file of a log: refused, or read up to where it is damaged. And any bytes as what programs say: what
// is read back are lines, none of them with a secret.
//
// The first byte chooses: 'w' what is written, anything else the file itself.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "services/worker/logs/log.h"

namespace {

using namespace yardmaster::worker;

constexpr std::string_view kSecret = "hunter22";
constexpr size_t kMaxLines = 100'000;

// A file of this process alone.
const std::filesystem::path& File() {
  static const std::filesystem::path& file = *new std::filesystem::path(
      std::filesystem::temp_directory_path() / ("yard-fuzz-log-" + std::to_string(::getpid())));
  return file;
}

void CheckFile(bool is_whole) {
  auto opened = OpenLog(File());
  if (!opened.ok()) {
    if (is_whole) std::abort();
    return;
  }
  LogReader& log = **opened;
  uint64_t seen = 0;
  const absl::Status read = log.Read(1, kMaxLines, [&](const LogLine& line) {
    if (line.number != ++seen || line.text.find('\n') != std::string::npos) std::abort();
    if (is_whole && line.text.find(kSecret) != std::string::npos) std::abort();
    return true;
  });
  if (read.ok() && seen < kMaxLines && seen != log.lines()) std::abort();
  if (is_whole && !read.ok()) std::abort();
  const auto tail = log.Tail(3, kAllRanks);
  if (!tail.ok() || tail->size() > 3) std::abort();
  const auto found = log.Search("[ab]+", 3, 0);
  if (!found.ok() || found->size() > 3) std::abort();
}

// Pieces of three ranks; their sizes come from the bytes themselves.
void Write(std::string_view bytes) {
  auto log = CreateLog(File(), {std::string(kSecret), "first line\nsecond line"});
  if (!log.ok()) std::abort();
  for (int piece = 0; !bytes.empty(); ++piece) {
    const size_t size = static_cast<unsigned char>(bytes[0]) % 32 + 1;
    (*log)->Append(piece % 3 - 1, piece % 2 == 0 ? Stream::kStdout : Stream::kStderr, bytes.substr(0, size));
    bytes.remove_prefix(std::min(size, bytes.size()));
  }
  if (!(*log)->Close().ok()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'w') {
    Write(bytes);
  } else {
    std::ofstream(File(), std::ios::binary | std::ios::trunc) << bytes;
  }
  CheckFile(data[0] == 'w');
  std::filesystem::remove(File());
  return 0;
}
