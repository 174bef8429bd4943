import type { App } from '#server/context.ts';
import { EventWindows } from '#server/limits/event-windows.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { S3_LIMITS } from '#server/s3/s3-limits.ts';
import { findLimits } from '../../limits/limit-queries.ts';
import { REMOVED_PIECE_KEPT_MS } from '../rules.ts';

/** In a window, everyone may store the largest upload, whatever the limit of their organization. */
const BYTES_MIN = S3_LIMITS.putBytesMax;

/**
 * Bounds what an organization takes of the disk beyond its limit: overwritten and deleted content no longer counts, but
 * stays for an hour, because it may still be being read. Within that hour an organization may store its limit once more.
 */
export class ReceivingPace {
  private readonly app: App;
  private readonly windows = new EventWindows({
    points: BYTES_MIN,
    seconds: REMOVED_PIECE_KEPT_MS / 1_000,
  });

  constructor(app: App) {
    this.app = app;
  }

  /** @throws S3Error SlowDown */
  async take(organizationId: string, bytes: number): Promise<void> {
    const { events } = this.windows.count(organizationId, bytes, this.app.clock.now());
    if (events <= BYTES_MIN) return;
    const { bucket_bytes: limit } = await findLimits(this.app.db, this.app, organizationId);
    if (events > limit + BYTES_MIN) throw new S3Error('SlowDown');
  }

  /** The same for content whose sender does not say how much it is. */
  async *whileComing(
    organizationId: string,
    content: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const bytes of content) {
      await this.take(organizationId, bytes.byteLength);
      yield bytes;
    }
  }
}
