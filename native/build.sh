#!/bin/sh
# Builds the runner for one architecture: build.sh COMPILER OUTPUT. The flags are part of what makes it reproducible.
set -eu
cd "$(dirname "$0")"
"$1" -std=gnu11 -Os -Wall -Wextra -Werror -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fno-pic \
  -fno-builtin -fno-tree-loop-distribute-patterns -fomit-frame-pointer -nostdlib -static -Wl,--build-id=none -Wl,-z,norelro \
  -Wl,-z,noseparate-code -Wl,-z,noexecstack -Wl,--gc-sections -s -o "$2" runner.c
