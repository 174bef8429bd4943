import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureConsoleBuild } from '#server/console/build-console.ts';
import { createLogger } from '#server/logging/logger.ts';

/** `npm test`: builds the console once, then runs every project; arguments go to vitest, e.g. `npm test -- journeys`. */
const root = process.cwd();
await ensureConsoleBuild(root, createLogger('warn'));
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const run = spawnSync(
  process.execPath,
  [vitest, 'run', '--config', 'tests/vitest.config.ts', '--root', root, ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
process.exit(run.status ?? 1);
