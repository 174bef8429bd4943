import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureCurrentBuilds } from '#tests/support/runner/current-builds.ts';

/**
 * `npm test`: runs `npm run verify`, builds the pages and the program and installs the programs that the tests need, all at the same time, then runs
 * every project. Arguments are passed to vitest and name a part, e.g. `npm test -- tests/journeys`, which begins at once.
 */
const root = process.cwd();
const vitestArguments = process.argv.slice(2);
const isWhole = vitestArguments.length === 0;

const [verified] = await Promise.all([
  isWhole ? run('npm', ['run', 'verify']) : 0,
  ensureCurrentBuilds(root),
  // If a package cannot be installed, the tests that need it say so.
  isWhole ? run(process.execPath, [join('tests', 'support', 'runner', 'install-programs.ts')]) : 0,
]);
if (verified !== 0) process.exit(verified);

const vitest = join('node_modules', 'vitest', 'vitest.mjs');
const settings = ['--config', 'tests/vitest.config.ts', '--root', root];
process.exit(await run(process.execPath, [vitest, 'run', ...settings, ...vitestArguments]));

/** Returns the exit code of a command whose output goes to ours. */
function run(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
