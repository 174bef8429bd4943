import '../config/load-env-file.ts';
import '../start/process-defaults.ts';
import { runCommand } from './run-command.ts';

/** `npm run operator -- …` */
process.exitCode = await runCommand(process.argv.slice(2), process.env, process);
