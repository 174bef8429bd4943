import { createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import {
  type ContentChecksum,
  checksumHeader,
  DEFAULT_CHECKSUM,
  findSentAlgorithm,
  requireChecksum,
  wrongChecksum,
} from '../body/checksums.ts';
import { receiveHashed } from '../body/receive-hashed.ts';
import { storeObject } from '../body/store-content.ts';
import { receiverOf, type S3Answer } from '../call.ts';
import { readKeptHeaders, readMetadata, refuseUnsupportedFields } from '../object-headers.ts';
import type { S3Access, S3Bucket, S3Object, S3Ports } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, requireKey, type S3Request } from '../s3-request.ts';
import { isRegionOf, isSame, noSuchAccess, wrongSignature } from '../signature/authenticate.ts';
import { checkPolicy, type SizeRange } from '../signature/post-policy.ts';
import { readCredential } from '../signature/read-credential.ts';
import { ALGORITHM, readAmzDate, signingKey, signText } from '../signature/signing-key.ts';
import { readTagging } from '../tags.ts';
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
}

interface Admitted {
  readonly bucket: S3Bucket;
  readonly key: string;
  readonly range: SizeRange | null;
  readonly told: Pick<S3Object, 'headers' | 'metadata' | 'tags'>;
  readonly checksum: ContentChecksum | null;
}

/** PostObject: an upload by a browser's form, allowed by a signed policy that is sent with it. */
export async function postObject(parts: PostParts): Promise<S3Answer> {
  const form = openForm(parts.request);
  const { fields, file, fileName } = await form.untilFile;
  const admitted = await admit(parts, fields, fileName);
  const { bucket, key } = admitted;
  const object = await store(parts, admitted, file);
  await form.end;
  return { ...answerOf(parts, fields, bucket, key, object), receivedBytes: object.size };
}

interface OpenForm {
  /**
   * Everything before the file.
   * @throws MalformedPOSTRequest, InvalidArgument without a file
   */
  untilFile: Promise<{ fields: Map<string, string>; file: Readable; fileName: string }>;
  end: Promise<void>;
}

function openForm(request: S3Request): OpenForm {
  const type = headerOf(request, 'content-type') ?? '';
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(type)) {
    throw new S3Error('PreconditionFailed', undefined, {
      Condition: 'Bucket POST must be of the enclosure-type multipart/form-data',
    });
  }
  const malformed = () => new S3Error('MalformedPOSTRequest');
  const begun = Promise.withResolvers<{ fields: Map<string, string>; file: Readable; fileName: string }>();
  const ended = Promise.withResolvers<void>();
  // The one that is awaited reports it; the other must not be an unhandled rejection.
  ended.promise.catch(() => undefined);
  let receiving: Readable | null = null;
  const fail = (error: S3Error) => {
    begun.reject(error);
    // Otherwise the reader of the file would wait for its end forever.
    receiving?.destroy(error);
    ended.reject(error);
    request.body.unpipe();
    request.body.resume();
  };
  let parser: ReturnType<typeof Busboy>;
  try {
    parser = Busboy({
      headers: { 'content-type': type },
      limits: {
        fieldSize: S3_LIMITS.formFieldsBytesMax,
        fields: S3_LIMITS.formFieldsMax,
        files: 1,
        parts: S3_LIMITS.formFieldsMax + 2,
        headerPairs: 20,
        fileSize: S3_LIMITS.putBytesMax + 1,
      },
      // Only by its name: some clients give every field a file name.
      isPartAFile: (name) => name?.toLowerCase() === 'file',
    });
  } catch {
    throw malformed();
  }
  const fields = new Map<string, string>();
  let bytes = 0;
  parser.on('field', (name, value, isNameCut, isValueCut) => {
    bytes += name.length + value.length;
    if (isNameCut || isValueCut || bytes > S3_LIMITS.formFieldsBytesMax) {
      fail(new S3Error('MaxPostPreDataLengthExceededError'));
    } else if (!fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value);
  });
  parser.on('file', (name, file, fileName) => {
    // No one reads the file of a refused form, and its truncated end must not be an uncaught error.
    file.on('error', () => undefined);
    if (name.toLowerCase() !== 'file') {
      file.resume();
      fail(new S3Error('InvalidArgument', 'POST requires exactly one file upload per request.'));
      return;
    }
    receiving = file;
    // What follows the file has not been checked against the policy.
    begun.resolve({ fields: new Map(fields), file, fileName: fileName ?? '' });
  });
  parser.on('finish', () => {
    begun.reject(new S3Error('InvalidArgument', 'POST requires exactly one file upload per request.'));
    ended.resolve();
  });
  parser.on('error', () => fail(malformed()));
  request.body.on('aborted', () => fail(new S3Error('IncompleteBody')));
  request.body.pipe(parser);
  return { untilFile: begun.promise, end: ended.promise };
}

/** Decides whether the form may store its file, before any byte of it is read. */
async function admit(
  { ports, bucketName, region, now, requireBucket }: PostParts,
  fields: ReadonlyMap<string, string>,
  fileName: string,
): Promise<Admitted> {
  const access = await authenticateForm(ports, fields, region);
  const bucket = await requireBucket(access);
  const named = requireField(fields, 'key');
  // A function, so that `$&` in a file name is not treated as a pattern.
  const key =
    fileName === ''
      ? named
      : named.replaceAll(FILE_NAME_MARK, () =>
          fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1),
        );
  requireKey(key);
  // The policy applies to the resulting key, whatever the file's name.
  const told = new Map([...fields, ['key', key], ['bucket', bucketName]]);
  const range = checkPolicy(fields.get('policy') ?? '', told, now);
  refuseUnsupportedFields(fields);
  const tagging = fields.get('tagging');
  const algorithm = findSentAlgorithm(fields.keys());
  return {
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

/** Fields are already decoded texts; headers arrive as Latin-1 and are decoded from that. */
function latin1(value: string | null): string | null {
  return value === null ? null : Buffer.from(value, 'utf8').toString('latin1');
}

/** @throws InvalidArgument */
function requireField(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name);
  if (value !== undefined && value !== '') return value;
  throw S3Error.ofArgument(
    name,
    '',
    `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
  );
}

async function authenticateForm(
  ports: S3Ports,
  fields: ReadonlyMap<string, string>,
  region: string,
): Promise<S3Access> {
  const signed = ['x-amz-signature', 'x-amz-credential', 'x-amz-date', 'x-amz-algorithm'];
  if (fields.has('awsaccesskeyid') && !fields.has('x-amz-signature')) {
    return authenticateOldForm(ports, fields);
  }
  if (!['policy', ...signed].some((name) => fields.has(name))) throw new S3Error('AccessDenied');
  // An empty policy is there, and refused as one.
  const policy = fields.get('policy') ?? requireField(fields, 'policy');
  const [signature, credential, date, algorithm] = signed.map((name) => requireField(fields, name));
  if (algorithm !== ALGORITHM) {
    throw S3Error.ofArgument('x-amz-algorithm', algorithm ?? '', `Only ${ALGORITHM} is supported.`);
  }
  if (readAmzDate(date ?? '') === null) {
    throw S3Error.ofArgument(
      'x-amz-date',
      date ?? '',
      'X-Amz-Date must be formatted via ISO8601 Long format',
    );
  }
  const invalidCredential = (message: string) =>
    S3Error.ofArgument('x-amz-credential', credential ?? '', message);
  const { accessKeyId, scope } = readCredential(credential ?? '', invalidCredential);
  if (!isRegionOf(scope, region)) {
    throw invalidCredential(`the region '${scope.region}' is wrong; expecting '${region}'`);
  }
  const access = await ports.findAccess(accessKeyId);
  if (access === null) throw noSuchAccess(accessKeyId);
  if (!isSame(signText(signingKey(access.secretKey, scope), policy), signature ?? '')) {
    throw wrongSignature(accessKeyId, policy, signature ?? '');
  }
  return access;
}

/**
 * Forms signed in the older way, which tools still create: HMAC-SHA1 of the policy by the secret key
 * ("Browser-Based Uploads Using POST", AWS Signature Version 2). The policy contains its expiry, as in the
 * newer way.
 */
async function authenticateOldForm(ports: S3Ports, fields: ReadonlyMap<string, string>): Promise<S3Access> {
  const [policy, signature] = [requireField(fields, 'policy'), requireField(fields, 'signature')];
  const accessKeyId = fields.get('awsaccesskeyid') ?? '';
  const access = await ports.findAccess(accessKeyId);
  if (access === null) throw noSuchAccess(accessKeyId);
  const expected = createHmac('sha1', access.secretKey).update(policy).digest('base64');
  if (!isSame(expected, signature)) throw wrongSignature(accessKeyId, policy, signature);
  return access;
}

async function store(
  { ports }: PostParts,
  { bucket, key, range, told, checksum }: Admitted,
  file: Readable,
): Promise<S3Object> {
  const content = await receiveHashed(receiverOf({ ports, bucket }), file, {
    announcedBytes: null,
    algorithm: checksum?.algorithm ?? DEFAULT_CHECKSUM,
    bytesMax: Math.min(range?.max ?? S3_LIMITS.putBytesMax, S3_LIMITS.putBytesMax),
    ...(checksum === null && { checksumBytesMax: S3_LIMITS.defaultChecksumBytesMax }),
  });
  const { size } = content.piece;
  try {
    const min = range?.min ?? 0;
    if (size < min) throw S3Error.ofSize('EntityTooSmall', size, min);
    if (checksum !== null && content.checksum?.value !== checksum.value) {
      throw wrongChecksum(checksum.algorithm);
    }
  } catch (error) {
    await content.piece.discard();
    throw error;
  }
  return storeObject({ ports, bucket, key }, content, told, { kind: 'none' });
}

function answerOf(
  { request }: PostParts,
  fields: ReadonlyMap<string, string>,
  bucket: S3Bucket,
  key: string,
  object: S3Object,
): S3Answer {
  const { etag } = object;
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
