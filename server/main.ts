import './config/load-env-file.ts';
import './start/process-defaults.ts';

/**
 * `npm start`: a process for each role under a small supervisor, or with PROCESSES=single all of them in this
 * one. The supervisor loads nothing of the program, so only these two settings are read here; they are
 * validated when all settings are.
 */
const isSingle = process.env.PROCESSES === 'single' || process.env.NODE_ENV === 'development';
if (isSingle) await import('./start/run-single.ts');
else await (await import('./supervisor/supervise.ts')).supervise();
