import type { Readable } from 'node:stream';
import {
  type ContentChecksum,
  checksumHeader,
  DEFAULT_CHECKSUM,
  findSentAlgorithm,
  requireChecksum,
  wrongChecksum,
} from '../body/checksums.ts';
import { inTurns } from '../body/in-turns.ts';
import { receiveHashed } from '../body/receive-hashed.ts';
import { RECEIVING_BYTES } from '../body/sent-content.ts';
import { storeObject } from '../body/store-content.ts';
import { receiverOf, type S3Response } from '../call.ts';
import { readKeptHeaders, readMetadata, refuseUnsupportedFields } from '../fields/object-headers.ts';
import { readTagging } from '../fields/tags.ts';
import { authenticateForm } from '../forms/authenticate-form.ts';
import { type FormStart, openForm } from '../forms/open-form.ts';
import { checkPolicy, type SizeRange } from '../forms/post-policy.ts';
import { requireField } from '../forms/require-field.ts';
import type { ObjectHeaders, S3Access, S3Bucket, S3Object, S3Ports } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { requireKey, type S3Request } from '../s3-request.ts';
import { writeXml } from '../xml/write-xml.ts';
import { writtenHeaders } from './write-object.ts';

/** A placeholder in a key for the browser's name of the file. */
const FILE_NAME_MARK = `$${'{filename}'}`;

interface PostParts {
  readonly request: S3Request;
  readonly bucketName: string;
  readonly region: string;
  readonly ports: S3Ports;
  readonly now: number;
  /** @throws NoSuchBucket, AccessDenied */
  requireBucket(access: S3Access): Promise<S3Bucket>;
  /** Resolves when it is the turn of the organization that has signed the form. */
  takeTurn(ownerId: string): Promise<void>;
  /** Counts memory until the response has been taken. @throws SlowDown */
  hold(bytes: number): void;
}

/** What a form may store, and where. */
interface Admitted {
  readonly access: S3Access;
  readonly bucket: S3Bucket;
  readonly key: string;
  readonly range: SizeRange | null;
  readonly told: ObjectHeaders;
  readonly checksum: ContentChecksum | null;
}

/** PostObject: an upload by a browser's form, allowed by a signed policy that is sent with it. */
export async function postObject(parts: PostParts): Promise<S3Response> {
  const form = openForm(parts.request);
  const start = await form.untilFile;
  const admitted = await admit(parts, start);
  parts.hold(RECEIVING_BYTES);
  const object = await store(parts, admitted, start.file);
  await form.end;
  return { ...responseOf(parts.request, start.fields, admitted.bucket, object), receivedBytes: object.size };
}

/** Decides whether the form may store its file, before any byte of it is read. */
async function admit(
  { ports, bucketName, region, now, requireBucket }: PostParts,
  { fields, fileName }: FormStart,
): Promise<Admitted> {
  const access = await authenticateForm(ports, fields, region);
  const bucket = await requireBucket(access);
  const key = keyOf(requireField(fields, 'key'), fileName);
  requireKey(key);
  // The policy applies to the resulting key, whatever the file's name.
  const decided = new Map([...fields, ['key', key], ['bucket', bucketName]]);
  const range = checkPolicy(fields.get('policy') ?? '', decided, now);
  refuseUnsupportedFields(fields);
  const tagging = fields.get('tagging');
  const algorithm = findSentAlgorithm(fields.keys());
  return {
    access,
    bucket,
    key,
    range,
    told: {
      headers: readKeptHeaders((name) => latin1(fields.get(name) ?? null)),
      metadata: readMetadata([...fields].map(([name, value]) => [name, latin1(value) ?? ''])),
      tags: tagging === undefined ? [] : readTagging(tagging),
    },
    checksum:
      algorithm === null
        ? null
        : { algorithm, value: requireChecksum(algorithm, fields.get(checksumHeader(algorithm)) ?? '') },
  };
}

/** Puts the browser's name of the file, without its folders, in the place that a key has for it. */
function keyOf(named: string, fileName: string): string {
  if (fileName === '') return named;
  const last = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1);
  // A function, so that `$&` in a file name is not treated as a pattern.
  return named.replaceAll(FILE_NAME_MARK, () => last);
}

/** Fields are already decoded texts; headers arrive as Latin-1 and are decoded from that. */
function latin1(value: string | null): string | null {
  return value === null ? null : Buffer.from(value, 'utf8').toString('latin1');
}

/** @throws EntityTooLarge, EntityTooSmall, BadDigest, and as S3Ports.putObject */
async function store(
  { ports, takeTurn }: PostParts,
  { access, bucket, key, range, told, checksum }: Admitted,
  file: Readable,
): Promise<S3Object> {
  const content = await receiveHashed(
    receiverOf({ ports, bucket }),
    inTurns(file, () => takeTurn(access.ownerId)),
    {
      announcedBytes: null,
      algorithms: [checksum?.algorithm ?? DEFAULT_CHECKSUM],
      bytesMax: Math.min(range?.max ?? S3_LIMITS.putBytesMax, S3_LIMITS.putBytesMax),
    },
  );
  const { piece, etag } = content;
  const { size } = piece;
  const [calculated = null] = content.checksums;
  try {
    const min = range?.min ?? 0;
    if (size < min) throw S3Error.ofSize('EntityTooSmall', size, min);
    if (checksum !== null && calculated?.value !== checksum.value) {
      throw wrongChecksum(checksum.algorithm);
    }
  } catch (error) {
    await piece.discard();
    throw error;
  }
  const verified = { piece, etag, checksum: calculated };
  return storeObject({ ports, access, bucket, key }, verified, told, { kind: 'none' });
}

function responseOf(
  request: S3Request,
  fields: ReadonlyMap<string, string>,
  bucket: S3Bucket,
  object: S3Object,
): S3Response {
  const { etag, key } = object;
  const location = `${request.origin}${request.rawPath.replace(/\/$/, '')}/${encodeURIComponent(key)}`;
  const headers = { ...writtenHeaders(object), location };
  const redirect = fields.get('success_action_redirect') ?? fields.get('redirect');
  if (redirect !== undefined && URL.canParse(redirect) && /^https?:/i.test(redirect)) {
    const target = new URL(redirect);
    target.searchParams.set('bucket', bucket.name);
    target.searchParams.set('key', key);
    target.searchParams.set('etag', `"${etag}"`);
    return { status: 303, headers: { ...headers, location: target.href } };
  }
  switch (fields.get('success_action_status')) {
    case '200':
      return { status: 200, headers };
    case '201':
      return {
        status: 201,
        headers,
        body: writeXml(
          'PostResponse',
          { Location: location, Bucket: bucket.name, Key: key, ETag: `"${etag}"` },
          null,
        ),
      };
    default:
      return { status: 204, headers };
  }
}
