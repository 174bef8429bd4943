import { AddressCounts } from './address-counts.ts';
import { EventWindows } from './event-windows.ts';
import { addressKey } from './rate-limits.ts';

/** Reads in progress of one bucket, and by one client of all buckets: what is left is for those who have keys. */
const BUCKET_AT_ONCE_MAX = 512;
const CLIENT_AT_ONCE_MAX = 128;
/** The same in a minute. */
const BUCKET_A_MINUTE = { points: 60_000, seconds: 60 };
const CLIENT_A_MINUTE = { points: 6_000, seconds: 60 };

/** Something that closes, at the latest with the connection of its client. */
type Closing = Parameters<AddressCounts['admit']>[1];

/** Bounds how much anyone without a key may read of public buckets. */
export class PublicReads {
  readonly #ofBucket = new AddressCounts(BUCKET_AT_ONCE_MAX, (name) => name);
  readonly #ofClient = new AddressCounts(CLIENT_AT_ONCE_MAX);
  readonly #bucketMinutes = new EventWindows(BUCKET_A_MINUTE);
  readonly #clientMinutes = new EventWindows(CLIENT_A_MINUTE);

  /** Counts one read until `closed` closes. Returns false when there are too many. */
  admit(bucketName: string, address: string | undefined, closed: Closing, now: number): boolean {
    const client = address === undefined ? '' : addressKey(address);
    // The client first: what it asks in excess is no part of what others may ask of the bucket.
    return (
      this.#clientMinutes.count(client, 1, now).events <= CLIENT_A_MINUTE.points &&
      this.#ofClient.admit(address, closed) &&
      this.#bucketMinutes.count(bucketName, 1, now).events <= BUCKET_A_MINUTE.points &&
      this.#ofBucket.admit(bucketName, closed)
    );
  }
}
