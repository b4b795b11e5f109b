#include "services/core/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <set>
#include <thread>

namespace yardmaster {
namespace {

TEST(ThreadPool, TasksRunOnItsThreads) {
  std::atomic<int> ran = 0;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  {
    ThreadPool pool(2, 1000);
    for (int i = 0; i < 500; ++i) {
      ASSERT_TRUE(pool.Run([&] {
        ++ran;
        const std::lock_guard<std::mutex> lock(mutex);
        threads.insert(std::this_thread::get_id());
      }));
    }
  }
  EXPECT_EQ(ran, 500) << "the end waits for what was taken";
  EXPECT_LE(threads.size(), 2u);
  EXPECT_EQ(threads.count(std::this_thread::get_id()), 0u);
}

TEST(ThreadPool, AFullQueueRefuses) {
  std::promise<void> started;
  std::promise<void> go;
  ThreadPool pool(1, 2);
  ASSERT_TRUE(pool.Run([&] {
    started.set_value();
    go.get_future().wait();
  }));
  started.get_future().wait();
  EXPECT_TRUE(pool.Run([] {}));
  EXPECT_TRUE(pool.Run([] {}));
  EXPECT_FALSE(pool.Run([] { FAIL() << "a refused task must not run"; }));
  go.set_value();
}

TEST(ThreadPool, AStoppedPoolRunsWhatWaitsAndTakesNothingMore) {
  std::atomic<int> ran = 0;
  ThreadPool pool(1, 100);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(pool.Run([&] { ++ran; }));
  pool.Stop();
  EXPECT_EQ(ran, 50);
  EXPECT_FALSE(pool.Run([&] { ++ran; }));
  pool.Stop();
  EXPECT_EQ(ran, 50);
}

TEST(ThreadPool, WhatATaskHoldsIsLetGoWhenItIsDone) {
  ThreadPool pool(1, 10);
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> watch = held;
  std::promise<void> done;
  ASSERT_TRUE(pool.Run([held = std::move(held)] {}));
  ASSERT_TRUE(pool.Run([&] { done.set_value(); }));
  done.get_future().wait();
  EXPECT_TRUE(watch.expired());
}

TEST(InlineExecutor, RunsAtOnce) {
  InlineExecutor executor;
  bool ran = false;
  EXPECT_TRUE(executor.Run([&] { ran = true; }));
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace yardmaster
