import type { ObjectCall } from '../call.ts';
import type { NewPiece, ObjectHeaders, S3Object, S3Piece, S3Upload, WriteCondition } from '../ports.ts';
import { requireStillReached } from '../reach-bucket.ts';
import type { ContentChecksum } from './checksums.ts';
import type { HashedContent } from './receive-hashed.ts';

/** Content that matches what its sender declared. */
export interface VerifiedContent extends Pick<HashedContent, 'piece' | 'etag'> {
  /** The one that is stored. */
  readonly checksum: ContentChecksum | null;
}

/** Where content is stored, and who sends it. */
type Target = Pick<ObjectCall, 'ports' | 'bucket' | 'access'>;

/**
 * Stores content under the key of a call, durably. When that fails, the content is discarded.
 * @throws AccessDenied when its sender has lost the access meanwhile, and as S3Ports.putObject
 */
export function storeObject(
  { key, ...target }: Target & Pick<ObjectCall, 'key'>,
  content: VerifiedContent,
  told: ObjectHeaders,
  condition: WriteCondition,
): Promise<S3Object> {
  const { etag, checksum } = content;
  const object = { key, etag, checksum: checksum && { ...checksum, type: 'FULL_OBJECT' as const }, ...told };
  const { ports, bucket } = target;
  return keep(target, content, () => ports.putObject(bucket, object, toNewPiece(content), condition));
}

/**
 * Stores content as a part of an upload, durably. When that fails, the content is discarded.
 * @throws AccessDenied when its sender has lost the access meanwhile, and as S3Ports.putPart
 */
export function storePart(
  target: Target,
  upload: S3Upload,
  partNumber: number,
  content: VerifiedContent,
): Promise<S3Piece> {
  const { ports, bucket } = target;
  const part = { ...toNewPiece(content), partNumber };
  return keep(target, content, () => ports.putPart(bucket, upload, part));
}

/** Writes the row that names content once its bytes are durable. */
async function keep<T>(target: Target, { piece }: VerifiedContent, writeRow: () => Promise<T>): Promise<T> {
  try {
    await requireStillReached(target);
    await piece.keep();
    return await writeRow();
  } catch (error) {
    await piece.discard();
    throw error;
  }
}

function toNewPiece({ piece: { id, size, content }, etag, checksum }: VerifiedContent): NewPiece {
  return { id, size, content, etag, checksum: checksum?.value ?? null };
}
