#include "services/workflow/copyright.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace yardmaster::workflow {
namespace {

using Text = std::optional<std::string>;

TEST(Copyright, TheEndOfTheYearsIsNow) {
  EXPECT_EQ(WithYear("# Copyright 2024 Acme\nx\n", 2026), Text("# Copyright 2024-2026 Acme\nx\n"));
  EXPECT_EQ(WithYear("/* Copyright 2023-2024 Acme */\n", 2026), Text("/* Copyright 2023-2026 Acme */\n"));
  EXPECT_EQ(WithYear("// Copyright (c) 2023 - 2024 Acme", 2026), Text("// Copyright (c) 2023 - 2026 Acme"));
  EXPECT_EQ(WithYear("# Copyright 2024 A\n# copyright © 2025 B\n", 2026),
            Text("# Copyright 2024-2026 A\n# copyright © 2025-2026 B\n"));
}

TEST(Copyright, LineEndsStay) {
  EXPECT_EQ(WithYear("#!/bin/sh\r\n# Copyright 2025 Acme\r\nx\r\n", 2026),
            Text("#!/bin/sh\r\n# Copyright 2025-2026 Acme\r\nx\r\n"));
}

TEST(Copyright, LinesThatHaveTheYearOrListThemAreLeft) {
  for (const std::string text : {"", "x\n", "# Copyright 2026 A\n", "# Copyright 2024-2026 A\n", "# Copyright 2027 A\n",
                                 "# Copyright 2023, 2025 A\n", "1\n2\n3\n4\n5\n# Copyright 2024 A\n",
                                 "# Copyright the authors 2024\n", "# Copyright 20245 A\n"}) {
    EXPECT_EQ(WithYear(text, 2026), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace yardmaster::workflow
