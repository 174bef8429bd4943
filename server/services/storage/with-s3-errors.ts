import { AppError } from '#server/errors.ts';
import { S3Error } from '#server/s3/s3-error.ts';

/** Converts the store's errors to S3's; a rejection of the client's own bytes is passed through unchanged. */
export async function withS3Errors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.cause instanceof S3Error) throw error.cause;
    if (error.code === 'upload_interrupted') throw new S3Error('IncompleteBody');
    if (error.code === 'organization_busy' || error.code === 'too_many_requests')
      throw new S3Error('SlowDown');
    if (error.code === 'storage_full')
      throw new S3Error('ServiceUnavailable', 'There is no room on the disk at the moment.');
    throw error;
  }
}
