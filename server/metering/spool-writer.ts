import type { UsageSpool } from './usage-spool.ts';

const ADOPT_MS = 60_000;
/**
 * Writing takes at most this fraction of the time, even when an outage has made the batch large; but it is
 * never delayed for long.
 */
const WRITE_SHARE = 20;
const WRITE_PAUSE_MS_MAX = 8_000;

export interface SpoolWriterParts {
  monotonic: () => number;
  /** Between two collections. */
  takeMs: number;
  /** Called when something new is on the disk. */
  onWritten: () => void;
}

/** Writes what was collected; a slow disk makes counts wait in memory and never delays the edge. */
export class SpoolWriter {
  private readonly spool: Pick<UsageSpool, 'look' | 'store'>;
  private readonly parts: SpoolWriterParts;
  private writing: Promise<void> | null = null;
  private writesAgainAt = 0;
  private adoptsAgainAt: number;

  constructor(spool: Pick<UsageSpool, 'look' | 'store'>, parts: SpoolWriterParts) {
    this.spool = spool;
    this.parts = parts;
    this.adoptsAgainAt = parts.monotonic() + ADOPT_MS;
  }

  /** Begins to write, unless the last time still runs or has taken so long that it pauses. */
  writeWhenDue(): void {
    if (this.writing !== null || this.parts.monotonic() < this.writesAgainAt) return;
    this.writing = this.write().finally(() => {
      this.writing = null;
    });
  }

  /** Resolves when nothing is being written. */
  async finish(): Promise<void> {
    await this.writing;
  }

  private async write(): Promise<void> {
    const { monotonic, takeMs, onWritten } = this.parts;
    const startedAt = monotonic();
    const adopts = startedAt >= this.adoptsAgainAt;
    if (adopts) this.adoptsAgainAt = startedAt + ADOPT_MS;
    await this.spool.look({ adopts });
    const storedFrom = monotonic();
    await this.spool.store();
    const pauseMs = Math.min((monotonic() - storedFrom) * WRITE_SHARE, WRITE_PAUSE_MS_MAX);
    this.writesAgainAt = monotonic() + pauseMs - takeMs;
    onWritten();
  }
}
