import { ConfigError } from '../config/config.ts';
import { pidFileOf } from '../start/start-plan.ts';
import { findSupervisor } from '../supervisor/pid-file.ts';
import { type Command, command } from './command.ts';

export const processCommands: readonly Command[] = [
  command({
    name: 'restart',
    summary:
      'Replace every process of this DATA_DIR by one of the code and settings in place now, with no request lost',
    run: async ({ app }) => {
      const supervisor = findSupervisor(pidFileOf(app.config));
      if (supervisor === null) {
        throw new ConfigError(
          'DATA_DIR names no running supervisor. With PROCESSES=single, stop the program and start it again.',
        );
      }
      // SIGHUP would stop a supervisor that runs in a terminal.
      process.kill(supervisor, 'SIGUSR2');
      return { supervisor };
    },
    show: ({ supervisor }) =>
      `Process ${supervisor} replaces the others one after another. Its log says "every process was replaced" at the end.`,
  }),
];
