import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Lines like those of the other processes, without the library that writes theirs. */
export interface SupervisorLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: 100 };

const STDOUT = 1;
/** How often, and how many times, a line is offered to a reader that is too slow. */
const TRY_EVERY_MS = 100;
const TRIES = 50;

/** Returns the supervisor's log: JSON lines, or a readable one each on a terminal. */
export function createSupervisorLog(level: string): SupervisorLog {
  const isOnTerminal = isatty(STDOUT);
  const lowest = Object.entries(LEVELS).find(([name]) => name === level)?.[1] ?? LEVELS.info;
  const write = (name: 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    if (LEVELS[name] < lowest) return;
    const time = Date.now();
    const line = { level: LEVELS[name], time, process: 'supervisor', ...fields, msg: message };
    writeLine(isOnTerminal ? readable(name, fields, message) : `${JSON.stringify(line)}\n`);
  };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

/**
 * Writes a line. One that cannot be written, as on a full disk or without a reader, is lost: everything else ends with the
 * supervisor, and with its stream an error that nobody handles would end it.
 */
function writeLine(line: string, tries = TRIES): void {
  try {
    writeSync(STDOUT, line);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN' && tries > 1) setTimeout(writeLine, TRY_EVERY_MS, line, tries - 1).unref();
  }
}

function readable(level: string, fields: object, message: string): string {
  const time = new Date().toTimeString().slice(0, 8);
  const details = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
  return `[${time}] ${level.toUpperCase()} (supervisor): ${message}${details}\n`;
}
