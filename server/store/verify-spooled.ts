import { AppError } from '#server/errors.ts';
import type { BlobEncoding } from './blob-store.ts';
import type { SpooledFile } from './spool.ts';

/** Returns when the received file is as announced. Encodings have no hash of their own to compare with. */
export function verifySpooled(
  file: Pick<SpooledFile, 'sha256' | 'size'>,
  sha256: string,
  encoding: BlobEncoding,
  expectedSize: number | null,
): void {
  if (expectedSize !== null && file.size !== expectedSize) {
    throw new AppError('size_mismatch', { path: sha256, actual: file.size, expected: expectedSize });
  }
  if (encoding === 'identity' && file.sha256 !== sha256) {
    throw new AppError('hash_mismatch', { sha256, path: sha256 });
  }
}

/** Returns size_mismatch for content that exceeded its announced size, which the spool reports as a limit. */
export function asSizeMismatch(error: unknown, sha256: string, expectedSize: number | null): unknown {
  if (error instanceof AppError && error.code === 'limit_file_bytes' && expectedSize !== null) {
    return new AppError('size_mismatch', {
      path: sha256,
      actual: `more than ${expectedSize}`,
      expected: expectedSize,
    });
  }
  return error;
}
