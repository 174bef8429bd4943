import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { AppError, serviceUnavailable } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import type { Circuit } from '#server/outgoing/circuit.ts';
import type { Outgoing } from '#server/outgoing/outgoing.ts';
import {
  type BlobEncoding,
  type BlobHandle,
  type BlobStore,
  blobName,
  type ExpectedContent,
  hashOfBlobName,
  type StagedBlob,
  type StoredBlob,
} from '../blob-store.ts';
import type { PieceStore, StagedPiece } from '../piece-store.ts';
import { Spool, type SpoolOptions } from '../spool.ts';
import { asSizeMismatch, verifySpooled } from '../verify-spooled.ts';
import { parseS3Url, type S3Location } from './parse-s3-url.ts';
import {
  isTransient,
  REPEAT_WITHIN_MS,
  repeat,
  S3_BOUNDS,
  type S3Bounds,
  unlessSilent,
  uploadMs,
} from './s3-calls.ts';

/** Larger files are streamed to the engine. */
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const PIECES = 'objects/';
const CHECK_KEY = 'portage-write-check';

/**
 * Returns a store in a bucket of any S3 engine:
 * `s3://key:secret@host[:port]/bucket[/prefix]?region=…&scheme=https|http`. Content is spooled in the data
 * directory until its hash is verified: the bucket never contains an unverified blob.
 */
export async function openS3Store(
  url: string,
  dataDir: string,
  outgoing: Outgoing,
  options: SpoolOptions = {},
  bounds: S3Bounds = S3_BOUNDS,
): Promise<BlobStore> {
  const settings = parseS3Url(url);
  const spool = new Spool(join(dataDir, 'spool'), options);
  await spool.prepare();
  const common = {
    endpoint: settings.endpoint,
    region: settings.region,
    credentials: settings.credentials,
    forcePathStyle: true,
    // Many engines support neither trailers nor the newer checksums; our own hash is stronger and always
    // there.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Retried here, by rules that know how long the caller has waited.
    maxAttempts: 1,
    // Errors are written to our own log with the request they belong to.
    logger: SILENT,
  } as const;
  const { connectMs, silenceMs } = bounds;
  const clients = {
    // Received bodies are only watched while data is requested: a visitor who pauses is not a silent engine.
    asking: new S3Client({ ...common, requestHandler: { connectionTimeout: connectMs } }),
    sending: new S3Client({
      ...common,
      requestHandler: { connectionTimeout: connectMs, socketTimeout: silenceMs },
    }),
  };
  const circuit = outgoing.circuit('store', isTransient);
  const store = new S3Store(clients, circuit, settings, spool, bounds);
  circuit.probeWith(() => store.probe());
  return store;
}

interface Clients {
  asking: S3Client;
  sending: S3Client;
}

class S3Store implements BlobStore {
  readonly pieces: PieceStore = {
    receive: (content, { announcedBytes, id }) => this.receivePiece(content, announcedBytes, id),
    open: (id) => this.openKey(this.pieceKey(id)),
    readPart: (id, part) => this.readPart(this.pieceKey(id), part),
    copy: (id) => this.copyPiece(id),
    remove: (id) => this.removeKey(this.pieceKey(id)),
    list: () => this.listPieces(),
  };
  private readonly clients: Clients;
  private readonly bucket: string;
  private readonly prefix: string;
  private readonly spool: Spool;
  private readonly circuit: Circuit;
  private readonly bounds: S3Bounds;

  constructor(
    clients: Clients,
    circuit: Circuit,
    { bucket, prefix }: S3Location,
    spool: Spool,
    bounds: S3Bounds,
  ) {
    this.clients = clients;
    this.circuit = circuit;
    this.bucket = bucket;
    this.prefix = prefix;
    this.spool = spool;
    this.bounds = bounds;
  }

  async put(
    sha256: string,
    encoding: BlobEncoding,
    content: Readable | Buffer,
    expected: ExpectedContent,
  ): Promise<void> {
    const key = this.keyOf(sha256, encoding);
    if (Buffer.isBuffer(content)) {
      const actual = createHash('sha256').update(content).digest('hex');
      verifySpooled({ sha256: actual, size: content.byteLength }, sha256, encoding, expected.size);
      await this.send(key, content, content.byteLength);
      return;
    }
    const sizeMax = expected.size ?? Number.POSITIVE_INFINITY;
    const file = await this.spool
      .receive(content, { sizeMax, announcedBytes: expected.size, isDurable: false })
      .catch((error: unknown) => {
        throw asSizeMismatch(error, sha256, expected.size);
      });
    try {
      verifySpooled(file, sha256, encoding, expected.size);
      await this.sendFile(key, file);
    } finally {
      await rm(file.path, { force: true });
    }
  }

  /** What the engine has acknowledged is durable. */
  async settle(): Promise<void> {}

  async stage(content: Readable | Buffer, options: { sizeMax: number }): Promise<StagedBlob> {
    const file = await this.spool.receive(content, { sizeMax: options.sizeMax, isDurable: false });
    return {
      path: file.path,
      sha256: file.sha256,
      size: file.size,
      store: () => this.sendFile(this.keyOf(file.sha256, 'identity'), file),
      discard: () => rm(file.path, { force: true }),
    };
  }

  async has(sha256: string, encoding: BlobEncoding): Promise<boolean> {
    return (await this.sizeOf(this.keyOf(sha256, encoding))) !== null;
  }

  open(sha256: string, encoding: BlobEncoding): Promise<BlobHandle | null> {
    return this.openKey(this.keyOf(sha256, encoding));
  }

  private async openKey(key: string): Promise<BlobHandle | null> {
    const size = await this.sizeOf(key);
    if (size === null) return null;
    const getRange = (start: number, end: number) => this.getRange(key, start, end);
    return {
      size,
      isLocal: false,
      async read(target, offset, length, position) {
        const end = Math.min(position + length, size) - 1;
        if (end < position) return 0;
        let written = 0;
        for await (const chunk of await getRange(position, end)) {
          target.set(chunk, offset + written);
          written += chunk.byteLength;
        }
        return written;
      },
      stream(start, end) {
        const output = new PassThrough();
        getRange(start, end)
          .then((body) => pipeline(body, output))
          .catch((error: unknown) =>
            output.destroy(error instanceof Error ? error : new Error(String(error))),
          );
        return output;
      },
      close: async () => undefined,
    };
  }

  private async readPart(
    key: string,
    { start, length }: { start: number; length: number },
  ): Promise<Buffer | null> {
    const handle = await this.openKey(key);
    if (handle === null) return null;
    const target = Buffer.allocUnsafe(length);
    return target.subarray(0, await handle.read(target, 0, length, start));
  }

  async remove(sha256: string): Promise<void> {
    for (const encoding of ['br', 'gzip', 'identity'] as const)
      await this.removeKey(this.keyOf(sha256, encoding));
  }

  private async removeKey(key: string): Promise<void> {
    const command = new DeleteObjectCommand({ Bucket: this.bucket, Key: key });
    await this.ask((client, inTime) => client.send(command, inTime));
  }

  async *list(): AsyncIterable<StoredBlob> {
    for await (const { key, storedAt } of this.listKeys(this.prefix)) {
      const sha256 = hashOfBlobName(key);
      if (sha256 !== null) yield { sha256, storedAt };
    }
  }

  private async *listPieces(): AsyncIterable<{ id: string; storedAt: number }> {
    const prefix = this.prefix + PIECES;
    for await (const { key, storedAt } of this.listKeys(prefix))
      yield { id: key.slice(prefix.length), storedAt };
  }

  private async *listKeys(prefix: string): AsyncIterable<{ key: string; storedAt: number }> {
    let token: string | undefined;
    do {
      const command: ListObjectsV2Command = new ListObjectsV2Command({
        Bucket: this.bucket,
        Prefix: prefix,
        ContinuationToken: token,
      });
      const page = await this.ask((client, inTime) => client.send(command, inTime));
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (Key !== undefined && LastModified) yield { key: Key, storedAt: LastModified.getTime() };
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  private async receivePiece(content: Readable, announcedBytes: number, id = newId()): Promise<StagedPiece> {
    const file = await this.spool.receiveUnhashed(content, {
      sizeMax: Number.POSITIVE_INFINITY,
      announcedBytes,
      isDurable: false,
    });
    return {
      id,
      size: file.size,
      keep: async () => {
        await this.sendFile(this.pieceKey(id), file);
        await rm(file.path, { force: true });
      },
      discard: async () => {
        await rm(file.path, { force: true });
      },
    };
  }

  private async copyPiece(id: string): Promise<string> {
    const copy = newId();
    const CopySource = `${this.bucket}/${this.pieceKey(id)}`;
    const command = new CopyObjectCommand({ Bucket: this.bucket, Key: this.pieceKey(copy), CopySource });
    // The engine reads and writes all of it before it responds.
    await this.circuit.run(() => repeat(() => this.clients.sending.send(command), REPEAT_WITHIN_MS));
    return copy;
  }

  private pieceKey(id: string): string {
    return `${this.prefix}${PIECES}${id}`;
  }

  cleanUp(): Promise<void> {
    return this.spool.cleanUp();
  }

  async check(): Promise<void> {
    const key = `${this.prefix}${CHECK_KEY}`;
    const content = Buffer.from('ready?');
    await this.send(key, content, content.byteLength);
    await this.removeKey(key);
  }

  /** Asks whether an object exists, past the circuit breaker: any response shows that the store is back. @throws without one */
  async probe(): Promise<void> {
    const command = new HeadObjectCommand({ Bucket: this.bucket, Key: `${this.prefix}${CHECK_KEY}` });
    await this.clients.asking.send(command, { abortSignal: AbortSignal.timeout(this.bounds.questionMs) });
  }

  private keyOf(sha256: string, encoding: BlobEncoding): string {
    return `${this.prefix}${blobName(sha256, encoding)}`;
  }

  private async sendFile(key: string, file: { path: string; size: number }): Promise<void> {
    if (file.size <= BUFFERED_BYTES_MAX) await this.send(key, await readFile(file.path), file.size);
    else await this.send(key, () => createReadStream(file.path), file.size);
  }

  /** Each attempt at a stream begins a new one. */
  private async send(key: string, content: Buffer | (() => Readable), size: number): Promise<void> {
    const attempt = async () => {
      const body = Buffer.isBuffer(content) ? content : content();
      // A rejected upload never reads the stream, and the file may be deleted before it is opened: nothing
      // else would handle that error.
      if (body instanceof Readable) body.on('error', () => undefined);
      const input = { Bucket: this.bucket, Key: key, Body: body, ContentLength: size };
      try {
        const inTime = { abortSignal: AbortSignal.timeout(uploadMs(size, this.bounds)) };
        const { ETag } = await this.clients.sending.send(new PutObjectCommand(input), inTime);
        // Something in front of the engine can answer 200 in its place: nothing has been stored then.
        if (ETag === undefined)
          throw serviceUnavailable(new Error('the upload was not answered by an S3 engine'));
      } finally {
        if (body instanceof Readable) body.destroy();
      }
    };
    const isLarge = size > BUFFERED_BYTES_MAX;
    try {
      await this.circuit.run(() => repeat(attempt, isLarge ? Number.POSITIVE_INFINITY : REPEAT_WITHIN_MS));
    } catch (error) {
      if (isFull(error)) throw new AppError('storage_full', {}, [], { cause: error });
      throw error;
    }
  }

  /** Makes a call that returns immediately. */
  private ask<T>(
    question: (client: S3Client, inTime: { abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const abortSignal = AbortSignal.timeout(this.bounds.questionMs);
    return this.circuit.run(() =>
      repeat(() => question(this.clients.asking, { abortSignal }), REPEAT_WITHIN_MS),
    );
  }

  private async sizeOf(key: string): Promise<number | null> {
    try {
      const command = new HeadObjectCommand({ Bucket: this.bucket, Key: key });
      const head = await this.ask((client, inTime) => client.send(command, inTime));
      return head.ContentLength ?? 0;
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return null;
      throw error;
    }
  }

  private async getRange(key: string, start: number, end: number): Promise<Readable> {
    if (end < start) return Readable.from([]);
    const command = new GetObjectCommand({ Bucket: this.bucket, Key: key, Range: `bytes=${start}-${end}` });
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.bounds.questionMs);
    try {
      const { Body } = await this.circuit.run(() =>
        repeat(() => this.clients.asking.send(command, { abortSignal: late.signal }), REPEAT_WITHIN_MS),
      );
      if (!(Body instanceof Readable)) throw new TypeError('the S3 engine answered without a body');
      return unlessSilent(Body, this.bounds);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Whether an engine reports that it has no space: by status 507, or by the error names that engines use. */
function isFull(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false;
  return (
    error.$metadata.httpStatusCode === 507 || /QuotaExceeded|StorageFull|InsufficientStorage/.test(error.name)
  );
}
