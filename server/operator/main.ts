import '../config/load-env-file.ts';
import '../start/process-defaults.ts';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findProgram } from '../program/compiled-program.ts';

/** `npm run operator -- …`: with the compiled program where there is one, because it starts sooner. */
const program = await findProgram(join(import.meta.dirname, '..', '..'));
const { runCommand }: typeof import('./run-command.ts') =
  program === null
    ? await import('./run-command.ts')
    : await import(pathToFileURL(join(program, 'run-command.js')).href);
// A reader such as `head` may have what it wants; the work is done by then.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return;
  process.stderr.write(`The result could not be written (${code}).\n`);
  process.exitCode = 1;
});
process.exitCode = await runCommand(process.argv.slice(2), process.env, process);
