/** Lines like those of the other processes, without the library that writes theirs. */
export interface SupervisorLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: 100 };

/** Returns the supervisor's log: JSON lines, or a readable one each on a terminal. */
export function createSupervisorLog(level: string): SupervisorLog {
  const lowest = Object.entries(LEVELS).find(([name]) => name === level)?.[1] ?? LEVELS.info;
  const write = (name: 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    if (LEVELS[name] < lowest) return;
    const time = Date.now();
    const line = { level: LEVELS[name], time, process: 'supervisor', ...fields, msg: message };
    process.stdout.write(
      process.stdout.isTTY ? readable(name, fields, message) : `${JSON.stringify(line)}\n`,
    );
  };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

function readable(level: string, fields: object, message: string): string {
  const time = new Date().toTimeString().slice(0, 8);
  const details = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
  return `[${time}] ${level.toUpperCase()} (supervisor): ${message}${details}\n`;
}
