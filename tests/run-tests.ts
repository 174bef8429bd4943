import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureCurrentBuilds } from '#tests/support/runner/current-builds.ts';
import { FAILED_FILES } from '#tests/support/runner/failed-files.ts';

/** More failed files than this are no accident of a busy machine. */
const REPEATED_MAX = 5;

/**
 * `npm test`: runs `npm run verify`, builds the pages and the program and installs the programs that the tests need, all at the same time, then runs
 * every project. A few files that failed run once more, each from its beginning: a test that goes on from what others of its file have left
 * cannot be repeated alone. Arguments are passed to vitest and name a part, e.g. `npm test -- tests/journeys`, which begins at once.
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
const scratch = mkdtempSync(join(tmpdir(), 'portage-tests-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const failedFiles = join(scratch, 'failed-files');
process.env[FAILED_FILES] = failedFiles;

let code = await run(process.execPath, [vitest, 'run', ...settings, ...vitestArguments]);
const again = code !== 0 && isWhole && existsSync(failedFiles) ? linesOf(failedFiles) : [];
if (again.length > 0 && again.length <= REPEATED_MAX) {
  process.stdout.write(`\nOnce more, from the beginning:\n  ${again.join('\n  ')}\n\n`);
  code = await run(process.execPath, [vitest, 'run', ...settings, ...again]);
  if (code === 0) process.stdout.write(`\nPassed only in a second run:\n  ${again.join('\n  ')}\n`);
}
process.exit(code);

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}

/** Returns the exit code of a command whose output goes to ours. */
function run(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
