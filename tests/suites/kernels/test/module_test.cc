// Kernels together, as a model uses them; and what must hold of all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "test/fixture.h"

namespace kernels::testing {
namespace {

constexpr Type kType = Type::kFloat32;
constexpr int64_t kTokens = 24;
constexpr int64_t kHeads = 2;
constexpr int64_t kDepth = 16;
constexpr int64_t kWidth = kHeads * kDepth;

Values Transposed(const Values& x, int64_t rows, int64_t columns) {
  Values y(x.size());
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      y[static_cast<size_t>(column * rows + row)] = x[static_cast<size_t>(row * columns + column)];
    }
  }
  return y;
}

// Head `head` of [tokens, heads, depth] as [tokens, depth].
Values Head(const Values& x, int64_t head) {
  Values y;
  for (int64_t token = 0; token < kTokens; ++token) {
    const auto begin = x.begin() + token * kWidth + head * kDepth;
    y.insert(y.end(), begin, begin + kDepth);
  }
  return y;
}

// Nobody looks ahead.
Values Masked(Values scores) {
  for (int64_t row = 0; row < kTokens; ++row) {
    for (int64_t column = row + 1; column < kTokens; ++column) {
      scores[static_cast<size_t>(row * kTokens + column)] = -std::numeric_limits<double>::infinity();
    }
  }
  return scores;
}

struct Kernels {
  Values (*norm)(const Values&);
  Values (*product)(const Values&, const Values&, int64_t, int64_t, int64_t, double);
  Values (*turn)(const Values&);
  Values (*softmax)(const Values&);
};

std::vector<int32_t> Positions() {
  std::vector<int32_t> positions;
  for (int32_t token = 0; token < kTokens; ++token) positions.push_back(token);
  return positions;
}

const Kernels kTested = {
    [](const Values& x) { return LayerNorm(kType, x, Values(kWidth, 1), Values(kWidth, 0), kTokens, kWidth); },
    [](const Values& a, const Values& b, int64_t m, int64_t n, int64_t k, double alpha) {
      return Gemm(kType, a, b, m, n, k, alpha);
    },
    [](const Values& x) { return Rotary(kType, Pairing::kHalves, x, Positions(), 10000, kTokens, kHeads, kDepth); },
    [](const Values& x) { return Softmax(kType, x, kTokens, kTokens); },
};
const Kernels kPlain = {
    [](const Values& x) {
      return reference::LayerNorm(x, Values(kWidth, 1), Values(kWidth, 0), kTokens, kWidth, 1e-5);
    },
    [](const Values& a, const Values& b, int64_t m, int64_t n, int64_t k, double alpha) {
      return reference::Gemm(a, b, {}, m, n, k, alpha, 0);
    },
    [](const Values& x) { return reference::Rotary(Pairing::kHalves, x, Positions(), 10000, kTokens, kHeads, kDepth); },
    [](const Values& x) { return reference::Softmax(x, kTokens, kTokens); },
};

// Attention of one layer, head by head.
Values Attention(const Kernels& kernels, const Values& x) {
  const Values normed = kernels.norm(x);
  const auto project = [&](uint64_t seed) {
    return kernels.product(normed, Draw(kType, kWidth * kWidth, seed, 0.2), kTokens, kWidth, kWidth, 1);
  };
  const Values query = kernels.turn(project(21));
  const Values key = kernels.turn(project(22));
  const Values value = project(23);
  Values result(x.size());
  for (int64_t head = 0; head < kHeads; ++head) {
    const Values scores = kernels.product(Head(query, head), Transposed(Head(key, head), kTokens, kDepth), kTokens,
                                          kTokens, kDepth, 1 / std::sqrt(static_cast<double>(kDepth)));
    const Values attended =
        kernels.product(kernels.softmax(Masked(scores)), Head(value, head), kTokens, kDepth, kTokens, 1);
    for (int64_t token = 0; token < kTokens; ++token) {
      std::copy(attended.begin() + token * kDepth, attended.begin() + (token + 1) * kDepth,
                result.begin() + token * kWidth + head * kDepth);
    }
  }
  return result;
}

TEST(Module, AttentionWithRotaryEmbedding) {
  const Values x = Draw(kType, kTokens * kWidth, 20);
  EXPECT_TRUE(Near(kType, "output", Attention(kTested, x), Attention(kPlain, x), kOfChains));
}

TEST(Module, AttentionWithRotaryEmbeddingSeesDistancesOnly) {
  // Scores of the same contents at positions (p, q) and (p + 5, q + 5) are the same.
  const Values query = Draw(kType, kDepth, 24);
  const Values key = Draw(kType, kDepth, 25);
  const auto score = [&](int32_t p, int32_t q) {
    const Values left = Rotary(kType, Pairing::kInterleaved, query, {p}, 10000, 1, 1, kDepth);
    const Values right = Rotary(kType, Pairing::kInterleaved, key, {q}, 10000, 1, 1, kDepth);
    return Gemm(kType, left, right, 1, 1, kDepth)[0];
  };
  EXPECT_NEAR(score(9, 4), score(14, 9), 1e-4);
  EXPECT_NEAR(score(0, 0), score(100, 100), 1e-4);
  EXPECT_GT(std::abs(score(9, 4) - score(9, 0)), 1e-3);
}

TEST(Module, AProductWithQuantisedWeights) {
  const Values x = Draw(kType, 8 * 256, 26, 1.0 / 256);
  const Values weights = Draw(kType, 256 * 64, 27);
  const Values stored = Dequantise(kType, Quantise(kType, weights, 256, 64, 32), 256, 64, 32);
  const Values exact = reference::Gemm(x, weights, {}, 8, 64, 256, 1, 0);
  // The product of what was stored is exact; that of what was meant is off by at most half a step.
  EXPECT_TRUE(
      Near(kType, "stored", Gemm(kType, x, stored, 8, 64, 256), reference::Gemm(x, stored, {}, 8, 64, 256, 1, 0)));
  const Values got = Gemm(kType, x, stored, 8, 64, 256);
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - exact[i]));
  EXPECT_LT(worst, 0.5 / 127);
  EXPECT_GT(worst, 0);
}

TEST(Module, SameInputSameBits) {
  const Values x = Draw(kType, 33 * 1025, 28);
  const Values ones(1025, 1);
  EXPECT_EQ(Softmax(kType, x, 33, 1025), Softmax(kType, x, 33, 1025));
  EXPECT_EQ(LayerNorm(kType, x, ones, ones, 33, 1025), LayerNorm(kType, x, ones, ones, 33, 1025));
  EXPECT_EQ(Reduce(kType, Reduction::kSum, x, 3, 11 * 1025), Reduce(kType, Reduction::kSum, x, 3, 11 * 1025));
  EXPECT_EQ(Gemm(kType, x, x, 33, 33, 1025), Gemm(kType, x, x, 33, 33, 1025));
}

TEST(Module, TheNumberOfThreadsChangesNoBit) {
  const Values x = Draw(kType, 257 * 513, 29);
  const auto all = [&] {
    Values results = Softmax(kType, x, 257, 513);
    for (const Values& more : {Reduce(kType, Reduction::kSum, x, 1, 257 * 513), Gemm(kType, x, x, 257, 257, 513),
                               LayerNorm(kType, x, Values(513, 1), Values(513, 0), 257, 513),
                               Dequantise(kType, Quantise(kType, x, 257, 513, 100), 257, 513, 100)}) {
      results.insert(results.end(), more.begin(), more.end());
    }
    return results;
  };
  TheBackend().SetThreads(1);
  const Values one = all();
  for (const int threads : {2, 3, 5}) {
    TheBackend().SetThreads(threads);
    EXPECT_EQ(all(), one) << threads << " threads";
  }
  TheBackend().SetThreads(2);
}

}  // namespace
}  // namespace kernels::testing
