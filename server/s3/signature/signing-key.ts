import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

export const ALGORITHM = 'AWS4-HMAC-SHA256';
export const SERVICE = 's3';
export const TERMINATOR = 'aws4_request';
/** In place of a payload's hash: its bytes are not signed. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
/** The kinds of chunks that S3 has. */
export const STREAMED_PAYLOADS: readonly string[] = [
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD',
  'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER',
];

/** What a signature is valid for: a day, a region, this service. */
export interface CredentialScope {
  /** YYYYMMDD. */
  readonly day: string;
  readonly region: string;
}

export function scopeText({ day, region }: CredentialScope): string {
  return `${day}/${region}/${SERVICE}/${TERMINATOR}`;
}

/** Derives the key of a day and region ("Signature Version 4 signing process", step 3). */
export function signingKey(secretKey: string, { day, region }: CredentialScope): KeyObject {
  const steps = [day, region, SERVICE, TERMINATOR];
  const bytes = steps.reduce<Buffer>(
    (key, step) => createHmac('sha256', key).update(step).digest(),
    Buffer.from(`AWS4${secretKey}`),
  );
  // Node makes one of bytes at each signature, which takes longer than signing.
  return createSecretKey(bytes);
}

/** The last key of each holder of a secret: clients sign for one region, for a day. */
const lastKeys = new WeakMap<object, { scope: string; key: KeyObject }>();

/** Returns the same as signingKey, derived only when the holder signs for another day or region than before. */
export function signingKeyOf(holder: { readonly secretKey: string }, scope: CredentialScope): KeyObject {
  const text = scopeText(scope);
  const last = lastKeys.get(holder);
  if (last?.scope === text) return last.key;
  const key = signingKey(holder.secretKey, scope);
  lastKeys.set(holder, { scope: text, key });
  return key;
}

/** Returns what is signed for a request: the hash of its canonical form, when and for what. */
export function stringToSign(date: string, scope: CredentialScope, canonicalHash: string): string {
  return [ALGORITHM, date, scopeText(scope), canonicalHash].join('\n');
}

/** Returns the signature of a text in hex. */
export function signText(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content);
}

/** Whether a text is a SHA-256 in hex. */
export function isSha256Hex(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Returns a time as `YYYYMMDDTHHMMSSZ`. */
export function writeAmzDate(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/** Parses `YYYYMMDDTHHMMSSZ`. Null for anything else. */
export function readAmzDate(text: string): number | null {
  const match = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second] = match;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at;
}
