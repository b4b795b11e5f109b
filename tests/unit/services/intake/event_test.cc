#include "services/intake/event.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace yardmaster {
namespace {

TEST(ToRoutedEvent, TellsWhatReviewsWaitFor) {
  ForgeEvent event;
  event.kind = ForgeEventKind::kRequested;
  event.subject = {"o/r", 0, true};
  event.head = std::string(40, 'a');
  event.facts.draft = false;
  const RoutedEvent routed = ToRoutedEvent("github", "d1", event);
  EXPECT_EQ(routed.event.kind(), v1::Event::KIND_RERUN);
  EXPECT_EQ(routed.event.head(), std::string(40, 'a'));
  EXPECT_EQ(routed.event.subject().kind(), v1::SUBJECT_KIND_PULL_REQUEST);
  EXPECT_EQ(routed.event.subject().number(), 0);
  EXPECT_EQ(routed.facts.draft, false);
  event.kind = ForgeEventKind::kReady;
  EXPECT_EQ(ToRoutedEvent("github", "d1", std::move(event)).event.kind(), v1::Event::KIND_READY);
}

}  // namespace
}  // namespace yardmaster
