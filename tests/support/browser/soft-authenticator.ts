import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What a test can make go wrong. */
interface Flaws {
  origin?: string;
  isUserVerified?: boolean;
  /** The claimed attestation; `x5c` claims a certificate. */
  format?: string;
  statement?: Buffer;
}

interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  user?: { id: string };
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;
const EMPTY_MAP = Buffer.from([0xa0]);

/**
 * An authenticator in software, with the interface that browsers use: it creates one passkey (ES256) and
 * signs with it.
 */
export function softAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  let counter = 0;
  let holder = Buffer.from('nobody').toString('base64url');

  const clientDataOf = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));
  const authenticatorData = (rpId: string, flags: number, rest = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count, rest]);
  };
  const verifiedFlag = ({ isUserVerified = true }: Flaws) => (isUserVerified ? USER_VERIFIED : 0);

  return {
    id: id.toString('base64url'),

    /** Sets the use count that it reports. */
    count(uses: number) {
      counter = uses;
    },

    /** Responds to the options of a registration. */
    make(options: Record<string, unknown>, flaws: Flaws = {}) {
      const { challenge, rp, user } = options as unknown as Options;
      holder = user?.id ?? holder;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKeyOf(publicKey)]);
      const flags = USER_PRESENT | verifiedFlag(flaws) | HAS_CREDENTIAL;
      const data = authenticatorData(rp?.id ?? '', flags, credential);
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        ...[text('fmt'), text(flaws.format ?? 'none')],
        ...[text('attStmt'), flaws.statement ?? EMPTY_MAP],
        ...[text('authData'), bytes(data)],
      ]);
      return {
        ...{ id: this.id, rawId: this.id, type: 'public-key' as const },
        response: {
          clientDataJSON: clientDataOf('webauthn.create', challenge, flaws.origin ?? origin).toString(
            'base64url',
          ),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      };
    },

    /** Responds to the options of a sign-in. */
    use(options: Record<string, unknown>, flaws: Flaws = {}) {
      const { challenge, rpId = '' } = options as unknown as Options;
      const clientData = clientDataOf('webauthn.get', challenge, flaws.origin ?? origin);
      const data = authenticatorData(rpId, USER_PRESENT | verifiedFlag(flaws));
      const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
      return {
        ...{ id: this.id, rawId: this.id, type: 'public-key' as const },
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
          userHandle: holder,
        },
      };
    },
  };
}

/** A CBOR map with an unrequested certificate chain in it. */
export const CERTIFIED = Buffer.concat([
  Buffer.from([0xa1]),
  text('x5c'),
  Buffer.from([0x81]),
  bytes(Buffer.from('certificate')),
]);

/** An EC2 key for ES256 in COSE format (RFC 9053). */
function coseKeyOf(
  publicKey: ReturnType<typeof generateKeyPairSync>['publicKey'] & { export: unknown },
): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' }) as { x?: string; y?: string };
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]);
  return Buffer.concat([
    head,
    ...[Buffer.from([0x21]), bytes(Buffer.from(x, 'base64url'))],
    ...[Buffer.from([0x22]), bytes(Buffer.from(y, 'base64url'))],
  ]);
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
}

/** CBOR's byte string with the shortest possible length, as WebAuthn requires. */
function bytes(value: Buffer): Buffer {
  const { length } = value;
  const head =
    length < 24 ? [0x40 + length] : length < 256 ? [0x58, length] : [0x59, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), value]);
}
