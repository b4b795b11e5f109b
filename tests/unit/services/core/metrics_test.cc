#include "services/core/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>

#include <sstream>
#include <thread>

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kTriage[] = "/yardmaster.v1.TriageService/TriageIssue";

std::vector<MethodRule> CountedMethods() { return {{kTriage, Role::kViewer}}; }

TEST(Metrics, CallsAreCountedByMethodAndCode) {
  Metrics metrics(CountedMethods());
  metrics.Rpc(kTriage).Record(absl::StatusCode::kOk, std::chrono::microseconds(70));
  metrics.Rpc(kTriage).Record(absl::StatusCode::kOk, std::chrono::microseconds(70));
  metrics.Rpc(kTriage).Record(absl::StatusCode::kNotFound, std::chrono::milliseconds(3));
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("yardmaster_rpc_requests_total{method=\"TriageService/TriageIssue\",code=\"OK\"} 2"));
  EXPECT_THAT(text,
              HasSubstr("yardmaster_rpc_requests_total{method=\"TriageService/TriageIssue\",code=\"NOT_FOUND\"} 1"));
  EXPECT_THAT(text, HasSubstr("yardmaster_rpc_seconds_count{method=\"TriageService/TriageIssue\"} 3"));
  EXPECT_THAT(text, HasSubstr("yardmaster_rpc_seconds_bucket{method=\"TriageService/TriageIssue\",le=\"5e-05\"} 0"));
  EXPECT_THAT(text, HasSubstr("yardmaster_rpc_seconds_bucket{method=\"TriageService/TriageIssue\",le=\"0.0001\"} 2"));
  EXPECT_THAT(text, HasSubstr("yardmaster_rpc_seconds_bucket{method=\"TriageService/TriageIssue\",le=\"+Inf\"} 3"));
}

TEST(Metrics, UnknownMethodsShareOneEntry) {
  Metrics metrics(CountedMethods());
  metrics.Rpc("/evil/A").Record(absl::StatusCode::kOk, {});
  metrics.Rpc("/evil/B").Record(absl::StatusCode::kOk, {});
  EXPECT_EQ(&metrics.Rpc("/evil/A"), &metrics.Rpc("/evil/B"));
  EXPECT_THAT(metrics.Serialize(), HasSubstr("{method=\"other\",code=\"OK\"} 2"));
  EXPECT_THAT(metrics.Serialize(), Not(HasSubstr("evil")));
}

TEST(Metrics, EveryNameBeginsWithTheProgramsName) {
  Metrics metrics(CountedMethods());
  metrics.HttpRequest("/healthz", 200);
  metrics.PacksInService({{"a", "0123456789abcdef"}});
  std::istringstream lines(metrics.Serialize());
  int samples = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    EXPECT_THAT(line, StartsWith("yardmaster_"));
    ++samples;
  }
  EXPECT_GT(samples, 20);
}

TEST(Metrics, ReloadsAndPacksAreShown) {
  Metrics metrics(CountedMethods());
  EXPECT_THAT(metrics.Serialize(), HasSubstr("yardmaster_packs_reload_total{result=\"failure\"} 0"));
  metrics.PacksReloaded(true);
  metrics.PacksReloaded(false);
  metrics.PacksInService({{"common", "0123456789abcdef"}});
  metrics.PacksInService({{"common", "fedcba9876543210"}});
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("yardmaster_packs_reload_total{result=\"success\"} 1"));
  EXPECT_THAT(text, HasSubstr("yardmaster_packs_reload_total{result=\"failure\"} 1"));
  EXPECT_THAT(text, HasSubstr("yardmaster_pack_info{pack=\"common\",revision=\"fedcba9876543210\"} 1"));
  EXPECT_THAT(text, Not(HasSubstr("0123456789abcdef"))) << "the old revision is gone";
}

TEST(Metrics, TheSameNameAndLabelsAreTheSameCounter) {
  Metrics metrics(CountedMethods());
  prometheus::Counter* a = metrics.Counter("yardmaster_things_total", "Things.", {{"kind", "a"}});
  EXPECT_EQ(metrics.Counter("yardmaster_things_total", "Things.", {{"kind", "a"}}), a);
  EXPECT_NE(metrics.Counter("yardmaster_things_total", "Things.", {{"kind", "b"}}), a);
  a->Increment(3);
  metrics.Gauge("yardmaster_level", "Level.")->Set(7);
  EXPECT_THAT(metrics.Serialize(), HasSubstr("yardmaster_things_total{kind=\"a\"} 3"));
  EXPECT_THAT(metrics.Serialize(), HasSubstr("yardmaster_level 7"));
}

TEST(Metrics, NoCallIsLostAmongThreads) {
  Metrics metrics(CountedMethods());
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&metrics] {
      for (int i = 0; i < 1000; ++i) metrics.Rpc(kTriage).Record(absl::StatusCode::kOk, std::chrono::microseconds(i));
    });
  }
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(metrics.Serialize().empty());
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(metrics.Rpc(kTriage).count(absl::StatusCode::kOk), 4000u);
}

TEST(RpcMetrics, OddValuesAreCountedToo) {
  RpcMetrics rpc;
  rpc.Record(absl::StatusCode::kOk, std::chrono::nanoseconds(-5));
  rpc.Record(static_cast<absl::StatusCode>(99), std::chrono::hours(1));
  EXPECT_EQ(rpc.bucket(0), 1u);
  EXPECT_EQ(rpc.bucket(RpcMetrics::kBucketMicros.size()), 1u);
  EXPECT_EQ(rpc.count(absl::StatusCode::kUnknown), 1u);
}

}  // namespace
}  // namespace yardmaster
