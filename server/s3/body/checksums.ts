import { createHash } from 'node:crypto';
import { Crc32c, Crc32Node, Crc64NvmeJs } from '@aws-sdk/checksums/crc';

/** Checksums that clients may send, by S3's names. */
export const CHECKSUM_ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number];

const DIGEST_BYTES: Record<ChecksumAlgorithm, number> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
};

/** Consumes bytes and returns their checksum in base64. */
export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  digest(): Promise<string>;
}

/** Returns the algorithm by S3's name in any case, or null. */
export function findAlgorithm(name: string): ChecksumAlgorithm | null {
  const upper = name.toUpperCase();
  return CHECKSUM_ALGORITHMS.find((algorithm) => algorithm === upper) ?? null;
}

export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`;
}

/** Whether a text is a checksum of the algorithm in base64. */
export function isChecksum(algorithm: ChecksumAlgorithm, value: string): boolean {
  const bytes = Buffer.from(value, 'base64');
  return bytes.byteLength === DIGEST_BYTES[algorithm] && bytes.toString('base64') === value;
}

export function startChecksum(algorithm: ChecksumAlgorithm): RunningChecksum {
  switch (algorithm) {
    case 'SHA1':
    case 'SHA256': {
      const hash = createHash(algorithm.toLowerCase());
      return { update: (bytes) => void hash.update(bytes), digest: async () => hash.digest('base64') };
    }
    default: {
      const crc = { CRC32: Crc32Node, CRC32C: Crc32c, CRC64NVME: Crc64NvmeJs }[algorithm];
      const running = new crc();
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
