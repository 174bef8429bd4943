import './config/load-env-file.ts';
import './start/process-defaults.ts';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataDirOf } from './config/data-dir.ts';
import { ensureProgram } from './program/compiled-program.ts';
import { holdDataDirOrExit } from './start/hold-data-dir.ts';
import { ProgramSignals } from './supervisor/program-signals.ts';

const ROOT = join(import.meta.dirname, '..');

const isDevelopment = process.env.NODE_ENV === 'development';
const signals = isDevelopment || process.env.PROCESSES === 'single' ? null : new ProgramSignals();

/**
 * `npm start`: a process for each role under a small supervisor, or with PROCESSES=single all of them in this
 * one. The supervisor loads nothing of the program, so only these settings and the folder of the data are read
 * here; they are validated when all settings are.
 */
await holdDataDirOrExit(dataDirOf(process.env));
if (signals) await (await import('./supervisor/supervise.ts')).supervise(() => ensureProgram(ROOT), signals);
else if (isDevelopment) await import('./start/run-single.ts');
else await runSingle();

async function runSingle(): Promise<void> {
  const program = await ensureProgram(ROOT);
  if (program === null) process.exit(1);
  await import(pathToFileURL(join(program, 'run-single.js')).href);
}
