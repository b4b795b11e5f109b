#include "services/worker/devices/nvidia_smi.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/algorithm/container.h"
#include "rules/suites/versions.h"
#include "services/core/lines.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/worker/devices/device_health.h"
#include "services/worker/devices/system_devices.h"
#include "services/worker/errors.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxColumns = 64;

// At most `most` fields; the last one keeps its commas.
std::vector<std::string_view> SplitFields(std::string_view line, size_t most) {
  std::vector<std::string_view> fields = Split(line, ',', most);
  for (std::string_view& field : fields) field = TrimBlanks(field);
  return fields;
}

// "memory.total [MiB]" → "memory.total"
std::string_view WithoutUnit(std::string_view column) { return TrimBlanks(column.substr(0, column.find(" ["))); }

// What a board can't say: "[N/A]", "N/A", "[Not Supported]", "[Unknown Error]".
bool IsUnknownValue(std::string_view value) {
  return value.empty() || value == "N/A" || (value.front() == '[' && value.back() == ']');
}

class RowReader {
 public:
  RowReader(const SmiRow& row, size_t line) : row_(row), line_(line) {}

  // Empty if it is not known.
  std::string_view Text(std::string_view column) {
    const auto value = row_.find(column);
    if (value == row_.end() || IsUnknownValue(value->second)) return {};
    return value->second;
  }
  std::optional<uint64_t> Number(std::string_view column) {
    const std::string_view text = Text(column);
    if (text.empty()) return std::nullopt;
    const std::optional<uint64_t> number = NumberOf(text);
    if (!number.has_value() && status_.ok()) {
      status_ = worker_errors::ToolLineUnclear("nvidia-smi", line_, std::string(column) + " is not a number", text);
    }
    return number;
  }
  bool Yes(std::string_view column) { return Text(column) == "Yes"; }
  const absl::Status& status() const { return status_; }

 private:
  const SmiRow& row_;
  size_t line_;
  absl::Status status_;
};

// A GPU that is lost says so in place of its values.
bool SaysLost(const SmiRow& row) {
  return absl::c_any_of(row, [](const SmiRow::value_type& value) {
    const std::string lower = LowerCase(value.second);
    return Contains(lower, "gpu is lost") || lower == "[unknown error]";
  });
}

absl::StatusOr<Device> DeviceOf(const SmiRow& row, size_t line) {
  RowReader reader(row, line);
  Device device;
  device.kind = rules::DeviceKind::kGpu;
  device.health = DeviceHealth::kOk;
  device.id = Readable(reader.Text("uuid"), kMaxDeviceTextBytes);
  if (device.id.empty()) return worker_errors::ToolLineUnclear("nvidia-smi", line, "there is no uuid", "");
  device.visible_as = device.id;
  const uint64_t index = reader.Number("index").value_or(line >= 2 ? line - 2 : 0);
  device.index = static_cast<int>(std::min<uint64_t>(index, std::numeric_limits<int>::max()));
  device.name = "gpu" + std::to_string(device.index);
  device.model = Readable(reader.Text("name"), kMaxDeviceTextBytes);
  device.pci_address = NormalPciAddress(reader.Text("pci.bus_id"));
  device.driver = Readable(reader.Text("driver_version"), kMaxDeviceTextBytes);
  if (const std::string_view cap = reader.Text("compute_cap"); rules::ParseVersion(cap).has_value()) {
    device.capability = Readable(cap, kMaxDeviceTextBytes);
  }
  device.memory_mb = reader.Number("memory.total");
  device.memory_used_mb = reader.Number("memory.used");
  if (const auto percent = reader.Number("utilization.gpu")) {
    device.utilization = static_cast<int>(std::min<uint64_t>(*percent, 100));
  }
  device.uncorrected_errors = reader.Number("ecc.errors.uncorrected.volatile.total");
  if (!reader.status().ok()) return reader.status();

  GpuFacts facts;
  facts.lost = SaysLost(row);
  facts.remap_failed = reader.Yes("remapped_rows.failure");
  facts.memory_pending = reader.Yes("remapped_rows.pending") || reader.Yes("retired_pages.pending");
  const std::string_view mode = reader.Text("compute_mode");
  if (mode == "Prohibited") facts.mode = GpuFacts::Mode::kProhibited;
  if (mode.starts_with("Exclusive")) facts.mode = GpuFacts::Mode::kExclusive;
  WorsenByFacts(device, facts);
  if (reader.Text("mig.mode.current") == "Enabled") {
    Worsen(device, DeviceHealth::kBad, "it is split (MIG): only its instances can be used, which take NVML to find");
  }
  return device;
}

}  // namespace

absl::StatusOr<std::vector<SmiRow>> ParseNvidiaSmiRows(std::string_view csv) {
  if (csv.size() > kMaxToolOutputBytes)
    return worker_errors::ToolLineUnclear("nvidia-smi", 1, "there is too much output", "");
  std::vector<std::string> columns;
  std::vector<SmiRow> rows;
  size_t number = 0;
  for (const std::string_view line : LinesOf(csv)) {
    ++number;
    if (TrimBlanks(line).empty()) continue;
    if (columns.empty()) {
      for (const std::string_view column : SplitFields(line, kMaxColumns)) columns.emplace_back(WithoutUnit(column));
      if (!absl::c_linear_search(columns, "uuid")) {
        return worker_errors::ToolOutputUnclear("nvidia-smi", "no column \"uuid\"");
      }
      continue;
    }
    const std::vector<std::string_view> fields = SplitFields(line, columns.size());
    if (fields.size() != columns.size()) {
      return worker_errors::ToolLineUnclear(
          "nvidia-smi", number,
          std::to_string(columns.size()) + " values were expected, there are " + std::to_string(fields.size()), line);
    }
    if (rows.size() >= kMaxGpus)
      return worker_errors::ToolLineUnclear("nvidia-smi", number, "there are too many GPUs", line);
    SmiRow row;
    for (size_t i = 0; i < fields.size(); ++i) row[columns[i]] = std::string(fields[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

absl::StatusOr<std::vector<Device>> DevicesOfNvidiaSmi(const std::vector<SmiRow>& rows) {
  std::vector<Device> devices;
  for (size_t i = 0; i < rows.size(); ++i) {
    // The header is line 1.
    ASSIGN_OR_RETURN(Device device, DeviceOf(rows[i], i + 2));
    devices.push_back(std::move(device));
  }
  return devices;
}

std::map<std::string, std::vector<int64_t>> ParseNvidiaSmiProcesses(std::string_view csv) {
  std::map<std::string, std::vector<int64_t>> processes;
  for (const std::string_view line : LinesOf(csv.substr(0, kMaxToolOutputBytes))) {
    const std::vector<std::string_view> fields = SplitFields(line, 4);
    if (fields.size() < 2) continue;
    const std::optional<uint64_t> pid = NumberOf(fields[1]);
    if (!pid.has_value() || *pid > std::numeric_limits<int>::max()) continue;
    processes[std::string(fields[0])].push_back(static_cast<int64_t>(*pid));
  }
  return processes;
}

std::string ParseNvidiaSmiCuda(std::string_view text) {
  for (const std::string_view line : LinesOf(text.substr(0, kMaxToolOutputBytes))) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || TrimBlanks(line.substr(0, colon)) != "CUDA Version") continue;
    const std::string_view version = TrimBlanks(line.substr(colon + 1));
    if (!rules::ParseVersion(version).has_value() || version.size() > 16) return "";
    return Readable(version);
  }
  return "";
}

}  // namespace yardmaster::worker
