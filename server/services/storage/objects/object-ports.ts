import { runForAsker } from '#db/asker.ts';
import type { App } from '#server/context.ts';
import type { S3Ports } from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { unlessRefused } from '../pieces/unless-refused.ts';
import { ROWS_OF_STEP, type S3Turns } from '../s3-turns.ts';
import { findObject, listObjects } from './object-queries.ts';
import { removeObject, writeObject } from './write-object.ts';

/** Folders of a list that are read in one step: each takes a search of its own. */
const FOLDERS_OF_STEP = 25;

type ObjectPorts = Pick<S3Ports, 'findObject' | 'putObject' | 'setTags' | 'deleteObject' | 'listObjects'>;

/** Returns the part of the S3 service's ports that is about objects. */
export function createObjectPorts(app: App, { inStep, asChange, asGrowth }: S3Turns): ObjectPorts {
  const { db } = app;
  return {
    findObject: ({ id, ownerId }, key) => runForAsker(ownerId, () => findObject(db, id, key)),
    putObject: (bucket, object, piece, condition) =>
      unlessRefused(app, piece, () =>
        asGrowth(bucket, () => writeObject(app, bucket, object, piece, condition)),
      ),
    async setTags(bucket, key, tags) {
      const { numUpdatedRows } = await asChange(bucket, () =>
        db
          .updateTable('objects')
          .set({ tags: JSON.stringify(tags) })
          .where('bucket_id', '=', bucket.id)
          .where('key', '=', key)
          .executeTakeFirst(),
      );
      if (numUpdatedRows === 0n) throw new S3Error('NoSuchKey', undefined, { Key: key });
    },
    deleteObject: (bucket, key, condition) =>
      inStep(bucket, 1, () => asChange(bucket, () => removeObject(app, bucket.id, key, condition))),
    listObjects: (bucket, query) =>
      inStep(bucket, Math.ceil(query.limit / (query.delimiter ? FOLDERS_OF_STEP : ROWS_OF_STEP)), () =>
        listObjects(db, bucket.id, query),
      ),
  };
}
