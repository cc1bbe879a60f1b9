import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// oxlint-disable-next-line import/no-default-export -- the test runner reads its configuration this way
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: process.env['TENON_DEEP'] === undefined ? 30_000 : 600_000,
    globalSetup: ['test/support/global-setup.ts'],
    // Most tests wait for processes, and so does a core that has only one of them.
    maxWorkers: availableParallelism() + 1,
    // No module of ours keeps anything that one file of tests could leave to the next, and to load them takes long.
    isolate: false,
  },
});
