// What the tests of the store share: a folder, a clock that they move, and a store on them.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_CORE_STORE_STORE_FIXTURE_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_CORE_STORE_STORE_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "services/core/store/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::store {

using namespace std::chrono_literals;

inline v1::Subject Issue(int64_t number, const std::string& repository = "pytorch/pytorch",
                         const std::string& forge = "github") {
  v1::Subject subject;
  subject.set_forge(forge);
  subject.set_repository(repository);
  subject.set_kind(v1::SUBJECT_KIND_ISSUE);
  subject.set_number(number);
  return subject;
}

inline NewDelivery Opened(const std::string& id, const std::string& body = "") {
  NewDelivery delivery;
  delivery.forge = "github";
  delivery.delivery_id = id;
  delivery.event = "issues";
  delivery.body = body.empty() ? R"({"action":"opened","id":")" + id + "\"}" : body;
  return delivery;
}

class StoreFixture : public ::testing::Test {
 protected:
  // Opens the store, or opens it again.
  void Open(const std::function<void(StoreOptions&)>& change = nullptr) {
    store_.reset();
    StoreOptions options;
    options.data_dir = dir_.path() / "data";
    options.disk_floor_bytes = 1;
    options.single_threaded = single_threaded_;
    if (change != nullptr) change(options);
    auto store = Store::Open(std::move(options), clock_, metrics_);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }
  void SetUp() override { Open(); }

  int64_t Add(const std::string& id, const std::string& body = "") {
    auto added = store_->inbox().AddAndWait(Opened(id, body));
    EXPECT_TRUE(added.ok()) << added.status();
    return added.ok() ? added->id : 0;
  }
  std::filesystem::path file() const { return dir_.path() / "data" / "yardmaster.db"; }

  yardmaster::testing::TempDir dir_;
  yardmaster::testing::FakeClock clock_;
  Metrics* metrics_ = nullptr;
  bool single_threaded_ = true;
  std::unique_ptr<Store> store_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_CORE_STORE_STORE_FIXTURE_H_
