import type { IncomingMessage } from 'node:http';
import type { Config } from '../config/config.ts';
import type { App } from '../context.ts';
import { sharedCounter } from '../metrics/shared-metrics.ts';
import { type AppendedLines, appendLines } from './append-lines.ts';
import { type Logger, withoutToken } from './logger.ts';

/** The roles whose requests can be logged. */
const ACCESS_DOORS = ['edge', 'console', 's3'] as const;
export type AccessDoor = (typeof ACCESS_DOORS)[number];

/** A request and its response, as logged. Text from strangers is truncated, and queries are left out. */
export interface AccessEntry {
  address: string;
  method: string;
  host: string;
  /** With or without its query. */
  target: string;
  status: number;
  /** Of the body. */
  bytes: number;
  ms: number;
  referer: string;
  userAgent: string;
  requestId?: string | undefined;
  /** Whether the body came from the edge's memory. */
  isCacheHit?: boolean;
  operation?: string | null;
}

/** Writes lines that nothing waits for. */
export interface AccessLog extends Pick<AppendedLines, 'close'> {
  /** Never throws; a line for which there is no room is counted and dropped. */
  write(entry: AccessEntry): void;
}

/** The parts of the program that the access log uses. */
type AccessLogParts = Pick<App, 'clock' | 'metrics'> & {
  config: Pick<Config, 'accessLog'>;
  logger: Pick<Logger, 'warn'>;
};

const INFO_LEVEL = 30;
const TEXT_MAX = { method: 20, host: 260, path: 1_000, referer: 260, userAgent: 300 };

/** Opens the access log of a role; null when its requests are not logged. */
export async function openAccessLog(
  { clock, config, logger, metrics }: AccessLogParts,
  role: AccessDoor,
): Promise<AccessLog | null> {
  const { doors, file, hasWholeAddresses } = config.accessLog;
  if (!doors.has(role)) return null;
  const dropped = sharedCounter(metrics, {
    name: 'portage_access_log_dropped_total',
    help: 'Lines of the access log for which there was no room, because its file or reader is too slow or cannot be written to.',
    labelNames: ['role'],
  });
  const lines = await appendLines({
    file,
    onDrop: () => dropped.inc({ role }),
    onError: (err) => logger.warn({ err, file }, 'the access log cannot be written'),
  });
  return {
    write(entry) {
      const line = {
        level: INFO_LEVEL,
        time: clock.now(),
        log: 'access',
        role,
        address: hasWholeAddresses ? entry.address : shortenAddress(entry.address),
        method: cut(entry.method, TEXT_MAX.method),
        host: cut(entry.host, TEXT_MAX.host),
        path: cut(withoutToken(withoutQuery(entry.target)), TEXT_MAX.path),
        status: entry.status,
        bytes: entry.bytes,
        ms: Math.round(entry.ms * 10) / 10,
        ...(entry.isCacheHit !== undefined && { cache: entry.isCacheHit ? 'hit' : 'miss' }),
        ...(entry.operation && { operation: entry.operation }),
        ...(entry.requestId !== undefined && { request_id: entry.requestId }),
        ...(entry.referer !== '' && { referer: cut(hostOf(entry.referer), TEXT_MAX.referer) }),
        ...(entry.userAgent !== '' && { user_agent: cut(entry.userAgent, TEXT_MAX.userAgent) }),
      };
      lines.write(`${JSON.stringify(line)}\n`);
    },
    close: () => lines.close(),
  };
}

/** The log entry of a request to node's HTTP server. */
export function requestLine({
  headers,
  method = '',
  url = '',
}: IncomingMessage): Pick<AccessEntry, 'method' | 'host' | 'target' | 'referer' | 'userAgent'> {
  const { host = '', referer = '' } = headers;
  return { method, host, target: url, referer, userAgent: headers['user-agent'] ?? '' };
}

/**
 * Returns the network of an address instead of the address: the first three numbers of IPv4, the first three
 * groups (/48) of IPv6. Enough to distinguish visitors' networks, but not people.
 */
export function shortenAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain.replace(/\.\d{1,3}$/, '.0');
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const right = tail === '' ? [] : tail.split(':');
    while (groups.length + right.length < 8) groups.push('0');
  }
  const network = groups.slice(0, 3);
  while (network.at(-1) === '0') network.pop();
  return `${network.join(':')}::`;
}

function withoutQuery(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark);
}

/** Only the host of the page that a visitor came from; the rest of its address may contain secrets. */
function hostOf(referer: string): string {
  return URL.parse(referer)?.host ?? '';
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}
