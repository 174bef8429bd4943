import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { FailedFiles } from './support/runner/failed-files.ts';
import { LeftOutTests } from './support/runner/left-out-tests.ts';
import { makeRunFolder, placeWithRoom } from './support/runner/run-folder.ts';
import { SecondAttempts } from './support/runner/second-attempts.ts';
import { SlowestFiles } from './support/runner/slowest-files.ts';
import { SpreadWork } from './support/runner/spread-work.ts';

// The program is started some hundred times; Node keeps what it has compiled from one start to the next.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'portage-compile-cache');

/** Service tests run twice: the same promises on the embedded database and on a real PostgreSQL server. */
const serviceTests = ['server/**/*.test.ts', 'db/**/*.test.ts', 'tests/migrations/**/*.test.ts'];

/**
 * Each test of a service has a database and a store, and tests of the system have programs and browsers, which wait for
 * the disk with every change. In memory, tests of services take a fifth less processor time, and those of the system a fifth
 * less of the system's. They need a third of this room.
 */
const inMemory = { TMPDIR: makeRunFolder(placeWithRoom(6 * 1024 ** 3)) };

/**
 * Files share what their worker has loaded, which takes longer than most of them run. Each test has its own
 * app.
 */
const together = { isolate: false };

export default defineConfig({
  test: {
    globals: false,
    // A limited wait for real sockets and processes on a busy machine; no assertion depends on time.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Real sockets, processes and browsers on a busy machine: SecondAttempts names what needed it.
    retry: 1,
    // Twice the cores of CI: tests also wait, for sockets, processes, browsers and the disk.
    maxWorkers: 4,
    sequence: { sequencer: SpreadWork },
    reporters: ['default', new SlowestFiles(), new SecondAttempts(), new LeftOutTests(), new FailedFiles()],
    projects: [
      {
        extends: true,
        test: { name: 'architecture', include: ['tests/architecture/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: [...serviceTests, 'app/**/*.test.{ts,tsx}'],
          exclude: ['db/dialects/postgres*.test.ts'],
          env: { TEST_DATABASE: 'sqlite', ...inMemory },
          setupFiles: ['tests/support/runner/fail-on-console-error.ts'],
          ...together,
          globalSetup: ['tests/support/runner/sqlite-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: serviceTests,
          // Pure files and engines without SQL would prove nothing twice.
          exclude: [
            'db/dialects/{checkpointer,sqlite*}.test.ts',
            'server/connections/**',
            'server/edge/**',
            'server/http-fields/**',
            'server/dns/**',
            'server/dns-update/**',
            'server/s3/**',
            'server/store/**',
            'server/*.test.ts',
            'server/metering/usage-*.test.ts',
            'server/console/**',
            'server/dns-client/**',
            'server/services/**/{rules,*-rules}.test.ts',
            'server/services/certificates/inspection/inspect-{dns,traffic}.test.ts',
            'server/services/identity/accounts/password-hash.test.ts',
            'server/{concurrency,config,http,limits,logging,outgoing,program,secrets,start}/**',
            'server/auth/return-path.test.ts',
          ],
          env: { TEST_DATABASE: 'postgres', ...inMemory },
          setupFiles: ['tests/support/runner/fail-on-console-error.ts'],
          ...together,
          globalSetup: ['tests/support/runner/postgres-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          // Journeys in a browser too: a worker that goes from one project to another loads everything again.
          name: 'system',
          include: ['tests/{api,data-plane,fuzz,journeys}/**/*.test.ts'],
          env: { TEST_DATABASE: 'sqlite', ...inMemory },
          globalSetup: [
            'tests/support/runner/programs-setup.ts',
            'tests/support/runner/browser-setup.ts',
            'tests/support/runner/sqlite-setup.ts',
            'tests/support/runner/shared-server.ts',
          ],
          testTimeout: 180_000,
          ...together,
        },
      },
    ],
  },
});
