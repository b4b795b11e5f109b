#include "services/core/tar_writer.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

constexpr size_t kTarBlock = 512;
constexpr size_t kTarNameBytes = 100;
constexpr uint64_t kMostOctalSize = (uint64_t{1} << 33) - 1;  // eleven octal digits
// 2000-01-01: formats that know no year before 1980 take such files, too.
constexpr uint64_t kTarTime = 946'684'800;

using Header = std::array<char, kTarBlock>;

void Put(Header& header, size_t at, size_t size, std::string_view text) {
  std::memcpy(header.data() + at, text.data(), std::min(size, text.size()));
}

void PutOctal(Header& header, size_t at, size_t digits, uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*llo", static_cast<int>(digits), static_cast<unsigned long long>(number));
  Put(header, at, digits, text);
}

Header HeaderOf(std::string_view path, std::string_view target, char type, uint64_t size, uint32_t mode) {
  Header header{};
  Put(header, 0, kTarNameBytes, path);
  PutOctal(header, 100, 7, mode);
  PutOctal(header, 108, 7, 0);
  PutOctal(header, 116, 7, 0);
  PutOctal(header, 124, 11, size > kMostOctalSize ? 0 : size);
  PutOctal(header, 136, 11, kTarTime);
  Put(header, 148, 8, "        ");
  header[156] = type;
  Put(header, 157, kTarNameBytes, target);
  Put(header, 257, 8, std::string_view("ustar\00000", 8));
  uint64_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  PutOctal(header, 148, 6, sum);
  header[154] = '\0';
  return header;
}

// "LENGTH KEY=VALUE\n", where the length counts itself.
std::string PaxRecord(std::string_view key, std::string_view value) {
  const std::string rest = absl::StrCat(" ", Abs(key), "=", Abs(value), "\n");
  size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return absl::StrCat(length, rest);
}

}  // namespace

void TarWriter::Pad() {
  static constexpr std::array<char, kTarBlock> kZeros{};
  if (const size_t over = in_file_ % kTarBlock; over > 0) sink_({kZeros.data(), kTarBlock - over});
  in_file_ = 0;
}

void TarWriter::Entry(std::string_view path, std::string_view target, char type, uint64_t size, uint32_t mode) {
  Pad();
  std::string records;
  if (path.size() > kTarNameBytes) records += PaxRecord("path", path);
  if (target.size() > kTarNameBytes) records += PaxRecord("linkpath", target);
  if (size > kMostOctalSize) records += PaxRecord("size", std::to_string(size));
  if (!records.empty()) {
    const Header header = HeaderOf("pax", "", 'x', records.size(), 0644);
    sink_({header.data(), header.size()});
    Data(records);
    Pad();
  }
  const Header header = HeaderOf(path, target, type, size, mode);
  sink_({header.data(), header.size()});
}

void TarWriter::BeginFile(std::string_view path, uint64_t size, bool executable) {
  Entry(path, "", '0', size, executable ? 0755 : 0644);
}

void TarWriter::Data(std::string_view piece) {
  sink_(piece);
  in_file_ += piece.size();
}

void TarWriter::AddLink(std::string_view path, std::string_view target) { Entry(path, target, '2', 0, 0777); }

void TarWriter::Finish() {
  Pad();
  static constexpr std::array<char, 2 * kTarBlock> kEnd{};
  sink_({kEnd.data(), kEnd.size()});
}

}  // namespace yardmaster
