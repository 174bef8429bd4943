import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino } from 'pino';
import { standardOutput } from './standard-output.ts';

export type { Logger };

/** Keys whose values never reach a log line, up to two levels deep. */
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

/**
 * Returns the destination of log lines on a terminal: one readable line each, for the person who has just
 * typed `npm start`.
 */
export function prettyDestination(): DestinationStream {
  // Only needed on a terminal, and thirty modules large.
  const pretty: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty');
  return pretty({
    colorize: true,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    destination: standardOutput(),
  });
}

/** Returns an address without its token, which would grant access. */
export function withoutToken(path: string): string {
  return path.replace(/(\/(?:invitations|reset-password|verify-email)\/)[^/]+/, '$1[removed]');
}

/**
 * Returns the structured logger: JSON lines, secrets removed.
 * @param process its name, when there are several
 */
export function createLogger(level: string, destination?: DestinationStream, process?: string): Logger {
  const paths = SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);
  return pino(
    {
      level,
      base: process === undefined ? null : { process },
      redact: { paths, censor: '[removed]' },
      formatters: {
        log: (fields) =>
          typeof fields.path === 'string' ? { ...fields, path: withoutToken(fields.path) } : fields,
      },
    },
    destination ?? standardOutput(),
  );
}
