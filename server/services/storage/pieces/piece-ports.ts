import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { OrganizationQueue } from '#server/concurrency/organization-queue.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type { S3Piece, S3Ports } from '#server/s3/ports.ts';
import { S3_LIMITS } from '#server/s3/s3-limits.ts';
import type { DiskReserve } from '#server/store/room/disk-reserve.ts';
import { listPieces } from '../objects/object-queries.ts';
import { receiveSmall } from '../objects/receive-small.ts';
import { ROW_CONTENT_BYTES_MAX } from '../rules.ts';
import type { S3Turns } from '../s3-turns.ts';
import { withS3Errors } from '../with-s3-errors.ts';
import { ReceivingPace } from './receiving-pace.ts';

/** How many copies are written at the same time, and how many may wait. */
const COPIES = { atOnce: 6, atOncePerKey: 3, waitingPerKeyMax: 100 };

/**
 * The pieces of a completed object never change, and a browser that plays a video asks for it a hundred times: lists that take longer to
 * read than to serve from are kept, up to some ten megabytes.
 */
const PIECE_LISTS = { lengthMin: 100, piecesMax: 50_000 };

type PiecePorts = Pick<
  S3Ports,
  'listPieces' | 'openPiece' | 'readPiece' | 'receive' | 'inTurn' | 'copyPiece'
>;

/** Returns the part of the S3 service's ports that is about content. */
export function createPiecePorts(
  app: App,
  turns: S3Turns,
  /** Of the disk with the database; null for a separate server. */
  reserve: DiskReserve | null,
): PiecePorts {
  const { db } = app;
  const { pieces } = app.blobs;
  const pace = new ReceivingPace(app);
  const copies = new OrganizationQueue(COPIES);
  const pieceLists = new LRUCache<string, S3Piece[]>({
    maxSize: PIECE_LISTS.piecesMax,
    sizeCalculation: ({ length }) => length,
  });
  return {
    async listPieces(bucket, contentId) {
      const known = pieceLists.get(contentId);
      if (known !== undefined) return known;
      const all = { after: 0, limit: S3_LIMITS.partNumberMax };
      const found = await turns.readPieces(bucket, all, (...portion) =>
        listPieces(db, contentId, ...portion),
      );
      if (found.length >= PIECE_LISTS.lengthMin) pieceLists.set(contentId, found);
      return found;
    },
    openPiece: (id) => pieces.open(id),
    readPiece: (id, part) => pieces.readPart(id, part),
    async receive({ ownerId }, content, announcedBytes) {
      const isSmall = announcedBytes !== null && announcedBytes <= ROW_CONTENT_BYTES_MAX;
      if (!isSmall && announcedBytes !== null) await pace.take(ownerId, announcedBytes);
      const piece = await withS3Errors(async () => {
        if (isSmall) return receiveSmall(content, announcedBytes, reserve);
        const paced = announcedBytes === null ? pace.whileComing(ownerId, content) : content;
        const staged = await pieces.receive(Readable.from(paced, { objectMode: false }), {
          announcedBytes: announcedBytes ?? 0,
          client: ownerId,
        });
        return { ...staged, content: null };
      });
      return { ...piece, keep: () => withS3Errors(() => piece.keep()) };
    },
    inTurn: ({ ownerId }, copy) => withS3Errors(() => copies.run(ownerId, copy)),
    async copyPiece({ id, content }) {
      if (content === null) return { id: await withS3Errors(() => pieces.copy(id)), content };
      await withS3Errors(async () => reserve?.take(content.byteLength));
      return { id: newId(), content };
    },
  };
}
