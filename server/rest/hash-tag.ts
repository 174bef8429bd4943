import { createHash } from 'node:crypto';

/** Returns the strong ETag of these bytes: it differs whenever they do. */
export function hashTag(content: string | Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
}
