import { newId } from '../ids.ts';
import { createLogThrottle } from '../logging/log-throttle.ts';
import type { Logger } from '../logging/logger.ts';
import type { S3Bucket, S3ResponseRecord } from '../s3/ports.ts';
import type { StorageBatch, StorageCounts } from '../services/usage/apply-storage-batch.ts';
import { dayOf } from '../services/usage/rules.ts';

export interface StorageMeter {
  /** Adds one response to what its bucket transferred today. */
  count(bucket: S3Bucket, response: S3ResponseRecord): void;
  /** Sends what is left. */
  stop(): Promise<void>;
}

const SEND_MS = 2_000;
/** Attempts to send what is left when the process ends. */
const LAST_ATTEMPTS = 3;
const LAST_PAUSE_MS = 250;
/** All S3 services of an installation; their runs tell them apart. */
const NODE_ID = 's3';

/**
 * Counts what the S3 service answers, and sends it every two seconds. A batch that was sent and not confirmed
 * is sent again under the same number, and counted once. It needs no place on the disk: without the database
 * the service answers nothing that counts, so an outage costs nothing and a crash costs the last seconds.
 */
export function createStorageMeter(parts: {
  apply(batch: StorageBatch): Promise<unknown>;
  logger: Logger;
  /** Epoch milliseconds. */
  now(): number;
  sendMs?: number;
}): StorageMeter {
  const place = { node_id: NODE_ID, boot_id: newId() };
  const mayLog = createLogThrottle(() => performance.now());
  let counts = new Map<string, StorageCounts>();
  let unconfirmed: StorageBatch | null = null;
  let sequence = 0;
  let sending: Promise<boolean> | null = null;

  /** Sends waiting usage; returns whether everything counted before has been applied. */
  const send = async (): Promise<boolean> => {
    if (unconfirmed === null) {
      if (counts.size === 0) return true;
      sequence += 1;
      unconfirmed = { ...place, sequence, rows: [...counts.values()] };
      counts = new Map();
    }
    try {
      await parts.apply(unconfirmed);
      unconfirmed = null;
      return counts.size === 0;
    } catch (error) {
      if (mayLog('send'))
        parts.logger.warn({ err: error }, 'usage of buckets cannot be written now; it will be written later');
      return false;
    }
  };
  const sendNext = (): Promise<boolean> => {
    sending ??= send().finally(() => {
      sending = null;
    });
    return sending;
  };
  const timer = setInterval(() => void sendNext(), parts.sendMs ?? SEND_MS).unref();

  return {
    count(bucket, { status, bytesIn, bytesOut }) {
      const day = dayOf(parts.now());
      const key = `${bucket.id} ${day}`;
      const row = counts.get(key) ?? {
        bucket_id: bucket.id,
        organization_id: bucket.ownerId,
        bucket_name: bucket.name,
        day,
        requests: 0,
        bytes_received: 0,
        bytes_sent: 0,
        refused_requests: 0,
      };
      counts.set(key, row);
      if (isRefusal(status)) {
        row.refused_requests += 1;
        return;
      }
      row.requests += 1;
      row.bytes_received += countable(bytesIn);
      row.bytes_sent += countable(bytesOut);
    },
    async stop() {
      clearInterval(timer);
      for (let attempt = 1; attempt <= LAST_ATTEMPTS; attempt += 1) {
        if (await sendNext()) return;
        await new Promise((resolve) => setTimeout(resolve, LAST_PAUSE_MS));
      }
      if (unconfirmed !== null || counts.size > 0) {
        parts.logger.error('usage of buckets that the database did not accept is lost');
      }
    },
  };
}

/**
 * Not charged to the customer: our own refusals, and failures. A 404 for a missing key is a response like any
 * other.
 */
function isRefusal(status: number): boolean {
  return status === 403 || status >= 500;
}

/** A length that a client made up is not counted. */
function countable(bytes: number): number {
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : 0;
}
