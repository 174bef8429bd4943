import { createHash } from 'node:crypto';

/** Returns the strong ETag of these bytes: another one as soon as they differ. */
export function hashTag(content: string | Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
}
