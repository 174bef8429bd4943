import { HOUR_MS } from '#server/durations.ts';
import type { EdgeChange } from '../../edge-changes/edge-changes.ts';
import type { KnowledgeFolder } from './knowledge-folder.ts';
import { LateWork } from './late-work.ts';

/** What was learnt before is no longer used. The log of changes goes back a little further. */
const TRUSTED_MS = 23 * HOUR_MS;
const KEPT_MS = 25 * HOUR_MS;
const WAITING_MAX = 10_000;
const EVERYTHING = 'everything';
const POSITION = 'position';

export interface ChangeMarksParts {
  readonly folder: KnowledgeFolder;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** The mark for everything is kept apart, so that it is never evicted. */
const kindOf = (subject: string) => (subject === EVERYTHING ? 'position' : 'changes');

/** The names under which a change of a site or hostname is marked. */
export const siteSubject = (siteId: string) => `site ${siteId}`;
export const hostSubject = (hostname: string) => `host ${hostname}`;

/**
 * When sites and hostnames were last changed, as the edges of a machine were told. What was asked of the
 * database at that moment or before may describe the time before the change, whoever asked, so it is not used.
 * All edges share the machine's clock.
 */
export class ChangeMarks {
  private readonly parts: ChangeMarksParts;
  private readonly work: LateWork;
  /** Set when a change could not be marked and nothing could be removed either. */
  private isBroken = false;

  constructor(parts: ChangeMarksParts) {
    this.parts = parts;
    this.work = new LateWork({
      ...{ delayMs: 0, pauseMs: 0, waitingMax: WAITING_MAX },
      onError: parts.onError,
    });
  }

  /** Marks a change in the background; `idle` resolves when that is done. */
  mark({ site_id, hostname }: EdgeChange): void {
    if (site_id !== null) this.markSubject(siteSubject(site_id));
    if (hostname !== null) this.markSubject(hostSubject(hostname));
  }

  /** Everything may have changed. */
  markEverything(): void {
    this.markSubject(EVERYTHING);
  }

  /** Stores, after all marks so far, that the log of changes has been followed to this sequence. */
  followed(sequence: number): void {
    this.work.add(POSITION, () => this.parts.folder.write('position', '', [String(sequence)]));
  }

  /** Returns how far the log of changes has been followed on this machine; null when that is not known. */
  async findPosition(): Promise<number | null> {
    const text = await this.parts.folder.read('position', '').catch(() => null);
    const sequence = Number(text?.trim() || Number.NaN);
    return Number.isSafeInteger(sequence) && sequence >= 0 ? sequence : null;
  }

  /** Whether what was asked at this time is recent, and none of these subjects has changed since. */
  async isCurrent(askedAt: number, subjects: readonly string[]): Promise<boolean> {
    const now = this.parts.now();
    await this.work.idle();
    if (this.isBroken || !(askedAt <= now && now - askedAt < TRUSTED_MS)) return false;
    for (const subject of [EVERYTHING, ...subjects]) {
      if (askedAt <= (await this.changedAt(subject))) return false;
    }
    return true;
  }

  idle(): Promise<void> {
    return this.work.idle();
  }

  /**
   * Removes marks that are older than everything that is used. When there are too many, the oldest are replaced by
   * one for everything. What is in use is learnt again every hour and is therefore newer.
   */
  async prune(): Promise<void> {
    const { folder } = this.parts;
    await folder.removeOlder('changes', KEPT_MS);
    await folder.evict('changes', async (newest) => {
      if (newest > (await this.changedAt(EVERYTHING))) await this.write(EVERYTHING, Math.ceil(newest));
    });
  }

  private markSubject(subject: string): void {
    const at = this.parts.now();
    const mark = () => this.write(subject, at);
    if (!this.work.add(subject, mark)) void this.dropAll().catch(this.parts.onError);
  }

  private async write(subject: string, at: number): Promise<void> {
    try {
      await this.parts.folder.write(kindOf(subject), subject, [String(at)]);
    } catch (error) {
      await this.dropAll();
      throw error;
    }
  }

  /** Nothing that was learnt until now is used any more. */
  private async dropAll(): Promise<void> {
    const { folder } = this.parts;
    try {
      await folder.clear('hosts');
      await folder.clear('certificates');
    } catch (error) {
      this.isBroken = true;
      throw error;
    }
  }

  /** A mark that cannot be read stands for a change that has just happened. */
  private async changedAt(subject: string): Promise<number> {
    try {
      const text = await this.parts.folder.read(kindOf(subject), subject);
      if (text === null) return Number.NEGATIVE_INFINITY;
      const at = Number(text);
      return Number.isFinite(at) ? at : Number.POSITIVE_INFINITY;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }
}
