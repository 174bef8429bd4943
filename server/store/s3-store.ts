import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { Circuit } from '#server/circuit.ts';
import { ConfigError } from '#server/config.ts';
import { AppError } from '#server/errors.ts';
import type { Outgoing } from '#server/outgoing.ts';
import {
  type BlobEncoding,
  type BlobHandle,
  type BlobStore,
  blobName,
  type ExpectedContent,
  hashOfBlobName,
  type StagedBlob,
  type StoredBlob,
} from './blob-store.ts';
import { asSizeMismatch, verifySpooled } from './directory-store.ts';
import { chunksOf, Spool, type SpoolOptions } from './spool.ts';

/** Larger files are streamed to the engine. */
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;
const ATTEMPTS = 3;
const CONNECT_MS_MAX = 3_000;
const SILENCE_MS_MAX = 10_000;
/** Of a question without a body, repeats included. */
const QUESTION_MS_MAX = 15_000;
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const CHECK_KEY = 'portage-write-check';

/**
 * Returns a store in a bucket of any S3 engine: `s3://key:secret@host[:port]/bucket[/prefix]?region=…&scheme=https|http`.
 * Content is spooled in the data directory until its hash is verified: the bucket never holds an unverified blob.
 */
export async function openS3Store(
  url: string,
  dataDir: string,
  outgoing: Outgoing,
  options: SpoolOptions = {},
): Promise<BlobStore> {
  const settings = parseS3Url(url);
  const spool = new Spool(join(dataDir, 'spool'), options);
  await spool.prepare();
  const client = new S3Client({
    endpoint: settings.endpoint,
    region: settings.region,
    credentials: settings.credentials,
    forcePathStyle: true,
    // Many engines know neither trailers nor the newer checksums; our own hash is stronger and always there.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Without progress for so long the engine is away; a large body may take its time as long as it moves.
    requestHandler: { connectionTimeout: CONNECT_MS_MAX, socketTimeout: SILENCE_MS_MAX },
    // Errors reach our own log with the request they belong to.
    logger: SILENT,
  });
  const circuit = outgoing.circuit('store', isTransient);
  return new S3Store(client, circuit, settings.bucket, settings.prefix, spool);
}

interface S3Settings {
  endpoint: string;
  region: string;
  bucket: string;
  /** Empty, or ends with a slash. */
  prefix: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}

/** @throws ConfigError naming OBJECT_STORE_URL, never echoing it */
export function parseS3Url(url: string): S3Settings {
  const parsed = new URL(url);
  const [bucket = '', ...rest] = decodeURIComponent(parsed.pathname).split('/').filter(Boolean);
  const scheme = parsed.searchParams.get('scheme') ?? 'https';
  if (parsed.username === '' || parsed.password === '' || bucket === '' || parsed.host === '') {
    throw new ConfigError(
      'OBJECT_STORE_URL cannot be used: it must be s3://key:secret@host/bucket?region=….',
    );
  }
  if (scheme !== 'https' && scheme !== 'http') {
    throw new ConfigError('OBJECT_STORE_URL cannot be used: scheme must be https or http.');
  }
  return {
    endpoint: `${scheme}://${parsed.host}`,
    region: parsed.searchParams.get('region') ?? 'us-east-1',
    bucket,
    prefix: rest.length === 0 ? '' : `${rest.join('/')}/`,
    credentials: {
      accessKeyId: decodeURIComponent(parsed.username),
      secretAccessKey: decodeURIComponent(parsed.password),
    },
  };
}

class S3Store implements BlobStore {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;
  private readonly spool: Spool;
  private readonly circuit: Circuit;

  constructor(client: S3Client, circuit: Circuit, bucket: string, prefix: string, spool: Spool) {
    this.client = client;
    this.circuit = circuit;
    this.bucket = bucket;
    this.prefix = prefix;
    this.spool = spool;
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
      verifySpooled({ path: '', sha256: actual, size: content.byteLength }, sha256, encoding, expected.size);
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

  async open(sha256: string, encoding: BlobEncoding): Promise<BlobHandle | null> {
    const key = this.keyOf(sha256, encoding);
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
        for await (const chunk of chunksOf(await getRange(position, end))) {
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

  async remove(sha256: string): Promise<void> {
    for (const encoding of ['br', 'gzip', 'identity'] as const) {
      const command = new DeleteObjectCommand({ Bucket: this.bucket, Key: this.keyOf(sha256, encoding) });
      await this.circuit.run(() => this.client.send(command, inTime()));
    }
  }

  async *list(): AsyncIterable<StoredBlob> {
    let token: string | undefined;
    do {
      const command: ListObjectsV2Command = new ListObjectsV2Command({
        Bucket: this.bucket,
        Prefix: this.prefix,
        ContinuationToken: token,
      });
      const page = await this.circuit.run(() => this.client.send(command, inTime()));
      for (const object of page.Contents ?? []) {
        const sha256 = hashOfBlobName(object.Key ?? '');
        if (sha256 !== null && object.LastModified) yield { sha256, storedAt: object.LastModified.getTime() };
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  cleanUp(): Promise<void> {
    return this.spool.cleanUp();
  }

  async check(): Promise<void> {
    const key = `${this.prefix}${CHECK_KEY}`;
    await this.send(key, Buffer.from('ready?'), 6);
    const command = new DeleteObjectCommand({ Bucket: this.bucket, Key: key });
    await this.circuit.run(() => this.client.send(command, inTime()));
  }

  private keyOf(sha256: string, encoding: BlobEncoding): string {
    return `${this.prefix}${blobName(sha256, encoding)}`;
  }

  /** The SDK repeats a failed upload only when it holds the bytes, so larger ones are begun again here. */
  private async sendFile(key: string, file: { path: string; size: number }): Promise<void> {
    if (file.size <= BUFFERED_BYTES_MAX) {
      await this.send(key, await readFile(file.path), file.size);
      return;
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.sendStream(key, file);
        return;
      } catch (error) {
        if (attempt >= ATTEMPTS || !isTransient(error)) throw error;
      }
    }
  }

  private async sendStream(key: string, file: { path: string; size: number }): Promise<void> {
    const body = createReadStream(file.path);
    // An open circuit never reads it, and the file may be gone before it is opened: nobody else would hear of that.
    body.on('error', () => undefined);
    try {
      await this.send(key, body, file.size);
    } finally {
      body.destroy();
    }
  }

  private async send(key: string, body: Readable | Buffer, size: number): Promise<void> {
    try {
      const command = new PutObjectCommand({
        Bucket: this.bucket,
        Key: key,
        Body: body,
        ContentLength: size,
      });
      await this.circuit.run(() => this.client.send(command));
    } catch (error) {
      if (isFull(error)) throw new AppError('storage_full', {}, [], { cause: error });
      throw error;
    }
  }

  private async sizeOf(key: string): Promise<number | null> {
    try {
      const command = new HeadObjectCommand({ Bucket: this.bucket, Key: key });
      const head = await this.circuit.run(() => this.client.send(command, inTime()));
      return head.ContentLength ?? 0;
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return null;
      throw error;
    }
  }

  private async getRange(key: string, start: number, end: number): Promise<Readable> {
    if (end < start) return Readable.from([]);
    const command = new GetObjectCommand({ Bucket: this.bucket, Key: key, Range: `bytes=${start}-${end}` });
    const { Body } = await this.circuit.run(() => this.client.send(command));
    if (!(Body instanceof Readable)) throw new TypeError('the S3 engine answered without a body');
    return Body;
  }
}

function inTime(): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(QUESTION_MS_MAX) };
}

/** Whether the same upload may succeed a moment later: the engine failed, or the connection did. */
function isTransient(error: unknown): boolean {
  if (error instanceof AppError) return false;
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  return status === undefined || status >= 500 || status === 429;
}

/** Whether an engine says that it has no room: by status 507, or by the names that engines use. */
function isFull(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false;
  return (
    error.$metadata.httpStatusCode === 507 || /QuotaExceeded|StorageFull|InsufficientStorage/.test(error.name)
  );
}
