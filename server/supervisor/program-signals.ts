import { isatty } from 'node:tty';

/** What signals ask the program for. */
export interface SignalHandler {
  stop(): void;
  /** Replaces every process with one of the current code. */
  replaceAll(): void;
}

const STDOUT = 1;

/**
 * Takes the signals of the program from its first moment on: by default, a signal to reload would end the supervisor and
 * leave its processes behind. Until somebody handles them, a stop ends the process, and a replacement waits.
 */
export class ProgramSignals {
  private isReplacementWanted = false;
  private handler: SignalHandler = {
    stop: () => process.exit(0),
    replaceAll: () => {
      this.isReplacementWanted = true;
    },
  };

  constructor() {
    process.on('SIGTERM', () => this.handler.stop());
    process.on('SIGINT', () => this.handler.stop());
    process.on('SIGUSR2', () => this.handler.replaceAll());
    // Asked now: a terminal that has been closed is none any more.
    const isOnTerminal = isatty(STDOUT);
    // On a terminal, the person who started this has gone; without one, SIGHUP tells services to reload.
    process.on('SIGHUP', () => (isOnTerminal ? this.handler.stop() : this.handler.replaceAll()));
  }

  handleBy(handler: SignalHandler): void {
    this.handler = handler;
    if (this.isReplacementWanted) handler.replaceAll();
  }
}
