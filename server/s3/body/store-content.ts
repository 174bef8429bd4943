import type { ObjectCall } from '../call.ts';
import type { NewPiece, ObjectHeaders, S3Object, S3Piece, S3Upload, WriteCondition } from '../ports.ts';
import type { HashedContent } from './receive-hashed.ts';

/** Content that matches what its sender declared. */
export type VerifiedContent = Omit<HashedContent, 'piece'> & {
  readonly piece: Omit<HashedContent['piece'], 'sha256'>;
};

/** Stores content under the key of a call, durably. When that fails, the content is discarded. */
export function storeObject(
  { ports, bucket, key }: Pick<ObjectCall, 'ports' | 'bucket' | 'key'>,
  content: VerifiedContent,
  told: ObjectHeaders,
  condition: WriteCondition,
): Promise<S3Object> {
  const { etag, checksum } = content;
  const object = { key, etag, checksum: checksum && { ...checksum, type: 'FULL_OBJECT' as const }, ...told };
  return keep(content, () => ports.putObject(bucket, object, toNewPiece(content), condition));
}

/** Stores content as a part of an upload, durably. When that fails, the content is discarded. */
export function storePart(
  { ports, bucket }: Pick<ObjectCall, 'ports' | 'bucket'>,
  upload: S3Upload,
  partNumber: number,
  content: VerifiedContent,
): Promise<S3Piece> {
  const isOfUpload = upload.checksum?.algorithm === content.checksum?.algorithm;
  const piece = toNewPiece(isOfUpload ? content : { ...content, checksum: null });
  return keep(content, () => ports.putPart(bucket, upload, { ...piece, partNumber }));
}

/** Writes the row that names content once its bytes are durable. */
async function keep<T>({ piece }: VerifiedContent, writeRow: () => Promise<T>): Promise<T> {
  try {
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
