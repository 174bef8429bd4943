import { createHash } from 'node:crypto';
import { Crc32Node } from '@aws-sdk/checksums/crc';
import { Xxh3_64, Xxh3_128, Xxh64 } from '@aws-sdk/checksums/xxh';
import type { StoredChecksum } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { headerOf, type S3Request } from '../s3-request.ts';
import { RunningCrc } from './running-crc.ts';

/** Checksums that clients may send, by S3's names. */
export const CHECKSUM_ALGORITHMS = [
  'CRC32',
  'CRC32C',
  'CRC64NVME',
  'MD5',
  'SHA1',
  'SHA256',
  'SHA512',
  'XXHASH128',
  'XXHASH3',
  'XXHASH64',
] as const;
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number];

/** What AWS calculates where no checksum is sent. */
export const DEFAULT_CHECKSUM: ChecksumAlgorithm = 'CRC64NVME';

const DIGEST_BYTES: Record<ChecksumAlgorithm, number> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  MD5: 16,
  SHA1: 20,
  SHA256: 32,
  SHA512: 64,
  XXHASH128: 16,
  XXHASH3: 8,
  XXHASH64: 8,
};

/** A checksum of content. */
export interface ContentChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Base64, as on the wire. */
  readonly value: string;
}

/** Consumes bytes and returns their checksum in base64. */
export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  digest(): Promise<string>;
}

/** Returns the algorithm by S3's name in any case, or null. */
function findAlgorithm(name: string): ChecksumAlgorithm | null {
  const upper = name.toUpperCase();
  return CHECKSUM_ALGORITHMS.find((algorithm) => algorithm === upper) ?? null;
}

/** @throws InvalidRequest for an algorithm that is not verified here */
export function requireAlgorithm(name: string): ChecksumAlgorithm {
  const algorithm = findAlgorithm(name);
  if (algorithm === null) throw unsupportedAlgorithm();
  return algorithm;
}

export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`;
}

/** The headers that say the checksum of an object. */
export function checksumHeaders({ algorithm, value, type }: StoredChecksum): Record<string, string> {
  return { [checksumHeader(algorithm)]: value, 'x-amz-checksum-type': type };
}

/**
 * Returns what a request says of how the checksum of a whole is calculated, or null.
 * @throws InvalidRequest
 */
export function readChecksumType(request: S3Request): StoredChecksum['type'] | null {
  const type = headerOf(request, 'x-amz-checksum-type')?.toUpperCase() ?? null;
  if (type === null || type === 'FULL_OBJECT' || type === 'COMPOSITE') return type;
  throw new S3Error('InvalidRequest', 'Value for x-amz-checksum-type header is invalid.');
}

/** Headers and form fields that begin like those of checksums and are none. */
const ABOUT_CHECKSUMS = ['x-amz-checksum-algorithm', 'x-amz-checksum-mode', 'x-amz-checksum-type'];

/**
 * Returns the algorithm whose checksum is among these headers or form fields, or null.
 * @throws InvalidRequest when there are two, or one of an algorithm that is not verified here
 */
export function findSentAlgorithm(names: Iterable<string>): ChecksumAlgorithm | null {
  const sent = [...names].filter(
    (name) => name.startsWith('x-amz-checksum-') && !ABOUT_CHECKSUMS.includes(name),
  );
  if (sent.length > 1) throw severalChecksums();
  const [name] = sent;
  if (name === undefined) return null;
  const algorithm = findAlgorithm(name.slice('x-amz-checksum-'.length));
  if (algorithm === null) throw unsupportedAlgorithm();
  return algorithm;
}

export function severalChecksums(): S3Error {
  return new S3Error(
    'InvalidRequest',
    'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
  );
}

function unsupportedAlgorithm(): S3Error {
  return new S3Error(
    'InvalidRequest',
    `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${CHECKSUM_ALGORITHMS.join(', ')}]`,
  );
}

/** The refusal of content whose checksum is not the one that was sent. */
export function wrongChecksum(algorithm: ChecksumAlgorithm): S3Error {
  return new S3Error('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`);
}

/** Whether a text is a checksum of the algorithm in base64. */
export function isChecksum(algorithm: ChecksumAlgorithm, value: string): boolean {
  const bytes = Buffer.from(value, 'base64');
  return bytes.byteLength === DIGEST_BYTES[algorithm] && bytes.toString('base64') === value;
}

/**
 * Returns a checksum that was sent.
 * @param place how S3 calls where it stands
 * @throws InvalidRequest for what cannot be one
 */
export function requireChecksum(algorithm: ChecksumAlgorithm, value: string, place = 'header'): string {
  if (isChecksum(algorithm, value)) return value;
  throw new S3Error('InvalidRequest', `Value for ${checksumHeader(algorithm)} ${place} is invalid.`);
}

/** Those of the AWS SDK; of them, Node itself calculates the CRC32. */
const SDK_CHECKSUMS = {
  CRC32: Crc32Node,
  XXHASH128: Xxh3_128,
  XXHASH3: Xxh3_64,
  XXHASH64: Xxh64,
};

export function startChecksum(algorithm: ChecksumAlgorithm): RunningChecksum {
  switch (algorithm) {
    case 'MD5':
    case 'SHA1':
    case 'SHA256':
    case 'SHA512': {
      const hash = createHash(algorithm.toLowerCase());
      return { update: (bytes) => void hash.update(bytes), digest: async () => hash.digest('base64') };
    }
    case 'CRC32C':
    case 'CRC64NVME': {
      const crc = new RunningCrc(algorithm);
      return { update: (bytes) => crc.update(bytes), digest: async () => crc.digest().toString('base64') };
    }
    default: {
      const running = new SDK_CHECKSUMS[algorithm]();
      return {
        update: (bytes) => void running.update(bytes),
        digest: async () => Buffer.from(await running.digest()).toString('base64'),
      };
    }
  }
}

export async function checksumOf(algorithm: ChecksumAlgorithm, bytes: Uint8Array): Promise<string> {
  const running = startChecksum(algorithm);
  running.update(bytes);
  return running.digest();
}
