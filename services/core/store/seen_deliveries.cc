#include "services/core/store/seen_deliveries.h"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>

#include "absl/algorithm/container.h"

namespace yardmaster::store {
namespace {

// Row ids that one segment is for.
constexpr int64_t kSegmentRows = 32'768;
// 16 bits a row and four of them set: of prints that are not there, one in 400 looks as if it were.
constexpr uint32_t kFilterBits = 16 * kSegmentRows;
constexpr int kFilterHashes = 4;

// The places of a print's bits in a filter.
std::array<uint32_t, kFilterHashes> PlacesOf(uint32_t print) {
  // Two halves of a good mixture make any number of places.
  const uint64_t mixed = print * 0x9e3779b97f4a7c15u;
  const auto first = static_cast<uint32_t>(mixed >> 32);
  const auto step = static_cast<uint32_t>(mixed >> 13) | 1u;
  std::array<uint32_t, kFilterHashes> places;
  for (uint32_t i = 0; i < kFilterHashes; ++i) places[i] = (first + i * step) % kFilterBits;
  return places;
}

uint32_t NotZero(uint32_t print) { return print == 0 ? 1 : print; }

// The prints of consecutive rows, 0 where there is no row, and a filter that mostly says at once that one is not there.
class Prints {
 public:
  Prints() : filter_(kFilterBits / 64) { prints_.reserve(kSegmentRows); }

  void Put(size_t place, uint32_t print) {
    prints_.resize(place, 0);
    prints_.push_back(print);
    for (uint32_t bit : PlacesOf(print)) filter_[bit / 64] |= uint64_t{1} << (bit % 64);
  }

  void Find(const std::array<uint32_t, kFilterHashes>& places, uint32_t print, int64_t first,
            std::vector<int64_t>& rows) const {
    for (uint32_t bit : places) {
      if ((filter_[bit / 64] >> (bit % 64) & 1) == 0) return;
    }
    for (auto at = absl::c_find(prints_, print); at != prints_.end(); at = std::find(at + 1, prints_.end(), print)) {
      rows.push_back(first + (at - prints_.begin()));
    }
  }

  size_t Bytes() const { return prints_.capacity() * sizeof(uint32_t) + filter_.size() * sizeof(uint64_t); }

 private:
  std::vector<uint32_t> prints_;
  std::vector<uint64_t> filter_;
};

}  // namespace

struct SeenDeliveries::Segment {
  explicit Segment(int64_t first) : first(first) {}

  const int64_t first;  // row
  Prints ids;
  Prints bodies;
};

uint32_t IdPrint(std::string_view delivery_id) {
  const auto hash = static_cast<uint64_t>(std::hash<std::string_view>()(delivery_id));
  return NotZero(static_cast<uint32_t>(hash ^ hash >> 32));
}

uint32_t BodyPrint(int64_t body_key) { return NotZero(static_cast<uint32_t>(body_key)); }

SeenDeliveries::SeenDeliveries() = default;
SeenDeliveries::~SeenDeliveries() = default;

void SeenDeliveries::Add(const std::vector<SeenDelivery>& deliveries) {
  if (deliveries.empty()) return;
  std::unique_lock<std::shared_mutex> lock(mutex_);
  for (const SeenDelivery& delivery : deliveries) {
    // Rows may be far apart where retention has left single ones.
    if (segments_.empty() || delivery.row >= segments_.back()->first + kSegmentRows) {
      segments_.push_back(std::make_unique<Segment>(delivery.row));
    }
    Segment& segment = *segments_.back();
    const auto place = static_cast<size_t>(delivery.row - segment.first);
    segment.ids.Put(place, delivery.id_print);
    segment.bodies.Put(place, delivery.body_print);
  }
}

void SeenDeliveries::ForgetBelow(int64_t row) {
  std::unique_lock<std::shared_mutex> lock(mutex_);
  const auto kept = absl::c_find_if(
      segments_, [&](const std::unique_ptr<Segment>& segment) { return segment->first + kSegmentRows > row; });
  segments_.erase(segments_.begin(), kept);
}

template <typename PrintsOf>
std::vector<int64_t> SeenDeliveries::With(uint32_t print, PrintsOf prints_of) const {
  const std::array<uint32_t, kFilterHashes> places = PlacesOf(print);
  std::vector<int64_t> rows;
  std::shared_lock<std::shared_mutex> lock(mutex_);
  for (const std::unique_ptr<Segment>& segment : segments_) {
    prints_of(*segment).Find(places, print, segment->first, rows);
  }
  return rows;
}

std::vector<int64_t> SeenDeliveries::WithId(uint32_t id_print) const {
  return With(id_print, [](const Segment& segment) -> const Prints& { return segment.ids; });
}

std::vector<int64_t> SeenDeliveries::WithBody(uint32_t body_print) const {
  return With(body_print, [](const Segment& segment) -> const Prints& { return segment.bodies; });
}

size_t SeenDeliveries::Bytes() const {
  std::shared_lock<std::shared_mutex> lock(mutex_);
  size_t bytes = 0;
  for (const std::unique_ptr<Segment>& segment : segments_) bytes += segment->ids.Bytes() + segment->bodies.Bytes();
  return bytes;
}

}  // namespace yardmaster::store
