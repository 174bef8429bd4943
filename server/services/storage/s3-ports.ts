import type { App } from '#server/context.ts';
import { isOutage } from '#server/outage.ts';
import type { S3Ports } from '#server/s3/ports.ts';
import { databaseReserve } from '#server/store/room/watch-disk.ts';
import { createBucketPorts } from './buckets/bucket-ports.ts';
import { createObjectPorts } from './objects/object-ports.ts';
import { createPiecePorts } from './pieces/piece-ports.ts';
import { createS3Turns } from './s3-turns.ts';
import { createUploadPorts } from './uploads/upload-ports.ts';

/** What only the process that runs the service has. */
export type S3Process = Pick<S3Ports, 'count' | 'reportFailure'>;

/** Returns the product's implementation of the S3 service's ports, on the database and the store. */
export function createS3Ports(app: App, own: S3Process): S3Ports {
  const turns = createS3Turns(app);
  const reserve = databaseReserve(app.config);
  return {
    ...own,
    isOutage,
    asLongWork: turns.asLongWork,
    ...createBucketPorts(app),
    ...createPiecePorts(app, turns, reserve),
    ...createObjectPorts(app, turns),
    ...createUploadPorts(app, turns, reserve),
  };
}
