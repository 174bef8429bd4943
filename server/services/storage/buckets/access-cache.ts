import type { App } from '#server/context.ts';
import type { S3Access } from '#server/s3/ports.ts';
import { findSigningCredential } from '../../credentials/find-signing-credential.ts';
import { findConsoleAccess, isConsoleKey } from './console-access.ts';

/** Revocation takes effect within five seconds; frequent clients are looked up every two. */
const KEPT_MS = 2_000;
const KEPT_MAX = 10_000;

/** Who signs with which access key, as of a moment ago. */
export class AccessCache {
  private readonly app: App;
  private readonly kept = new Map<string, { at: number; access: Promise<S3Access | null> }>();

  constructor(app: App) {
    this.app = app;
  }

  /** Returns null for a key that does not exist, or is no longer valid. */
  find(accessKeyId: string): Promise<S3Access | null> {
    const now = this.app.clock.now();
    const known = this.kept.get(accessKeyId);
    if (known !== undefined && now - known.at < KEPT_MS && now >= known.at) return known.access;
    const access = isConsoleKey(accessKeyId)
      ? findConsoleAccess(this.app, accessKeyId)
      : findSigningCredential(this.app, accessKeyId);
    this.kept.delete(accessKeyId);
    this.kept.set(accessKeyId, { at: now, access });
    // A failed lookup is repeated.
    access.catch(() => this.kept.delete(accessKeyId));
    if (this.kept.size > KEPT_MAX) this.forget(this.kept.keys().next().value ?? '');
    return access;
  }

  /** Has a key looked up again: what it reaches has changed. */
  forget(accessKeyId: string): void {
    this.kept.delete(accessKeyId);
  }
}
