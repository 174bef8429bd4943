import { constants, hkdfSync } from 'node:crypto';

/**
 * TLS 1.2 and 1.3 with forward secrecy and authenticated encryption only: Mozilla's "intermediate" list
 * (https://wiki.mozilla.org/Security/Server_Side_TLS, 5.7) without DHE. All of them are secure. AES-128 comes
 * first because it costs least on both sides, and most clients list AES-256 first only by habit; a client that
 * prefers ChaCha20 has no hardware for AES and gets what it asks for.
 */
export const TLS_SETTINGS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  // What else OpenSSL would agree to (P-521, ffdhe3072) costs us up to thirty times as much as X25519, and an
  // attacker nothing, who can send random bytes as a key. Slashes set apart what is preferred even when the client has to be asked again.
  ecdhCurve: 'X25519MLKEM768 / X25519:P-256 / P-384',
  honorCipherOrder: true,
  // A client that could renegotiate on an existing connection would make us sign for free.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_PRIORITIZE_CHACHA,
  sessionTimeout: 6 * 3_600,
} as const;

/** The same on every node and in every context, so that a session begun at one can be resumed at another. */
export const SESSION_ID_CONTEXT = 'portage-edge';

const DAY_MS = 86_400_000;

/**
 * Returns the key of today's session tickets, the same on every node with the same `secret`; yesterday's
 * tickets are no longer accepted.
 */
export function ticketKeysOf(secret: Buffer, now: number): Buffer {
  const day = Math.floor(now / DAY_MS);
  return Buffer.from(hkdfSync('sha256', secret, 'session tickets', `day ${day}`, 48));
}
