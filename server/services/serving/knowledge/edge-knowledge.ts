import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { HOUR_MS, MINUTE_MS } from '#server/durations.ts';
import type { Manifest } from '#server/edge/manifest.ts';
import type { EdgeVersion } from '#server/edge/ports.ts';
import { isOutage } from '#server/outage.ts';
import type { EdgeChange } from '../../edge-changes/edge-changes.ts';
import type { SealedCertificate } from '../find-edge-certificate.ts';
import { type KnownHost, siteIdOf } from '../known-host.ts';
import { type ChangeMarks, hostSubject, siteSubject } from './change-marks.ts';
import type { KnowledgeFolder } from './knowledge-folder.ts';
import { LateWork } from './late-work.ts';
import { readVersion, versionLines } from './version-lines.ts';

/** Where what is kept comes from, and is brought up to date from after a change. */
export interface KnowledgeSources {
  findHost(hostname: string): Promise<KnownHost | null>;
  findCertificate(hostname: string): Promise<SealedCertificate | null>;
  loadVersion(versionId: string): Promise<EdgeVersion | null>;
}

export interface EdgeKnowledgeParts {
  readonly folder: KnowledgeFolder;
  readonly marks: ChangeMarks;
  readonly sources: KnowledgeSources;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  readonly pace?: KnowledgePace;
}

/** Tests need not wait. */
export interface KnowledgePace {
  /** Between learning something and writing it: what else is learnt with it is written with it. */
  readonly writeAfterMs: number;
  readonly pauseMs: number;
  /** Between a change and asking for its result, unless a visitor has asked before. */
  readonly refreshAfterMs: () => number;
  /** From there until that is checked once more: another edge may have learnt of the change late. */
  readonly checkAfterMs: number;
}

/** Edges of a machine wait for different times, so that the second finds what the first has written. */
const PACE: KnowledgePace = {
  writeAfterMs: 1_000,
  pauseMs: 1,
  refreshAfterMs: () => 2_000 + Math.random() * 3_000,
  checkAfterMs: 10_000,
};

/** What is kept is written again this often while it is in use, so that it stays trusted and is not evicted. */
const WRITE_AGAIN_MS = HOUR_MS;
const REMEMBERED_MAX = 20_000;
const WAITING_MAX = 2_000;
/** After an error of the disk, nothing is written for a while. */
const REST_MS = MINUTE_MS;
/** How far the edges may exceed the limits, each of them. */
const TIDY_AFTER_BYTES = 32 * 1024 ** 2;
/** Versions that were loaded last: one that is to be written is probably among them. */
const JUST_LOADED_MAX = 50;

type Named = 'hosts' | 'certificates';

/** What this process has written, or found written. */
interface Written {
  readonly kind: Named;
  readonly name: string;
  readonly siteId: string | null;
  readonly print: string;
  readonly at: number;
}

/** Sites and hostnames that were changed. */
class Changed {
  readonly sites = new Set<string>();
  readonly hostnames = new Set<string>();

  has({ kind, name, siteId }: Pick<Written, 'kind' | 'name' | 'siteId'>): boolean {
    if ((siteId !== null && this.sites.has(siteId)) || this.hostnames.has(name)) return true;
    return kind === 'certificates' && this.hostnames.has(wildcardAbove(name));
  }
}

/** A version whose manifest is there as long as the edge has it in memory. */
interface LoadedVersion {
  readonly head: Omit<EdgeVersion, 'files'>;
  readonly files: WeakRef<Manifest>;
}

/** A record on the disk, and when the database was asked for it. */
interface Kept<T> {
  readonly askedAt: number;
  readonly value: T;
}

/**
 * What the edges of a machine have learnt, shared through its disk for when the database does not answer: live
 * sites and redirects, their versions, and certificates with their keys as sealed in the database. Nothing is
 * read from it while the database answers, and no request waits for it to be written.
 */
export class EdgeKnowledge {
  private readonly parts: EdgeKnowledgeParts;
  private readonly pace: KnowledgePace;
  private readonly work: LateWork;
  private readonly written = new LRUCache<string, Written>({ max: REMEMBERED_MAX });
  private readonly justLoaded = new LRUCache<string, LoadedVersion>({ max: JUST_LOADED_MAX });
  /** Since the last time that changes were asked for. */
  private changed = new Changed();
  private readonly timers = new Set<NodeJS.Timeout>();
  private restsUntil = 0;

  constructor(parts: EdgeKnowledgeParts) {
    this.parts = parts;
    this.pace = parts.pace ?? PACE;
    this.work = new LateWork({
      ...{ delayMs: this.pace.writeAfterMs, pauseMs: this.pace.pauseMs, waitingMax: WAITING_MAX },
      onError: (error) => this.rest(error),
    });
    this.tidyLater();
  }

  /**
   * Keeps what a hostname leads to; previews and hostnames that lead nowhere are not kept.
   * @param askedAt when the database was asked
   */
  noteHost(hostname: string, host: KnownHost | null, askedAt: number): void {
    const kept = host?.kind === 'preview' ? null : host;
    if (!this.note({ kind: 'hosts', name: hostname, siteId: kept && siteIdOf(kept) }, kept, askedAt)) return;
    if (kept?.kind !== 'site' || kept.versionId === null) return;
    // A host without its version is of no use: the next lookup tries again.
    if (!this.keepVersion(kept.versionId)) this.written.delete(`hosts ${hostname}`);
  }

  /** The same for the certificate of a TLS server name. */
  noteCertificate(name: string, certificate: SealedCertificate | null, askedAt: number): void {
    this.note({ kind: 'certificates', name, siteId: null }, certificate, askedAt);
  }

  /** A version was loaded: if it is live, it is written without being loaded again. */
  noteVersion({ files, ...head }: EdgeVersion): void {
    this.justLoaded.set(head.id, { head, files: new WeakRef(files) });
  }

  /** Returns the kept host of a hostname if it may be used, else null. */
  async recallHost(hostname: string): Promise<KnownHost | null> {
    const kept = await this.read<KnownHost>('hosts', hostname);
    if (kept === null) return null;
    const siteId = siteIdOf(kept.value);
    const subjects = [hostSubject(hostname), ...(siteId === null ? [] : [siteSubject(siteId)])];
    return (await this.parts.marks.isCurrent(kept.askedAt, subjects)) ? kept.value : null;
  }

  async recallCertificate(name: string): Promise<SealedCertificate | null> {
    const kept = await this.read<SealedCertificate>('certificates', name);
    const subjects = [hostSubject(name), hostSubject(wildcardAbove(name))];
    return kept && (await this.parts.marks.isCurrent(kept.askedAt, subjects)) ? kept.value : null;
  }

  /** Versions never change, so one that is kept may be used whenever a host leads to it. */
  async recallVersion(versionId: string): Promise<EdgeVersion | null> {
    for (const name of [wholeName(versionId), partName(versionId)]) {
      const text = await this.parts.folder.read('versions', name).catch(() => null);
      if (text !== null) return readVersion(text);
    }
    return null;
  }

  /** Something was changed: what was learnt before is not used any more, and learnt again soon. */
  noteChange(change: EdgeChange): void {
    this.parts.marks.mark(change);
    this.tidyWhenDue();
    const { sites, hostnames } = this.changed;
    if (sites.size + hostnames.size === 0)
      this.later(this.pace.refreshAfterMs(), () => this.refreshChanged());
    if (change.site_id !== null) sites.add(change.site_id);
    if (change.hostname !== null) hostnames.add(change.hostname);
  }

  /** Resolves when everything that waits is written. */
  async idle(): Promise<void> {
    await this.parts.marks.idle();
    await this.work.idle();
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer);
    await this.work.stop();
    await this.parts.marks.idle();
  }

  /** Returns whether it is to be written. */
  private note(
    { kind, name, siteId }: { kind: Named; name: string; siteId: string | null },
    value: object | null,
    askedAt: number,
  ): boolean {
    const key = `${kind} ${name}`;
    if (value === null) {
      this.forget(kind, name, key);
      return false;
    }
    const text = JSON.stringify(value);
    const print = printOf(text);
    const known = this.written.get(key);
    const isFresh = known?.print === print && askedAt - known.at < WRITE_AGAIN_MS;
    if ((isFresh && !this.changed.has({ kind, name, siteId })) || this.isResting()) return false;
    const line = `{"askedAt":${askedAt},"value":${text}}`;
    const isAdded = this.work.add(key, () => this.parts.folder.write(kind, name, [line]));
    if (isAdded) this.written.set(key, { kind, name, siteId, print, at: askedAt });
    this.tidyWhenDue();
    return isAdded;
  }

  /**
   * Names that lead nowhere are countless, so their files are looked for only while there is little to do:
   * what another edge has kept of one that led somewhere is marked as changed.
   */
  private forget(kind: Named, name: string, key: string): void {
    const isKnown = this.written.delete(key);
    if (!isKnown && this.work.size > WAITING_MAX / 2) return;
    this.work.add(key, () => this.parts.folder.remove(kind, name));
  }

  /** Returns whether it is to be written. */
  private keepVersion(versionId: string): boolean {
    const { folder, sources } = this.parts;
    return this.work.add(`version ${versionId}`, async () => {
      const loaded = this.takeLoaded(versionId);
      if (await folder.touch('versions', wholeName(versionId))) return;
      const version = loaded ?? (await whileAnswering(() => sources.loadVersion(versionId)));
      if (!version) return;
      const isWhole = (version.copiesAfter ?? null) === null;
      const name = isWhole ? wholeName(versionId) : partName(versionId);
      await folder.write('versions', name, versionLines(version));
      if (isWhole) await folder.remove('versions', partName(versionId));
    });
  }

  private takeLoaded(versionId: string): EdgeVersion | null {
    const loaded = this.justLoaded.get(versionId);
    this.justLoaded.delete(versionId);
    const files = loaded?.files.deref();
    return loaded && files ? { ...loaded.head, files } : null;
  }

  private refreshChanged(): void {
    const { changed } = this;
    this.changed = new Changed();
    this.refreshOutdated(changed);
    this.later(this.pace.checkAfterMs, () => this.refreshOutdated(changed));
  }

  private refreshOutdated(changed: Changed): void {
    for (const [key, written] of [...this.written.entries()]) {
      const { kind, name } = written;
      if (changed.has(written)) this.work.add(`refresh ${key}`, () => this.refresh(key, kind, name));
    }
  }

  /** Asks for what has changed, unless a visitor or another edge has done so since. */
  private async refresh(key: string, kind: Named, name: string): Promise<void> {
    const { sources, now } = this.parts;
    if (kind === 'hosts') {
      if (await this.recallHost(name)) return;
      this.written.delete(key);
      const askedAt = now();
      const host = await whileAnswering(() => sources.findHost(name));
      if (host !== undefined) this.noteHost(name, host, askedAt);
    } else {
      if (await this.recallCertificate(name)) return;
      this.written.delete(key);
      const askedAt = now();
      const certificate = await whileAnswering(() => sources.findCertificate(name));
      if (certificate !== undefined) this.noteCertificate(name, certificate, askedAt);
    }
  }

  private async read<T>(kind: Named, name: string): Promise<Kept<T> | null> {
    // Damaged or not readable: it is not known.
    const text = await this.parts.folder.read(kind, name).catch(() => null);
    return text === null ? null : asKept<T>(JSON.parse(text));
  }

  private later(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      run();
    }, ms).unref();
    this.timers.add(timer);
  }

  private isResting(): boolean {
    return this.parts.now() < this.restsUntil;
  }

  private rest(error: unknown): void {
    this.restsUntil = this.parts.now() + REST_MS;
    // What was to be written may not have been.
    this.written.clear();
    this.parts.onError(error);
  }

  private tidyWhenDue(): void {
    if (this.parts.folder.bytesWritten > TIDY_AFTER_BYTES) this.tidyLater();
  }

  /** Removes what is too much. */
  private tidyLater(): void {
    const { folder, marks } = this.parts;
    folder.bytesWritten = 0;
    this.work.add('tidy', async () => {
      await folder.tidy();
      for (const kind of ['hosts', 'certificates', 'versions'] as const) await folder.evict(kind);
      await marks.prune();
    });
  }
}

/** Returns the result of a query, or undefined while the database does not answer. */
async function whileAnswering<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!isOutage(error)) throw error;
    return undefined;
  }
}

/** Safe: the file is authenticated, and its form is part of that. */
function asKept<T>(parsed: unknown): Kept<T> {
  return parsed as Kept<T>;
}

/** Two names, because a version gets encoded copies after it has gone live. */
const wholeName = (versionId: string) => `${versionId} whole`;
const partName = (versionId: string) => `${versionId} part`;

function wildcardAbove(hostname: string): string {
  return `*${hostname.slice(hostname.indexOf('.'))}`;
}

function printOf(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 16);
}
