// What the store takes in: deliveries that are on the disk (synchronous=FULL) when they are acknowledged, each an issue
// payload of 11.6 KB with an id and a body of its own.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "services/core/clock.h"
#include "services/core/store/store.h"
#include "tests/bench/bench_data.h"
#include "tests/support/temp_dir.h"
#include "tests/support/webhook_examples.h"

namespace yardmaster::bench {
namespace {

constexpr size_t kPayloadBytes = 11'600;

// Shaped like what GitHub sends when an issue is opened: a third is prose, the rest addresses. "NNNNNNNNNN" is
// replaced.
std::string MakePayload() {
  const std::string address = "https://api.github.com/repos/octo-org/octo-repo/";
  nlohmann::json payload = {{"action", "opened"}, {"delivery", "NNNNNNNNNN"}};
  const std::vector<std::string> nouns = {
      "keys",         "collaborators", "teams",      "hooks",         "events",   "assignees", "branches",
      "tags",         "blobs",         "refs",       "trees",         "statuses", "languages", "stargazers",
      "contributors", "commits",       "comments",   "contents",      "compare",  "merges",    "archive",
      "issues",       "pulls",         "milestones", "notifications", "labels",   "releases",  "deployments"};
  for (const std::string& noun : nouns) {
    std::string link = address;
    link.append(noun).append("{/").append(noun).append("_id}");
    payload["repository"][noun + "_url"] = link;
  }
  for (const char* person : {"sender", "user", "organization", "owner"}) {
    std::string base = "https://api.github.com/users/";
    base += person;
    for (const char* noun : {"followers", "following", "gists", "starred", "repos", "received_events", "orgs"}) {
      payload[person][std::string(noun) + "_url"] = base;
      payload[person][std::string(noun) + "_of"] = noun;
    }
  }
  std::string prose = ReadData("triage_cases.jsonl");
  const size_t frame = payload.dump().size();
  if (frame + 1000 > kPayloadBytes || prose.size() < kPayloadBytes) Fail("the payload does not come out right");
  // Only characters that JSON writes as they are.
  std::string text;
  for (char c : prose) {
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') text += c;
    if (text.size() + frame + 24 == kPayloadBytes) break;
  }
  payload["issue"] = {{"body", text}};
  return payload.dump();
}

// GitHub's own example of an opened issue, of about that size, as the load generator sends it.
std::string MakeGithubPayload() {
  nlohmann::ordered_json example = testing::OpenedIssueOfAbout(kPayloadBytes);
  example["issue"]["title"] = "NNNNNNNNNN";
  return example.dump();
}

// Everything that is on its way, and a way to wait until little is.
class Flight {
 public:
  void Begin() {
    std::lock_guard<std::mutex> lock(mutex_);
    ++flying_;
  }
  void End(bool ok) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!ok) failed_ = true;
    if (--flying_ <= wake_at_) landed_.notify_one();
  }
  // False if any failed.
  bool WaitUntilAtMost(int flying) {
    std::unique_lock<std::mutex> lock(mutex_);
    wake_at_ = flying;
    landed_.wait(lock, [&] { return flying_ <= flying; });
    return !failed_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable landed_;
  int flying_ = 0;
  int wake_at_ = 0;
  bool failed_ = false;
};

// The `number`-th delivery, with a body of its own: the digits in `payload` are replaced.
store::NewDelivery MakeDelivery(int64_t number, const std::string& payload) {
  store::NewDelivery delivery;
  delivery.forge = "github";
  // Ids of GitHub are random: neighbours in time are not neighbours in an index.
  char id[64];
  const uint64_t mixed = static_cast<uint64_t>(number) * 0x9e3779b97f4a7c15ull;
  std::snprintf(id, sizeof(id), "%08x-%04x-11ee-8000-%012llx", static_cast<unsigned>(mixed >> 32),
                static_cast<unsigned>(mixed >> 16 & 0xffff), static_cast<unsigned long long>(number));
  delivery.delivery_id = id;
  delivery.event = "issues";
  delivery.body = payload;
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%010lld", static_cast<long long>(number));
  const size_t at = payload.find("NNNNNNNNNN");
  if (at != std::string::npos) delivery.body.replace(at, 10, digits, 10);
  return delivery;
}

std::unique_ptr<store::Store> OpenStore(const std::filesystem::path& dir, const Clock& clock) {
  store::StoreOptions options;
  options.data_dir = dir;
  auto opened = store::Store::Open(options, clock, nullptr);
  if (!opened.ok()) Fail(std::string(opened.status().message()));
  return *std::move(opened);
}

// Deliveries come `group` at a time; the next group comes when no more than `left` of those before are waiting.
void Ingest(benchmark::State& state, int group, int left) {
  const std::string payload = MakePayload();
  yardmaster::testing::TempDir dir;
  const SystemClock clock;
  const std::unique_ptr<store::Store> store = OpenStore(dir.path(), clock);

  Flight flight;
  int64_t number = 0;
  for (auto _ : state) {
    for (int i = 0; i < group; ++i) {
      flight.Begin();
      store->inbox().Add(MakeDelivery(++number, payload), [&flight](const absl::StatusOr<store::AddResult>& added) {
        flight.End(added.ok() && !added->duplicate && added->state == store::DeliveryState::kReceived);
      });
    }
    if (!flight.WaitUntilAtMost(left)) state.SkipWithError("a delivery was refused");
  }
  if (!flight.WaitUntilAtMost(0)) state.SkipWithError("a delivery was refused");
  state.SetItemsProcessed(state.iterations() * group);
  const store::StoreStats stats = store->Stats();
  state.counters["writes_per_commit"] =
      static_cast<double>(stats.committed_writes) / static_cast<double>(std::max<uint64_t>(stats.commits, 1));
  state.counters["stored_bytes_each"] = static_cast<double>(stats.bodies_bytes) / static_cast<double>(number);
  state.counters["log_mib"] = static_cast<double>(stats.wal_bytes) / (1 << 20);
}

// Each group of 50 waits for its commit.
void IngestGroupsOf50(benchmark::State& state) { Ingest(state, 50, 0); }
BENCHMARK(IngestGroupsOf50)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

// As many senders as there may be: the writer always finds a group.
void IngestUnderLoad(benchmark::State& state) { Ingest(state, 50, 450); }
BENCHMARK(IngestUnderLoad)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

// One sender that waits each time: what a commit costs.
void IngestOneByOne(benchmark::State& state) { Ingest(state, 1, 0); }
BENCHMARK(IngestOneByOne)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

// Bytes that this process has handed to the kernel for writing.
int64_t WrittenBytes() {
  std::ifstream file("/proc/self/io");
  std::string name;
  int64_t value = 0;
  while (file >> name >> value) {
    if (name == "wchar:") return value;
  }
  Fail("/proc/self/io does not say what was written");
}

// What a delivery writes, log and main file together, once a store holds a million of them: `grown` without bodies to
// speak of, which retention would have taken, then those that count, ten to a commit as at half of our rate. A count,
// not a time: it says the same on a busy machine. YARD_BENCH_GROWN is another number than a million.
void BytesWritten(benchmark::State& state) {
  const char* given = std::getenv("YARD_BENCH_GROWN");
  const int64_t grown = given != nullptr && *given != '\0' ? std::atoll(given) : 1'000'000;
  constexpr int kGroup = 10;
  yardmaster::testing::TempDir dir;
  const SystemClock clock;
  std::unique_ptr<store::Store> store = OpenStore(dir.path(), clock);
  Flight flight;
  const auto add = [&](int64_t number, const std::string& payload) {
    flight.Begin();
    store->inbox().Add(MakeDelivery(number, payload), [&flight](const absl::StatusOr<store::AddResult>& added) {
      flight.End(added.ok() && !added->duplicate && added->state == store::DeliveryState::kReceived);
    });
  };
  int64_t number = 0;
  while (number < grown) {
    add(++number, "NNNNNNNNNN");
    if (!flight.WaitUntilAtMost(1500)) Fail("a delivery was refused");
  }
  if (!flight.WaitUntilAtMost(0)) Fail("a delivery was refused");

  // Opened anew: the log is copied and empty, and nothing is left to be written for those before.
  store.reset();
  const auto opening = std::chrono::steady_clock::now();
  store = OpenStore(dir.path(), clock);
  const std::chrono::duration<double, std::milli> opened = std::chrono::steady_clock::now() - opening;
  const std::string payload = MakeGithubPayload();
  const int64_t before = WrittenBytes();
  for (auto _ : state) {
    for (int i = 0; i < kGroup; ++i) add(++number, payload);
    if (!flight.WaitUntilAtMost(0)) state.SkipWithError("a delivery was refused");
  }
  const double added = static_cast<double>(state.iterations()) * kGroup;
  const auto bodies = static_cast<double>(store->Stats().bodies_bytes);
  const double commits = static_cast<double>(store->Stats().commits);
  store.reset();
  state.counters["written_bytes_each"] = static_cast<double>(WrittenBytes() - before) / added;
  state.counters["stored_bytes_each"] = (bodies - 10.0 * static_cast<double>(grown)) / added;
  state.counters["deliveries_per_commit"] = added / commits;
  state.counters["opened_ms"] = opened.count();
}
BENCHMARK(BytesWritten)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(2'000);

// Similar issues among 20,000, in the way of a reader.
void Similar(benchmark::State& state) {
  yardmaster::testing::TempDir dir;
  const SystemClock clock;
  const std::unique_ptr<store::Store> store = OpenStore(dir.path(), clock);
  const std::vector<rules::IssueInput> cases = ReadCases();
  std::atomic<int64_t> next{0};
  std::vector<std::thread> threads;
  threads.reserve(50);
  for (int i = 0; i < 50; ++i) {
    threads.emplace_back([&] {
      for (int64_t number = ++next; number <= 20'000; number = ++next) {
        const rules::IssueInput& issue = cases[static_cast<size_t>(number) % cases.size()];
        store::SeenSubject seen;
        seen.subject.set_forge("github");
        seen.subject.set_repository("octo-org/octo-repo");
        seen.subject.set_number(number);
        // Copies that differ, as real issues do.
        seen.title = issue.title;
        seen.title += " word" + std::to_string(number);
        seen.body = issue.body;
        seen.body.resize(seen.body.size() * static_cast<size_t>(number % 7 + 1) / 7);
        if (!store->subjects().Put(seen).ok()) Fail("a subject was refused");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  size_t i = 0;
  for (auto _ : state) {
    const rules::IssueInput& issue = cases[++i % cases.size()];
    store::SimilarQuery query;
    query.forge = "github";
    query.repository = "octo-org/octo-repo";
    query.title = issue.title;
    query.body = issue.body;
    auto similar = store->subjects().Similar(query);
    if (!similar.ok()) state.SkipWithError("no answer");
    benchmark::DoNotOptimize(similar);
  }
}
BENCHMARK(Similar)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace yardmaster::bench

BENCHMARK_MAIN();
