import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { KEEPALIVE_STATEMENTS, loadPg } from './dialects/postgres.ts';

const AGAIN_MS = 10_000;
const CONNECTION_MS = 10_000;
const GOODBYE_MS = 1_000;

/**
 * Calls `onNotice` when a transaction that notified a channel is committed, by any connection to the
 * database. A notice may be lost, as while a connection is reopened or behind a pooler that passes none on,
 * so callers also poll. On SQLite, which has no notices, nothing happens. Returns a function that ends it.
 */
export function listen(
  url: string,
  channel: string,
  onNotice: () => void,
  againMs = AGAIN_MS,
): () => Promise<void> {
  if (url.startsWith('sqlite:')) return async () => undefined;
  const { Client } = loadPg();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;
  const open = () => {
    const opened = new Client({
      ...{ connectionString: url, connectionTimeoutMillis: CONNECTION_MS },
      ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
    });
    client = opened;
    opened.on('notification', onNotice);
    // What breaks a connection also ends it.
    opened.on('error', () => undefined);
    opened.once('end', () => {
      if (isStopped) return;
      timer = setTimeout(open, againMs);
      timer.unref();
    });
    opened
      .connect()
      .then(() => opened.query(`${KEEPALIVE_STATEMENTS}; listen ${channel}`))
      .catch(() => opened.end().catch(() => undefined));
  };
  open();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    // A server that does not answer does not say goodbye either.
    await Promise.race([client?.end().catch(() => undefined), sleep(GOODBYE_MS, null, { ref: false })]);
  };
}
