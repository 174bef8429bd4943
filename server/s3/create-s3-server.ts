import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { answerRequest } from './answer-request.ts';
import { answerUnreadable } from './answer-unreadable.ts';
import type { S3Response } from './call.ts';
import { corsHeaders } from './cors/answer-cors.ts';
import { deadLinkPage } from './dead-link-page.ts';
import { holdResponse } from './hold-response.ts';
import { HeldMemory, type MemoryHolder, type MemoryShares } from './memory-shares.ts';
import type { OperationName } from './operation.ts';
import type { S3Bucket, S3Ports } from './ports.ts';
import { S3Error } from './s3-error.ts';
import type { S3Settings } from './s3-settings.ts';
import { isClosedByPeer, onceOver, sendResponse } from './send-response.ts';
import type { Turns } from './turns.ts';
import { writeError } from './xml/write-error.ts';

const HEADERS_TIMEOUT_MS = 15_000;
const HEADERS_CHECK_MS = 5_000;
const KEEP_ALIVE_MS = 65_000;
/** Metadata of 2 KiB, an escaped key of 1,024 bytes, and the query of a presigned address. */
const HEADER_BYTES_MAX = 32 * 1024;
const RETRY_SECONDS = '5';
export interface S3Parts {
  readonly ports: S3Ports;
  readonly settings: S3Settings;
  /** Epoch milliseconds. */
  now(): number;
  newRequestId(): string;
  /** Whose requests take turns before it is known who signed them. */
  clientOf(request: IncomingMessage): string;
  /** The turns of clients, and those of the organizations that have signed. */
  readonly turns: { readonly clients: Turns; readonly owners: Turns };
  /** What requests hold until their responses have been taken: those of clients who have not signed, by client, and those of organizations. */
  readonly memory: { readonly clients: MemoryShares; readonly owners: MemoryShares };
  /** Called for every response, once it is complete; `operation` is null when it could not be determined. */
  onAnswered(request: IncomingMessage, response: S3ResponseSummary): void;
  /** Whether the client may have one more request in progress. */
  admit(request: IncomingMessage, response: ServerResponse): boolean;
  /** Whether the client may read one more object of a public bucket without access to it, until the response closes. */
  admitPublicRead(bucketName: string, request: IncomingMessage, response: ServerResponse): boolean;
}

/** How a request was answered. */
export interface S3ResponseSummary {
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
    // A request without a host is refused in S3's words.
    requireHostHeader: false,
  });
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    // The reader of an upload handles the end of its connection; without a listener it would end the process.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const startedAt = performance.now();
    parts.turns.clients.take(parts.clientOf(request), () => {
      if (request.socket.destroyed) return false;
      answer(parts, request, response, startedAt).catch((error: unknown) => {
        parts.ports.reportFailure(error, '');
        response.destroy();
      });
      return true;
    });
  };
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

async function answer(
  parts: S3Parts,
  request: IncomingMessage,
  response: ServerResponse,
  startedAt: number,
): Promise<void> {
  const id = parts.newRequestId();
  let operation: OperationName | null = null;
  let bucket: S3Bucket | null = null;
  let given: S3Response;
  // A request that is not read to its end loses it.
  const { socket } = request;
  const held = new HeldMemory();
  let holder: MemoryHolder = { shares: parts.memory.clients, name: parts.clientOf(request) };
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
      takeTurn(ownerId, cost) {
        if (holder.name !== ownerId) holder = { shares: parts.memory.owners, name: ownerId };
        return takeTurn(parts, request, ownerId, cost);
      },
      hold: (bytes) => held.hold(holder, bytes),
      admitPublicRead: (name) => parts.admitPublicRead(name, request, response),
    });
    given = await holdResponse(given, held, holder);
  } catch (error) {
    // That of a refusal may repeat a long head.
    given = await holdResponse(toErrorResponse(parts, error, request, id), held, holder).catch((tooMuch) =>
      toErrorResponse(parts, tooMuch, request, id),
    );
  }
  if (!held.isEmpty) onceOver(response, socket, () => held.release());
  // TypeScript does not see that a callback assigns it.
  const metered = bucket as S3Bucket | null;
  given = { ...given, headers: { ...corsHeaders(request, metered, parts.settings), ...given.headers } };
  const sending = {
    id,
    region: parts.settings.region,
    // A client that has gone is noticed by what is sent to it.
    takeTurn: () => takeTurn(parts, request, metered?.ownerId ?? '', 1).catch(() => undefined),
  };
  const sent = await sendResponse(request, response, given, sending).catch((error: unknown) => {
    parts.ports.reportFailure(error, id);
    response.destroy();
    return 0;
  });
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

/** @throws RequestTimeout when the client has gone before its turn */
function takeTurn(parts: S3Parts, { socket }: IncomingMessage, ownerId: string, cost: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      if (socket.destroyed) reject(new S3Error('RequestTimeout'));
      else resolve();
      return !socket.destroyed;
    };
    parts.turns.owners.take(ownerId, begin, cost);
  });
}

function toErrorResponse(
  { ports }: S3Parts,
  error: unknown,
  request: IncomingMessage,
  id: string,
): S3Response {
  const refusal = toRefusal(ports, error, request, id);
  const page = deadLinkPage(request, refusal);
  if (page !== null) return page;
  const { status, headers } = refusal;
  const path = request.url?.split('?')[0] ?? '/';
  return {
    status,
    body: writeError(refusal, { id, path }),
    headers: { ...headers, ...(status === 503 && { 'retry-after': RETRY_SECONDS }) },
  };
}

function toRefusal(ports: S3Ports, error: unknown, request: IncomingMessage, id: string): S3Error {
  if (error instanceof S3Error) return error;
  // A store that breaks off fails with the same codes, while the client is still there.
  const isAborted = request.destroyed && !request.complete;
  if (isAborted && isClosedByPeer(error)) return new S3Error('IncompleteBody');
  ports.reportFailure(error, id);
  return new S3Error(ports.isOutage(error) ? 'ServiceUnavailable' : 'InternalError');
}
