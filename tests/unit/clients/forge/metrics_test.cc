#include "clients/forge/metrics.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"
#include "tests/support/fake_forge_transport.h"

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using testing::ErrorAnswer;
using testing::FakeClock;
using testing::FakeForgeTransport;
using testing::ReadRequest;
using testing::WriteRequest;

class MetricsTransportTest : public ::testing::Test {
 protected:
  bool Has(const std::string& line) const { return metrics_.Serialize().find(line + "\n") != std::string::npos; }

  FakeClock clock_;
  FakeForgeTransport inner_;
  Metrics metrics_;
  MetricsTransport transport_{inner_, "github", clock_, metrics_};
};

TEST_F(MetricsTransportTest, RequestsAreCountedByRouteAndCodeWithoutNumbersOfIssues) {
  transport_.Send(ReadRequest("/repos/o/r/issues/1"));
  transport_.Send(ReadRequest("/repos/o/r/issues/2"));
  inner_.Then(ErrorAnswer(ForgeReason::kNotFound, ForgeOutcome::kRefused, 404));
  transport_.Send(ReadRequest("/repos/o/r/issues/3"));
  EXPECT_TRUE(
      Has("yardmaster_forge_requests_total{code=\"200\",forge=\"github\",method=\"GET\",route=\"/repos/{repo}/"
          "issues/{n}\"} 2"))
      << metrics_.Serialize();
  EXPECT_TRUE(
      Has("yardmaster_forge_requests_total{code=\"404\",forge=\"github\",method=\"GET\",route=\"/repos/{repo}/"
          "issues/{n}\"} 1"));
}

TEST_F(MetricsTransportTest, WithoutAnAnswerTheReasonIsTheCode) {
  inner_.Then(ErrorAnswer(ForgeReason::kTimeout, ForgeOutcome::kUnknown, 0));
  transport_.Send(WriteRequest());
  EXPECT_TRUE(
      Has("yardmaster_forge_requests_total{code=\"timeout\",forge=\"github\",method=\"POST\",route=\"/repos/"
          "{repo}/issues/{n}/labels\"} 1"));
}

TEST_F(MetricsTransportTest, AStrangeStatusIsNotALabelOfItsOwn) {
  ForgeAnswer answer;
  answer.status = 987;
  inner_.Then(answer);
  transport_.Send(ReadRequest());
  EXPECT_EQ(metrics_.Serialize().find("987"), std::string::npos);
}

TEST_F(MetricsTransportTest, LatencyIsAHistogram) {
  inner_.OnRequest([this](const ForgeRequest&) { clock_.Advance(milliseconds(300)); });
  transport_.Send(ReadRequest());
  EXPECT_TRUE(Has("yardmaster_forge_request_seconds_count{forge=\"github\",method=\"GET\"} 1"));
  EXPECT_TRUE(Has("yardmaster_forge_request_seconds_sum{forge=\"github\",method=\"GET\"} 0.3"));
  EXPECT_TRUE(Has("yardmaster_forge_request_seconds_bucket{forge=\"github\",method=\"GET\",le=\"0.25\"} 0"));
  EXPECT_TRUE(Has("yardmaster_forge_request_seconds_bucket{forge=\"github\",method=\"GET\",le=\"0.5\"} 1"));
}

}  // namespace
}  // namespace yardmaster
