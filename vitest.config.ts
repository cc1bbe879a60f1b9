import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// oxlint-disable-next-line import/no-default-export -- the test runner reads its configuration this way
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: process.env['TENON_DEEP'] === undefined ? 30_000 : 600_000,
    globalSetup: ['test/support/global-setup.ts'],
    // Most tests wait for processes; by default one of two cores would stay idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
