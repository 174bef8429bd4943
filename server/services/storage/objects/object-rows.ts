import type { Selectable } from 'kysely';
import type { ObjectUploadsTable } from '#db/schema/object-uploads.ts';
import type { ObjectsTable } from '#db/schema/objects.ts';
import type {
  NewObject,
  ObjectHeaders,
  S3Object,
  S3Piece,
  S3Upload,
  StoredChecksum,
} from '#server/s3/ports.ts';

/** The columns in which an object's row stores its headers. */
export function toHeaderColumns({ headers, metadata, tags }: ObjectHeaders) {
  return {
    headers: JSON.stringify(headers),
    metadata: JSON.stringify(metadata),
    tags: JSON.stringify(tags),
  };
}

function readHeaderColumns(row: Record<'headers' | 'metadata' | 'tags', string>): ObjectHeaders {
  return {
    headers: JSON.parse(row.headers),
    metadata: JSON.parse(row.metadata),
    tags: JSON.parse(row.tags),
  };
}

export function toObject(row: Selectable<ObjectsTable>): S3Object {
  return {
    key: row.key,
    contentId: row.content_id,
    size: row.size,
    etag: row.etag,
    modifiedAt: row.modified_at,
    partCount: row.part_count,
    checksum: row.checksum === null ? null : ({ ...kindOf(row), value: row.checksum } as StoredChecksum),
    ...readHeaderColumns(row),
  };
}

/** Both columns are only written by the files next to this one. */
export function kindOf(row: { checksum_algorithm: string | null; checksum_type: string | null }) {
  return { algorithm: row.checksum_algorithm, type: row.checksum_type } as Pick<
    StoredChecksum,
    'algorithm' | 'type'
  >;
}

export function toObjectRow(
  bucketId: string,
  contentId: string,
  object: NewObject,
  facts: { size: number; partCount: number | null; now: number },
): Selectable<ObjectsTable> {
  return {
    bucket_id: bucketId,
    key: object.key,
    content_id: contentId,
    size: facts.size,
    etag: object.etag,
    ...toHeaderColumns(object),
    checksum_algorithm: object.checksum?.algorithm ?? null,
    checksum_type: object.checksum?.type ?? null,
    checksum: object.checksum?.value ?? null,
    part_count: facts.partCount,
    modified_at: facts.now,
  };
}

export function toUpload(row: Selectable<ObjectUploadsTable>): S3Upload {
  return {
    id: row.id,
    key: row.key,
    initiatedAt: row.created_at,
    checksum: row.checksum_algorithm === null ? null : kindOf(row),
    ...readHeaderColumns(row),
  };
}

export function toPiece(row: {
  id: string;
  part_number: number;
  size: number;
  etag: string;
  checksum: string | null;
  created_at: number;
  content: Uint8Array | null;
}): S3Piece {
  return {
    id: row.id,
    partNumber: row.part_number,
    size: row.size,
    etag: row.etag,
    checksum: row.checksum,
    modifiedAt: row.created_at,
    content: row.content,
  };
}
