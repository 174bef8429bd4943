import type { App } from '#server/context.ts';
import type { S3Piece } from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';

/** Writes the row of a piece and returns the result; removes its content if the row is refused, since no limit would count it. */
export async function unlessRefused<T>(
  { blobs }: App,
  { id, content }: Pick<S3Piece, 'id' | 'content'>,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    // After any other failure the row may be there. What cannot be removed is found with other strays.
    if (error instanceof S3Error && content === null) await blobs.pieces.remove(id).catch(() => undefined);
    throw error;
  }
}
