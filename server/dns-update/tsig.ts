import { createHmac, timingSafeEqual } from 'node:crypto';
import { CLASS, encodeName, TYPE } from '../dns/wire.ts';
import { numbers16, type Signature } from './update-message.ts';

export interface TsigKey {
  /** In lower case, without a final dot. */
  keyName: string;
  secret: Buffer;
}

export interface SignedMessage {
  message: Buffer;
  /** The MAC that the answer must refer to. */
  mac: Buffer;
}

const TSIG_ALGORITHM = 'hmac-sha256';
const FUDGE_SECONDS = 300;

/** Returns the message with a TSIG record (RFC 8945, hmac-sha256) that proves who sent it, and when. */
export function signMessage(message: Buffer, key: TsigKey, nowSeconds: number): SignedMessage {
  const mac = computeMac(key, [
    message,
    variablesOf({
      ...{ keyName: key.keyName, time: nowSeconds, fudgeSeconds: FUDGE_SECONDS },
      ...{ error: 0, other: Buffer.alloc(0) },
    }),
  ]);
  const data = Buffer.concat([
    encodeName(TSIG_ALGORITHM),
    timeOf(nowSeconds),
    numbers16(FUDGE_SECONDS, mac.length),
    mac,
    numbers16(message.readUInt16BE(0), 0, 0),
  ]);
  const signed = Buffer.concat([
    message,
    encodeName(key.keyName),
    numbers16(TYPE.tsig, CLASS.any, 0, 0, data.length),
    data,
  ]);
  signed.writeUInt16BE(message.readUInt16BE(10) + 1, 10);
  return { message: signed, mac };
}

/** Returns whether an answer was signed with the key, at about this time, and for the request with this `mac`. */
export function isSignedAnswer(
  answer: Buffer,
  signature: Signature,
  { key, requestMac, nowSeconds }: { key: TsigKey; requestMac: Buffer; nowSeconds: number },
): boolean {
  if (signature.keyName !== key.keyName || signature.algorithm !== TSIG_ALGORITHM) return false;
  const unsigned = Buffer.from(answer.subarray(0, signature.startOffset));
  unsigned.writeUInt16BE(signature.originalId, 0);
  unsigned.writeUInt16BE(unsigned.readUInt16BE(10) - 1, 10);
  const { time, fudgeSeconds, mac } = signature;
  const expected = computeMac(key, [
    numbers16(requestMac.length),
    requestMac,
    unsigned,
    variablesOf(signature),
  ]);
  return (
    mac.length === expected.length &&
    timingSafeEqual(mac, expected) &&
    Math.abs(nowSeconds - time) <= fudgeSeconds
  );
}

function computeMac(key: TsigKey, parts: readonly Buffer[]): Buffer {
  return createHmac('sha256', key.secret).update(Buffer.concat(parts)).digest();
}

/** What is signed in addition to the message, in canonical form. */
function variablesOf({
  keyName,
  time,
  fudgeSeconds,
  error,
  other,
}: Pick<Signature, 'keyName' | 'time' | 'fudgeSeconds' | 'error' | 'other'>): Buffer {
  return Buffer.concat([
    encodeName(keyName),
    numbers16(CLASS.any, 0, 0),
    encodeName(TSIG_ALGORITHM),
    timeOf(time),
    numbers16(fudgeSeconds, error, other.length),
    other,
  ]);
}

function timeOf(seconds: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(seconds, 0, 6);
  return bytes;
}
