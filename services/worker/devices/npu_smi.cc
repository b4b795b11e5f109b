#include "services/worker/devices/npu_smi.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "services/core/lines.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/worker/devices/device_health.h"
#include "services/worker/devices/fault_codes.h"
#include "services/worker/devices/system_devices.h"
#include "services/worker/errors.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxOutputBytes = 4 * 1024 * 1024;
constexpr size_t kMaxChips = 1024;
constexpr uint64_t kMaxNumber = 1'000'000'000;

// Memory that a chip of this name has; with less than 95 % of it something is broken.
struct Rating {
  std::string_view model;
  uint64_t memory_mb;
};
constexpr std::array<Rating, 4> kRatings = {{{"910B1", 65536}, {"910B2", 65536}, {"910B3", 65536}, {"910B4", 32768}}};
constexpr uint64_t kLeastPercent = 95;

// Cells of "| a | b |", trimmed; nothing if the line does not end in '|'.
std::optional<std::vector<std::string_view>> Cells(std::string_view line) {
  line = TrimBlanks(line);
  if (line.size() < 2 || line.front() != '|' || line.back() != '|') return std::nullopt;
  line = line.substr(1, line.size() - 2);
  std::vector<std::string_view> cells = Split(line, '|');
  for (std::string_view& cell : cells) cell = TrimBlanks(cell);
  return cells;
}

std::optional<uint64_t> SmallNumber(std::string_view text) {
  const std::optional<uint64_t> number = NumberOf(text);
  return number.has_value() && *number <= kMaxNumber ? number : std::nullopt;
}

bool IsSmallNumber(std::string_view text, uint64_t& number) {
  const std::optional<uint64_t> read = SmallNumber(text);
  number = read.value_or(0);
  return read.has_value();
}

bool IsUnknownCell(std::string_view word) { return word == "-" || word == "NA" || word == "N/A"; }

std::string JoinedWords(std::string_view cell) {
  const std::vector<std::string_view> words = SplitWords(cell);
  return absl::StrJoin(words, " ", [](std::string* out, std::string_view word) { *out += word; });
}

// What the second line of the header says about the rows.
struct Shape {
  std::string_view name;
  std::string_view chip;     // first cell
  std::string_view figures;  // third cell
  bool numbered;             // the chip's row has a number of its own for the device
  bool high_bandwidth;       // memory is the last pair of the figures
};
constexpr std::array<Shape, 3> kShapes = {
    {{"A2", "Chip", "AICore(%) Memory-Usage(MB) HBM-Usage(MB)", false, true},
     {"A3", "Chip Phy-ID", "AICore(%) Memory-Usage(MB) HBM-Usage(MB)", true, true},
     {"310", "Chip Device", "AICore(%) Memory-Usage(MB)", true, false}}};

DeviceHealth HealthOf(std::string_view word) {
  const std::string lower = LowerCase(word);
  if (lower == "ok") return DeviceHealth::kOk;
  if (lower == "warning") return DeviceHealth::kWarning;
  if (lower == "alarm" || lower == "critical") return DeviceHealth::kBad;
  return DeviceHealth::kUnknown;
}

class TableReader {
 public:
  absl::StatusOr<NpuTable> Read(std::string_view text) {
    if (text.size() > kMaxOutputBytes)
      return worker_errors::ToolOutputUnclear("npu-smi", "a table that is cut off: it is too long to be read");
    for (const std::string_view line : LinesOf(text)) {
      ++number_;
      line_ = TrimBlanks(line);
      RETURN_IF_ERROR(Line());
    }
    if (shape_ == nullptr) return worker_errors::ToolOutputUnclear("npu-smi", "no table of devices");
    if (half_.has_value())
      return worker_errors::ToolOutputUnclear("npu-smi", "a table that is cut off: the last chip has no second row");
    // Without it the users of the chips are unknown.
    if (!in_processes_)
      return worker_errors::ToolOutputUnclear("npu-smi", "a table that is cut off: the table of processes is missing");
    Finish();
    return std::move(table_);
  }

 private:
  absl::Status Line() {
    if (line_.empty()) return absl::OkStatus();
    if (line_.front() == '+') {
      // Borders end in '+', too.
      if (line_.back() != '+' || line_.size() < 2) return Wrong("this border is cut off");
      return absl::OkStatus();
    }
    if (line_.front() != '|') {
      // Libraries may warn before the table comes, not in it.
      if (!begun_) return absl::OkStatus();
      return Wrong("this is no row of a table");
    }
    const auto cells = Cells(line_);
    if (!cells.has_value()) return Wrong("this row is cut off");
    begun_ = true;
    if (cells->size() == 1 && shape_ == nullptr && !header_.has_value()) return Banner((*cells)[0]);
    if (in_processes_) return ProcessRow(*cells);
    const std::string first = JoinedWords((*cells)[0]);
    if (first == "NPU Chip") return ProcessHeader(*cells);
    if (shape_ == nullptr) return Header(*cells);
    return half_.has_value() ? ChipRow(*cells) : DeviceRow(*cells);
  }

  absl::Status Wrong(std::string_view what) const {
    return worker_errors::ToolLineUnclear("npu-smi", number_, what, line_);
  }

  absl::Status UnknownColumns() const { return Wrong("the columns of this table are not known"); }

  // "npu-smi 24.1.0    Version: 24.1.0"
  absl::Status Banner(std::string_view cell) {
    const std::vector<std::string_view> words = SplitWords(cell);
    const auto version = absl::c_find(words, "Version:");
    if (version != words.end() && version + 1 != words.end()) {
      table_.version = Readable(*(version + 1), kMaxDeviceTextBytes);
    }
    return absl::OkStatus();
  }

  absl::Status Header(const std::vector<std::string_view>& cells) {
    if (cells.size() != 3) return UnknownColumns();
    const std::string all = JoinedWords(cells[0]) + "|" + JoinedWords(cells[1]) + "|" + JoinedWords(cells[2]);
    if (!header_.has_value()) {
      if (all != "NPU Name|Health|Power(W) Temp(C) Hugepages-Usage(page)") {
        return UnknownColumns();
      }
      header_ = true;
      return absl::OkStatus();
    }
    for (const Shape& shape : kShapes) {
      if (all == std::string(shape.chip) + "|Bus-Id|" + std::string(shape.figures)) {
        shape_ = &shape;
        table_.shape = std::string(shape.name);
        return absl::OkStatus();
      }
    }
    return UnknownColumns();
  }

  // "0     910B3 | OK | 91.4  38  0 / 0"
  absl::Status DeviceRow(const std::vector<std::string_view>& cells) {
    if (cells.size() != 3) return Wrong("a row of three cells was expected");
    const std::vector<std::string_view> words = SplitWords(cells[0]);
    uint64_t npu = 0;
    if (words.size() < 2 || !IsSmallNumber(words[0], npu))
      return Wrong("the number and the name of an NPU were expected");
    NpuChip chip;
    chip.npu = npu;
    chip.device.kind = rules::DeviceKind::kNpu;
    chip.device.model = Readable(JoinedWords(TrimBlanks(cells[0].substr(words[0].size()))), kMaxDeviceTextBytes);
    chip.device.health = HealthOf(cells[1]);
    if (chip.device.health != DeviceHealth::kOk) {
      chip.device.health_reason = "npu-smi says its health is " + Quoted(cells[1], kMaxDeviceTextBytes);
    }
    half_ = std::move(chip);
    return absl::OkStatus();
  }

  // "0  6 | 0000:9D:00.0 | 0  0 / 0  2950 / 65536"
  absl::Status ChipRow(const std::vector<std::string_view>& cells) {
    if (cells.size() != 3) return Wrong("a row of three cells was expected");
    const std::vector<std::string_view> words = SplitWords(cells[0]);
    const size_t wanted = shape_->numbered ? 2 : 1;
    uint64_t local = 0;
    uint64_t own = 0;
    if (words.size() != wanted || !IsSmallNumber(words[0], local) || !IsSmallNumber(words[wanted - 1], own)) {
      return Wrong("the number of a chip was expected");
    }
    if (table_.chips.size() >= kMaxChips) return Wrong("there are too many chips");
    NpuChip chip = *std::move(half_);
    half_.reset();
    chip.chip = local;
    chip.device.index = static_cast<int>(shape_->numbered ? own : chip.npu);
    chip.device.pci_address = NormalPciAddress(cells[1]);
    if (chip.device.pci_address.empty() && !IsUnknownCell(cells[1])) return Wrong("a PCI address was expected");
    RETURN_IF_ERROR(Figures(cells[2], chip.device));
    table_.chips.push_back(std::move(chip));
    return absl::OkStatus();
  }

  // AI core, used / total of memory, and, where there is some, used / total of high-bandwidth memory.
  absl::Status Figures(std::string_view cell, Device& device) {
    // One word may stand for both numbers of a pair that is not known; blanks around the slash may be missing.
    constexpr std::string_view kValue = R"((\d{1,9}|-|NA|N/A))";
    static const std::string kPair = Concat("((?:", kValue, R"(\s*/\s*)", kValue, "|-|NA|N/A))");
    static const RE2 kFigures(Concat(kValue, R"(\s+)", kPair, R"((?:\s+)", kPair, R"()?(\s.*)?)"));
    std::string cores, memory, used, total, hbm, hbm_used, hbm_total, rest;
    if (!RE2::FullMatch(re2::StringPiece(cell.data(), cell.size()), kFigures, &cores, &memory, &used, &total, &hbm,
                        &hbm_used, &hbm_total, &rest)) {
      return Wrong("figures of use were expected");
    }
    if (shape_->high_bandwidth && hbm.empty()) return Wrong("figures of HBM were expected");
    if (!rest.empty() || (!shape_->high_bandwidth && !hbm.empty())) return Wrong("there are more figures than columns");
    if (const auto percent = NumberOf(cores)) device.utilization = static_cast<int>(std::min<uint64_t>(*percent, 100));
    device.memory_used_mb = NumberOf(shape_->high_bandwidth ? hbm_used : used);
    device.memory_mb = NumberOf(shape_->high_bandwidth ? hbm_total : total);
    for (const Rating& rating : kRatings) {
      if (device.model != rating.model || !device.memory_mb.has_value()) continue;
      if (*device.memory_mb * 100 < rating.memory_mb * kLeastPercent) {
        Worsen(device, DeviceHealth::kBad,
               Concat("it shows ", *device.memory_mb, " of the ", rating.memory_mb, " MB of memory that a ",
                      device.model, " has"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ProcessHeader(const std::vector<std::string_view>& cells) {
    constexpr std::array<std::string_view, 5> kNames = {"NPU Chip", "Process id", "Process name", "Process memory(MB)",
                                                        "Process id in container"};
    if (shape_ == nullptr || half_.has_value()) return UnknownColumns();
    bool known = cells.size() == 4 || cells.size() == 5;
    for (size_t i = 0; known && i < cells.size(); ++i) known = JoinedWords(cells[i]) == kNames[i];
    if (!known) return UnknownColumns();
    process_cells_ = cells.size();
    in_processes_ = true;
    return absl::OkStatus();
  }

  // "0  0 | 4242 | python3.11 | 1201", or "No running processes found in NPU 1".
  absl::Status ProcessRow(const std::vector<std::string_view>& cells) {
    if (cells.size() == 1 && LowerCase(cells[0]).find("no running processes") == 0) return absl::OkStatus();
    // Names of processes may have a '|'.
    if (cells.size() < process_cells_) return Wrong("a process was expected");
    const std::vector<std::string_view> place = SplitWords(cells[0]);
    uint64_t npu = 0;
    uint64_t chip = 0;
    uint64_t pid = 0;
    if (place.size() != 2 || !IsSmallNumber(place[0], npu) || !IsSmallNumber(place[1], chip) ||
        !IsSmallNumber(cells[1], pid)) {
      return Wrong("a process was expected");
    }
    bool found = false;
    for (NpuChip& candidate : table_.chips) {
      if (candidate.npu != npu || candidate.chip != chip) continue;
      candidate.device.processes.push_back(static_cast<int64_t>(pid));
      found = true;
    }
    if (found) return absl::OkStatus();
    // A chip by another number: then all of the card's may be in use.
    for (NpuChip& candidate : table_.chips) {
      if (candidate.npu != npu) continue;
      candidate.device.processes.push_back(static_cast<int64_t>(pid));
      found = true;
    }
    return found ? absl::OkStatus() : Wrong("this process is on an NPU that the table does not show");
  }

  // Names and lasting ids. Two chips of one card can have one address.
  void Finish() {
    std::map<std::string, size_t> addresses;
    for (const NpuChip& chip : table_.chips) ++addresses[chip.device.pci_address];
    size_t place = 0;
    for (NpuChip& chip : table_.chips) {
      Device& device = chip.device;
      device.name = "npu" + std::to_string(device.index);
      device.driver = table_.version;
      device.visible_as = std::to_string(place++);
      if (device.pci_address.empty()) {
        device.id = "npu:" + std::to_string(chip.npu) + "/" + std::to_string(chip.chip);
      } else if (addresses[device.pci_address] > 1) {
        device.id = device.pci_address + "/" + std::to_string(chip.chip);
      } else {
        device.id = device.pci_address;
      }
    }
  }

  NpuTable table_;
  const Shape* shape_ = nullptr;
  std::optional<bool> header_;   // the first line of the header came
  std::optional<NpuChip> half_;  // its first row came
  bool begun_ = false;
  bool in_processes_ = false;
  size_t process_cells_ = 0;
  size_t number_ = 0;
  std::string_view line_;
};

}  // namespace

absl::StatusOr<NpuTable> ParseNpuSmiTable(std::string_view text) { return TableReader().Read(text); }

std::optional<uint64_t> ParseNpuSmiCount(std::string_view text) {
  for (const std::string_view line : LinesOf(text.substr(0, kMaxOutputBytes))) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || TrimBlanks(line.substr(0, colon)) != "Total Count") continue;
    return SmallNumber(TrimBlanks(line.substr(colon + 1)));
  }
  return std::nullopt;
}

std::map<std::pair<uint64_t, uint64_t>, uint64_t> ParseNpuSmiMapping(std::string_view text) {
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> mapping;
  bool header = false;
  for (const std::string_view line : LinesOf(text.substr(0, kMaxOutputBytes))) {
    if (JoinedWords(line).compare(0, 33, "NPU ID Chip ID Chip Logic ID Chip") == 0) {
      header = true;
      continue;
    }
    const std::vector<std::string_view> words = SplitWords(line);
    if (!header || words.size() < 4) continue;
    const std::optional<uint64_t> npu = SmallNumber(words[0]);
    const std::optional<uint64_t> chip = SmallNumber(words[1]);
    const std::optional<uint64_t> logical = SmallNumber(words[2]);
    // Controllers have "-" for a logical id, unusable cards -1 for their own.
    if (npu.has_value() && chip.has_value() && logical.has_value() && mapping.size() < kMaxChips) {
      mapping[{*npu, *chip}] = *logical;
    }
  }
  return mapping;
}

std::string ParseNpuSmiHealth(std::string_view text) {
  static const RE2 kCode(R"(\b(?:0[xX])?([[:xdigit:]]{8})\b)");
  constexpr size_t kMaxCodes = 16;
  std::vector<std::string> codes;
  std::string information;
  for (const std::string_view line : LinesOf(text.substr(0, kMaxOutputBytes))) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = TrimBlanks(line.substr(0, colon));
    const std::string_view value = TrimBlanks(line.substr(colon + 1));
    if (name == "Error Information" && !IsUnknownCell(value)) information = Readable(value, kMaxDeviceTextBytes);
    if (name != "Error Code") continue;
    re2::StringPiece rest(value.data(), value.size());
    std::string digits;
    while (codes.size() < kMaxCodes && RE2::FindAndConsume(&rest, kCode, &digits)) {
      const FaultCode code = MeaningOfNpuCode(static_cast<uint32_t>(std::stoul(digits, nullptr, 16)));
      codes.push_back(Concat("0x", absl::AsciiStrToUpper(digits),
                             code.meaning.empty() ? "" : Concat(" (", code.meaning, ": ", WordsOf(code.action), ")")));
    }
  }
  std::string out;
  if (!codes.empty()) out = (codes.size() == 1 ? "error code " : "error codes ") + absl::StrJoin(codes, ", ");
  if (!information.empty()) out += (out.empty() ? "" : ": ") + information;
  return out;
}

}  // namespace yardmaster::worker
