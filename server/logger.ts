import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Keys whose values never reach a log line, wherever they appear up to two levels deep. */
const SECRET_KEYS = [
  'secret',
  'secret_key',
  'password',
  'authorization',
  'cookie',
  'set-cookie',
  'client_secret',
  'token',
];

/** Returns the structured logger: JSON lines, secrets removed. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const paths = SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);
  return pino(
    { level, base: null, redact: { paths, censor: '[removed]' } },
    destination ?? pino.destination(1),
  );
}
