import { LRUCache } from 'lru-cache';
import { runForAsker } from '#db/asker.ts';
import type { App } from '#server/context.ts';
import type { S3Access } from '#server/s3/ports.ts';
import { findSigningCredential } from '../../credentials/find-signing-credential.ts';
import { findConsoleAccess, isConsoleKey } from './console-access.ts';

/** Revocation takes effect within five seconds; frequent clients are looked up every two. */
const KEPT_MS = 2_000;
const KEPT_MAX = 10_000;

interface Lookup {
  readonly at: number;
  readonly access: Promise<S3Access | null>;
}

/** Who signs with which access key, as of a moment ago. */
export class AccessCache {
  private readonly app: App;
  /** Keys that were valid when they were last looked up, with the organization that looks them up again. */
  private readonly known: LRUCache<string, Lookup & { ownerId: string }>;
  /** All others: made-up keys, however many, remove no valid one. */
  private readonly others: LRUCache<string, Lookup>;

  constructor(app: App, max = KEPT_MAX) {
    this.app = app;
    this.known = new LRUCache({ max });
    this.others = new LRUCache({ max });
  }

  /**
   * Returns null for a key that does not exist, or is no longer valid. A key is first looked up for whoever presents
   * it, who has not proved yet to hold its secret, and from then on for its organization.
   */
  find(accessKeyId: string): Promise<S3Access | null> {
    const now = this.app.clock.now();
    const known = this.known.get(accessKeyId);
    const last = known ?? this.others.get(accessKeyId);
    if (last !== undefined && now - last.at < KEPT_MS && now >= last.at) return last.access;
    const lookUp = () => this.lookUp(accessKeyId);
    const lookup = { at: now, access: known ? runForAsker(known.ownerId, lookUp) : lookUp() };
    if (known) this.known.set(accessKeyId, { ...lookup, ownerId: known.ownerId });
    else this.others.set(accessKeyId, lookup);
    const settle = (ownerId: string | null, isFailed = false) => {
      const latest = this.known.peek(accessKeyId) ?? this.others.peek(accessKeyId);
      if (latest?.access !== lookup.access) return;
      this.forget(accessKeyId);
      if (ownerId !== null) this.known.set(accessKeyId, { ...lookup, ownerId });
      else if (!isFailed) this.others.set(accessKeyId, lookup);
    };
    // A failed lookup is repeated.
    lookup.access.then(
      (access) => settle(access?.ownerId ?? null),
      () => settle(null, true),
    );
    return lookup.access;
  }

  /** Has a key looked up again: what it reaches has changed. */
  forget(accessKeyId: string): void {
    this.known.delete(accessKeyId);
    this.others.delete(accessKeyId);
  }

  private lookUp(accessKeyId: string): Promise<S3Access | null> {
    return isConsoleKey(accessKeyId)
      ? findConsoleAccess(this.app, accessKeyId)
      : findSigningCredential(this.app, accessKeyId);
  }
}
