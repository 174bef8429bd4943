import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { corsHeaders } from './answer-cors.ts';
import { answerRequest } from './answer-request.ts';
import { answerUnreadable } from './answer-unreadable.ts';
import type { S3Answer } from './call.ts';
import { deadLinkPage } from './dead-link-page.ts';
import type { OperationName } from './operation.ts';
import type { S3Bucket, S3Ports } from './ports.ts';
import { S3Error } from './s3-error.ts';
import type { S3Settings } from './s3-settings.ts';
import { writeXml } from './xml/write-xml.ts';

const HEADERS_TIMEOUT_MS = 15_000;
const HEADERS_CHECK_MS = 5_000;
const KEEP_ALIVE_MS = 65_000;
/** Metadata of 2 KiB, an escaped key of 1,024 bytes, and the query of a presigned address. */
const HEADER_BYTES_MAX = 32 * 1024;
const RETRY_SECONDS = '5';
/** As S3 writes them; case means nothing in HTTP, and something to scripts. */
const SPELLINGS = new Map(
  [
    'ETag',
    'Last-Modified',
    'Content-Type',
    'Content-Length',
    'Content-Range',
    'Accept-Ranges',
    'Location',
  ].map((name) => [name.toLowerCase(), name] as const),
);

export interface S3Parts {
  readonly ports: S3Ports;
  readonly settings: S3Settings;
  /** Epoch milliseconds. */
  now(): number;
  newRequestId(): string;
  /** Called for every answer, once it is complete; `operation` is null when it could not be determined. */
  onAnswered(request: IncomingMessage, answer: S3Answered): void;
  /** Whether the client may have one more request in progress. */
  admit(request: IncomingMessage, response: ServerResponse): boolean;
  /** Whether the client may read one more object of a public bucket without access to it, until the response closes. */
  admitPublicRead(bucketName: string, request: IncomingMessage, response: ServerResponse): boolean;
}

/** How a request was answered. */
export interface S3Answered {
  readonly id: string;
  readonly operation: OperationName | null;
  readonly status: number;
  /** Of the body. */
  readonly bytes: number;
  readonly ms: number;
}

/**
 * Returns the listener of the S3 service. Every request is answered, even with an error, and ends on its own.
 */
export function createS3Server(parts: S3Parts): Server {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: HEADERS_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: 0,
  });
  const handle = (request: IncomingMessage, response: ServerResponse) =>
    void answer(parts, request, response);
  server.on('request', handle);
  // Each of the requests that a client sends at once listens for the end of their connection.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  answerUnreadable(server, parts.newRequestId);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // A client that waits for 100 (Continue) does not send a body that its head already disqualifies.
    const { read } = request;
    request.read = (size?: number) => {
      request.read = read;
      if (!response.headersSent) response.writeContinue();
      return read.call(request, size);
    };
    // Emitted like every request, so that observers of requests see this one.
    server.emit('request', request, response);
  });
  // An unknown expectation is ignored, as by S3; Node would answer 417.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );
  return server;
}

async function answer(parts: S3Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = parts.newRequestId();
  const startedAt = performance.now();
  let operation: OperationName | null = null;
  let bucket: S3Bucket | null = null;
  // The reader of an upload handles the end of its connection; without a listener it would end the process.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  let given: S3Answer;
  try {
    if (!parts.admit(request, response)) throw new S3Error('SlowDown');
    given = await answerRequest(request, parts.ports, parts.settings, {
      id,
      now: parts.now(),
      noteOperation: (known) => {
        operation = known;
      },
      noteBucket: (known) => {
        bucket = known;
      },
      admitPublicRead: (name) => parts.admitPublicRead(name, request, response),
    });
  } catch (error) {
    given = toErrorAnswer(parts, error, request, id);
  }
  // TypeScript does not see that a callback assigns it.
  const metered = bucket as S3Bucket | null;
  given = { ...given, headers: { ...corsHeaders(request, metered, parts.settings), ...given.headers } };
  const sent = await send(request, response, given, { id, region: parts.settings.region }).catch(
    (error: unknown) => {
      parts.ports.reportFailure(error, id);
      response.destroy();
      return 0;
    },
  );
  const ms = performance.now() - startedAt;
  parts.onAnswered(request, { id, operation, status: given.status, bytes: sent, ms });
  if (metered === null) return;
  const isTaken = given.status < 300 && request.complete;
  const body = isTaken ? Number(request.headers['content-length'] ?? 0) : 0;
  parts.ports.count(metered, {
    status: given.status,
    bytesIn: given.receivedBytes ?? body,
    bytesOut: sent,
  });
}

/** Sends an answer and returns how many bytes of the body were handed to the connection. */
async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers = {}, body }: S3Answer,
  { id, region }: { id: string; region: string },
): Promise<number> {
  if (response.destroyed) return 0;
  response.statusCode = status;
  response.setHeader('x-amz-request-id', id);
  response.setHeader('x-amz-id-2', id);
  response.setHeader('x-amz-bucket-region', region);
  response.setHeader('server', 'Portage');
  for (const [name, value] of Object.entries(headers)) response.setHeader(SPELLINGS.get(name) ?? name, value);
  // A client that waits for 100 (Continue) may or may not send its body after a refusal.
  if (!request.complete && status >= 400 && request.headers.expect !== undefined) {
    response.setHeader('connection', 'close');
  }
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body ?? '', 'utf8');
    if (typeof body === 'string' && bytes.byteLength > 0)
      response.setHeader('content-type', headers['content-type'] ?? 'application/xml');
    const hasNone = status === 204 || status === 304 || request.method === 'HEAD';
    if (!hasNone) response.setHeader('content-length', bytes.byteLength);
    const isInTurn = response.socket !== null;
    response.end(hasNone ? undefined : bytes);
    if (hasNone) return 0;
    return isInTurn || (await comesToTurn(response)) ? bytes.byteLength : 0;
  }
  response.setHeader('content-length', body.length);
  const { socket } = request;
  let before = response.socket?.bytesWritten ?? null;
  response.once('socket', () => {
    before = socket.bytesWritten;
  });
  // A client that disconnects while reading is not our failure.
  await sendChunks(body.read(), response).catch((error: unknown) => {
    if (!isClosedByClient(error)) throw error;
  });
  return before === null ? 0 : Math.max(0, Math.min(body.length, socket.bytesWritten - before));
}

/** Resolves with whether an answer that waits for others of its connection is sent before that ends. */
function comesToTurn(response: ServerResponse): Promise<boolean> {
  const { socket } = response.req;
  if (socket.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = () => resolve(false);
    socket.once('close', end);
    response.once('socket', () => {
      socket.removeListener('close', end);
      resolve(true);
    });
  });
}

/** Sends bytes while the next are read, as fast as the client takes them. */
async function sendChunks(chunks: AsyncIterable<Uint8Array>, response: ServerResponse): Promise<void> {
  const { socket } = response.req;
  const ended = Promise.withResolvers<never>();
  // An answer that waits for others of its connection is not told when that ends.
  const end = () => ended.reject(Object.assign(new Error('the client has gone'), { code: 'ECONNRESET' }));
  socket.once('close', end);
  // Callers that wait for either receive the error; until then it must not be an unhandled rejection.
  ended.promise.catch(() => undefined);
  try {
    if (socket.destroyed) end();
    let sending: Promise<void> = Promise.resolve();
    for await (const chunk of chunks) {
      await sending;
      sending = Promise.race([write(response, chunk), ended.promise]);
      sending.catch(() => undefined);
    }
    await sending;
    response.end();
  } finally {
    socket.removeListener('close', end);
  }
}

/** Resolves once the system has taken the bytes. */
function write(response: ServerResponse, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

function isClosedByClient(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return (
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    code === 'ERR_STREAM_DESTROYED' ||
    code === 'ECONNRESET' ||
    code === 'EPIPE'
  );
}

function toErrorAnswer({ ports }: S3Parts, error: unknown, request: IncomingMessage, id: string): S3Answer {
  const refusal = toRefusal(ports, error, request, id);
  const page = deadLinkPage(request, refusal);
  if (page !== null) return page;
  const { code, message, status, details, headers } = refusal;
  const path = request.url?.split('?')[0] ?? '/';
  const body = writeXml(
    'Error',
    { Code: code, Message: message, ...details, Resource: path, RequestId: id, HostId: id },
    null,
  );
  // Here S3 leaves quotes as they are, and clients look for its sentences.
  const text = body.replaceAll('&quot;', '"');
  return {
    status,
    body: text,
    headers: { ...headers, ...(status === 503 && { 'retry-after': RETRY_SECONDS }) },
  };
}

function toRefusal(ports: S3Ports, error: unknown, request: IncomingMessage, id: string): S3Error {
  if (error instanceof S3Error) return error;
  // A store that breaks off fails with the same codes, while the client is still there.
  const isAborted = request.destroyed && !request.complete;
  if (isAborted && isClosedByClient(error)) return new S3Error('IncompleteBody');
  ports.reportFailure(error, id);
  return new S3Error(ports.isOutage(error) ? 'ServiceUnavailable' : 'InternalError');
}
