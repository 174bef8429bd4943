import { createHash } from 'node:crypto';
import {
  CHECKSUM_ALGORITHMS,
  type ChecksumAlgorithm,
  type ContentChecksum,
  checksumHeader,
  checksumOf,
  DEFAULT_CHECKSUM,
  findSentAlgorithm,
  isChecksum,
  readChecksumType,
} from '../body/checksums.ts';
import { combineCrcs } from '../body/combine-crc.ts';
import { readBodyOfChange } from '../body/read-body.ts';
import { type ObjectCall, piecesSize, type S3Response } from '../call.ts';
import { readWriteCondition, unquote } from '../fields/conditions.ts';
import type { CompletedUpload, S3Object, S3Piece, S3Upload, StoredChecksum } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, queryValue, type S3Request } from '../s3-request.ts';
import { childrenOf, readLongXml, textOf, type XmlElement } from '../xml/read-xml.ts';
import { writeXml } from '../xml/write-xml.ts';
import { noSuchUpload } from './uploads.ts';
import { objectChecksumFields } from './xml-fields.ts';

interface NamedPart {
  readonly number: number;
  readonly etag: string;
  readonly checksum: ContentChecksum | null;
}

/** What a client asks for. */
interface AskedCompletion {
  readonly named: readonly NamedPart[];
  /** The checksum of the whole that it has sent, if any. */
  readonly sent: ContentChecksum | null;
  readonly type: StoredChecksum['type'] | null;
}

/** Of an upload that agreed on none, as at AWS. */
const DEFAULT_OF_WHOLE = { algorithm: DEFAULT_CHECKSUM, type: 'FULL_OBJECT' } as const;

/** CompleteMultipartUpload. Repeated for an upload that is already completed, it returns the same response. */
export async function completeMultipartUpload(call: ObjectCall): Promise<S3Response> {
  const { request, bucket, key, ports } = call;
  const condition = readWriteCondition(request);
  const sent = readSentChecksum(request);
  const type = readChecksumType(request);
  const xml = await readBodyOfChange(call, S3_LIMITS.completeXmlBytesMax, {
    // They describe the completed object.
    isChecksumOfBody: false,
  });
  const uploadId = queryValue(request, 'uploadId') ?? '';
  const upload = await ports.findUpload(bucket, key, uploadId);
  if (upload === null) return answerAgain(call, uploadId);
  if (xml === '') throw new S3Error('InvalidRequest', 'You must specify at least one part');
  try {
    const completed = await ports.asLongWork(bucket, async () => {
      const named = readParts(await readLongXml(xml, 'CompleteMultipartUpload', call.takeTurn), uploadId);
      await call.takeTurn();
      return decide(call, upload, { named, sent, type });
    });
    return answer(call, await ports.completeUpload(bucket, upload, completed, condition));
  } catch (error) {
    if (await hasEnded(call, error, uploadId)) return answerAgain(call, uploadId);
    throw error;
  }
}

/** Returns what an upload becomes, from the parts that its client has named. */
async function decide(
  call: ObjectCall,
  upload: S3Upload,
  { named, sent, type }: AskedCompletion,
): Promise<CompletedUpload> {
  const { request, bucket, ports } = call;
  requireSameType(type, upload);
  const stored = await ports.listParts(bucket, upload.id, { after: 0, limit: S3_LIMITS.partNumberMax });
  const pieces = choosePieces(named, stored, upload);
  const size = piecesSize(pieces);
  if (size > S3_LIMITS.objectBytesMax) throw S3Error.ofSize('EntityTooLarge', size, S3_LIMITS.objectBytesMax);
  requireSaidSize(headerOf(request, 'x-amz-mp-object-size'), size);
  const checksum = await checksumOfWhole(call, upload, pieces, sent);
  return { etag: etagOf(pieces), checksum, pieceIds: pieces.map(({ id }) => id), size };
}

/** Whether the upload has ended since it was looked up: the same request came twice, or someone has abandoned it with its parts. */
async function hasEnded(
  { bucket, key, ports }: ObjectCall,
  error: unknown,
  uploadId: string,
): Promise<boolean> {
  if (!(error instanceof S3Error)) return false;
  if (error.code === 'NoSuchUpload') return true;
  return error.code === 'InvalidPart' && (await ports.findUpload(bucket, key, uploadId)) === null;
}

/** @throws NoSuchUpload unless the upload has become the object under its key */
async function answerAgain(call: ObjectCall, uploadId: string): Promise<S3Response> {
  const object = await call.ports.findObject(call.bucket, call.key);
  if (object === null || object.contentId !== uploadId) throw noSuchUpload(uploadId);
  return answer(call, object);
}

/** @throws InvalidRequest */
function requireSaidSize(said: string | null, size: number): void {
  if (said === null || said === String(size)) return;
  const invalid = (message: string) => new S3Error('InvalidRequest', message);
  if (/^-\d{1,15}$/.test(said)) {
    throw invalid(`Value for x-amz-mp-object-size header is less than zero: '${said}'`);
  }
  if (!/^\d{1,15}$/.test(said)) throw invalid(`Value for x-amz-mp-object-size header is invalid: '${said}'`);
  throw invalid(
    `The provided 'x-amz-mp-object-size' header value ${said} does not match what was computed: ${size}`,
  );
}

/** @throws MalformedXML, InvalidArgument, InvalidPartOrder */
function readParts(root: XmlElement, uploadId: string): NamedPart[] {
  const parts = childrenOf(root, 'Part');
  if (parts.length === 0 || parts.length > S3_LIMITS.partNumberMax) throw new S3Error('MalformedXML');
  const named = parts.map((part) => {
    const [number, etag] = [textOf(part, 'PartNumber')?.trim() ?? '', textOf(part, 'ETag')];
    if (!/^-?\d{1,9}$/.test(number) || etag === null) throw new S3Error('MalformedXML');
    if (Number(number) < 1) throw S3Error.ofArgument('PartNumber', number, 'PartNumber must be >= 1');
    return { number: Number(number), etag: unquote(etag.trim()), checksum: readPartChecksum(part) };
  });
  const isAscending = named.every(({ number }, at) => at === 0 || (named[at - 1]?.number ?? 0) <= number);
  if (!isAscending) throw new S3Error('InvalidPartOrder', undefined, { UploadId: uploadId });
  // A client that sent a part twice may list it twice: the later one counts.
  return named.filter(({ number }, at) => named[at + 1]?.number !== number);
}

/** @throws InvalidArgument for several, and for what cannot be one */
function readPartChecksum(part: XmlElement): NamedPart['checksum'] {
  const sent = CHECKSUM_ALGORITHMS.flatMap((algorithm) => {
    const value = textOf(part, `Checksum${algorithm}`)?.trim() ?? '';
    return value === '' ? [] : [{ algorithm, value }];
  });
  if (sent.length < 2 && sent.every(({ algorithm, value }) => isChecksum(algorithm, value))) {
    return sent[0] ?? null;
  }
  throw S3Error.ofArgument(
    'Checksum',
    sent.map(({ algorithm, value }) => `${algorithm}:${value};`).join(''),
    'Invalid Base64 or multiple checksums present in request',
  );
}

/**
 * Refuses a part that is named with a checksum of another kind than it was uploaded with, or with none where others have one and that
 * of the whole is calculated from theirs. Where no part has one, S3 refuses that too, but the checksums were verified as the parts
 * came, and some clients do not repeat them.
 * @throws BadDigest, InvalidRequest
 */
function requirePartChecksum({ number, checksum }: NamedPart, upload: S3Upload, hasOthers: boolean): void {
  if (upload.checksum === null) return;
  const { algorithm, type } = upload.checksum;
  if (checksum === null) {
    if (type === 'FULL_OBJECT' || !hasOthers) return;
    throw new S3Error(
      'InvalidRequest',
      `The upload was created using a ${algorithm.toLowerCase()} checksum. The complete request must include the checksum for each part. It was missing for part ${number} in the request.`,
    );
  }
  if (checksum.algorithm === algorithm) return;
  throw new S3Error(
    'BadDigest',
    `The ${checksum.algorithm.toLowerCase()} you specified for part ${number} did not match what we received.`,
  );
}

/** @throws InvalidPart, BadDigest, InvalidRequest, EntityTooSmall */
function choosePieces(named: readonly NamedPart[], stored: readonly S3Piece[], upload: S3Upload): S3Piece[] {
  const byNumber = new Map(stored.map((piece) => [piece.partNumber, piece]));
  const hasChecksums = named.some(({ checksum }) => checksum !== null);
  const pieces = named.map((part) => {
    const { number, etag, checksum } = part;
    const piece = byNumber.get(number);
    const invalid = () =>
      new S3Error('InvalidPart', undefined, {
        UploadId: upload.id,
        PartNumber: String(number),
        ETag: etag,
      });
    if (piece?.etag !== etag) throw invalid();
    requirePartChecksum(part, upload, hasChecksums);
    // Of an upload that agreed on no checksum, clients do not know those of the parts.
    const known = upload.checksum === null ? null : piece.checksum;
    if (checksum !== null && checksum.value !== known) throw invalid();
    return piece;
  });
  const small = pieces.slice(0, -1).find(({ size }) => size < S3_LIMITS.partBytesMin);
  if (small !== undefined) {
    throw new S3Error('EntityTooSmall', undefined, {
      ProposedSize: String(small.size),
      MinSizeAllowed: String(S3_LIMITS.partBytesMin),
      PartNumber: String(small.partNumber),
      ETag: small.etag,
    });
  }
  return pieces;
}

/** The MD5 of the parts' MD5s, and the number of parts. */
function etagOf(pieces: readonly S3Piece[]): string {
  const md5 = createHash('md5');
  for (const { etag } of pieces) md5.update(Buffer.from(etag, 'hex'));
  return `${md5.digest('hex')}-${pieces.length}`;
}

/**
 * Returns the checksum of the whole that a client has sent, with the number of parts behind it if it is calculated from theirs. One
 * that no content can have is refused before anything is said of the parts.
 * @throws InvalidRequest for several, BadDigest
 */
function readSentChecksum(request: S3Request): ContentChecksum | null {
  const algorithm = findSentAlgorithm(Object.keys(request.headers));
  if (algorithm === null) return null;
  const value = headerOf(request, checksumHeader(algorithm)) ?? '';
  if (!isChecksum(algorithm, value.replace(/-\d{1,5}$/, ''))) throw wrongWhole(algorithm);
  return { algorithm, value };
}

/** The refusal of a checksum of the whole: S3 writes its algorithm in small letters, and in capitals for an object or a part. */
function wrongWhole(algorithm: ChecksumAlgorithm): S3Error {
  const name = algorithm.toLowerCase();
  return new S3Error('BadDigest', `The ${name} you specified did not match the calculated checksum.`);
}

/**
 * Requires that a client names the type of checksum that the upload was created with, if it names one.
 * @throws InvalidRequest
 */
function requireSameType(named: StoredChecksum['type'] | null, { checksum }: S3Upload): void {
  const type = checksum?.type ?? null;
  if ((named ?? type) === type) return;
  throw new S3Error(
    'InvalidRequest',
    `The upload was created using the ${type} checksum mode. The complete request must use the same checksum mode.`,
  );
}

/**
 * Returns the checksum of the object, from those of its parts.
 * @param sent the checksum that the client has sent, if any; that of another algorithm cannot be the same
 * @throws BadDigest
 */
async function checksumOfWhole(
  { takeTurn }: ObjectCall,
  { checksum }: S3Upload,
  pieces: readonly S3Piece[],
  sent: ContentChecksum | null,
): Promise<StoredChecksum | null> {
  // Parts that an older version stored have none.
  if (checksum === null && pieces.some((piece) => piece.checksum === null)) return null;
  const { algorithm, type } = checksum ?? DEFAULT_OF_WHOLE;
  // Of an upload that agreed on none, a checksum of another algorithm is not looked at.
  const compared = checksum === null && sent?.algorithm !== algorithm ? null : sent;
  const value = await calculateChecksum({ algorithm, type }, pieces, takeTurn);
  const isSame =
    compared === null ||
    (compared.algorithm === algorithm &&
      (compared.value === value || `${compared.value}-${pieces.length}` === value));
  if (!isSame) throw wrongWhole(algorithm);
  return { algorithm, type, value };
}

async function calculateChecksum(
  { algorithm, type }: NonNullable<S3Upload['checksum']>,
  pieces: readonly S3Piece[],
  takeTurn: () => Promise<void>,
): Promise<string> {
  const parts = pieces.map(({ size, checksum }) => ({ size, checksum: checksum ?? '' }));
  if (type === 'FULL_OBJECT') return combineCrcs(algorithm, parts, takeTurn);
  const bytes = Buffer.concat(parts.map(({ checksum }) => Buffer.from(checksum, 'base64')));
  return `${await checksumOf(algorithm, bytes)}-${parts.length}`;
}

function answer({ bucket, key, request }: ObjectCall, { etag, checksum }: S3Object): S3Response {
  return {
    status: 200,
    body: writeXml('CompleteMultipartUploadResult', {
      Location: `${request.origin}${request.rawPath}`,
      Bucket: bucket.name,
      Key: key,
      ETag: `"${etag}"`,
      ...(checksum && objectChecksumFields(checksum)),
    }),
  };
}
