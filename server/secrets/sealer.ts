import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 'v1';

/**
 * Encrypts secrets at rest. `associated` (a row id) binds a sealed text to its place: moved elsewhere, it
 * does not open.
 */
export interface Sealer {
  /** Identifies the master key without revealing it. */
  readonly keyId: string;
  seal(plain: string, associated: string): string;
  /** @throws when the text was sealed under another key or for another row, or was altered */
  open(sealed: string, associated: string): string;
  /** Derives a key for another purpose (cookie signing) from the same master key. */
  deriveKey(purpose: string): Buffer;
}

/**
 * Returns a sealer on AES-256-GCM under a key derived from the 32-byte master key. Sealed texts are
 * `v1.{key id}.{nonce}.{ciphertext and tag}` in base64url, so that a later rotation can find the key that sealed them.
 */
export function createSealer(masterKey: Buffer): Sealer {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', masterKey, 'portage', purpose, 32));
  const key = derive('seal');
  const keyId = derive('key-id').subarray(0, 6).toString('base64url');
  return {
    keyId,
    seal(plain, associated) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(associated));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return [VERSION, keyId, nonce.toString('base64url'), body.toString('base64url')].join('.');
    },
    open(sealed, associated) {
      const [version, id, nonce, body] = sealed.split('.');
      if (version !== VERSION || id !== keyId || !nonce || !body) throw new Error('sealed under another key');
      const bytes = Buffer.from(body, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'))
        .setAAD(Buffer.from(associated))
        .setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8');
    },
    deriveKey: derive,
  };
}
