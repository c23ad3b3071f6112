import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    globals: false,
    // A machine may be as slow as it is.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    restoreMocks: false,
    setupFiles: ['src/testing/setup.ts'],
    // The console's SDK reads styles and other packages that only a bundler understands.
    server: { deps: { inline: [/@patternfly/] } },
  },
});
