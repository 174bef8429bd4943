import { ConfigError } from '../config/config.ts';
import { pidFileOf } from '../start/start-plan.ts';
import { findSupervisor } from '../supervisor/pid-file.ts';
import { type Command, command } from './command.ts';

export const processCommands: readonly Command[] = [
  command({
    name: 'restart',
    summary:
      'Replace every process of this DATA_DIR with one that runs the current code, without losing a request; changed settings need a stop and a start',
    run: async ({ app }) => {
      const supervisor = findSupervisor(pidFileOf(app.config));
      if (supervisor === null) {
        throw new ConfigError(
          'DATA_DIR has no running supervisor. With PROCESSES=single, stop the program and start it again.',
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
