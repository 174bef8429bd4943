import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestsAhead } from '../connections/requests-ahead.ts';
import { answerRequest } from './answer-request.ts';
import type { EdgeConnection } from './connections/edge-connection.ts';
import { bodyBytesOf, type EdgeParts, type EdgeReply, type EdgeRequest, visitorOf } from './edge-exchange.ts';
import type { Transfer, TransferConnection } from './memory/transfer-memory.ts';
import { TOO_BUSY_RESPONSE } from './observer.ts';
import { ResponseMetering, type SettledBytes } from './response-metering.ts';
import { PIECE_BYTES, sendBlob, sendBytes } from './send-body.ts';

/** A connection that Node's HTTP server has taken over. */
export interface ServedConnection extends SettledBytes {
  readonly about: EdgeConnection;
  readonly ahead: RequestsAhead;
  /** Set once it has had a long response. */
  transfers?: TransferConnection;
}

/** Answers a request of Node's HTTP server: whatever the fast path does not accept. */
export async function serveRequest(
  parts: EdgeParts,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  served: ServedConnection,
): Promise<void> {
  if (!served.ahead.admit(outgoing)) return;
  try {
    await answerIncoming(parts, incoming, outgoing, served);
  } catch (error) {
    // The head may have been sent: only closing early tells the client that the body is incomplete.
    parts.logger.error({ err: error }, 'a response broke off');
    outgoing.destroy();
  }
}

async function answerIncoming(
  parts: EdgeParts,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  served: ServedConnection,
): Promise<void> {
  const { headers, socket } = incoming;
  // Node's own responses are billed to no one; but its 100 (Continue) belongs to the response that follows.
  if (outgoing.socket !== null && headers.expect === undefined) served.settledTo = socket.bytesWritten;
  // A body is never used; closing afterwards avoids reading it.
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (hasBody) served.ahead.endWith(outgoing);
  const request = readIncoming(incoming, served.about);
  const startedAt = performance.now();
  const reply = await answerRequest(parts, request, socket);
  const ms = performance.now() - startedAt;
  if (outgoing.destroyed) {
    reply.blob?.lease.release();
    return;
  }
  const isLong = reply.blob !== null || (reply.body?.length ?? 0) > PIECE_BYTES;
  if (!isLong) {
    parts.observer.answered(request, reply, bodyBytesOf(reply), ms, socket);
    followResponse(reply, socket, outgoing, served);
    outgoing.writeHead(reply.status, [...reply.headers]);
    outgoing.end(reply.body ?? undefined);
    return;
  }
  served.transfers ??= parts.transfers.connection();
  const visitor = visitorOf(parts, socket.remoteAddress, request.forwardedFor);
  const transfer = served.transfers.begin(visitor, () => outgoing.destroy());
  if (transfer === null) {
    reply.blob?.lease.release();
    parts.observer.answered(request, TOO_BUSY_RESPONSE, 0, ms, socket);
    outgoing.writeHead(503, ['Retry-After', '5', 'Content-Length', '0']).end();
    return;
  }
  parts.observer.answered(request, reply, bodyBytesOf(reply), ms, socket);
  try {
    await writeLong(reply, transfer, outgoing, followResponse(reply, socket, outgoing, served));
  } finally {
    transfer.end();
  }
}

/**
 * Node writes the responses of a connection one after the other, in whatever order they are given: between them
 * the socket is settled.
 */
function followResponse(
  reply: EdgeReply,
  socket: Socket,
  outgoing: ServerResponse,
  served: ServedConnection,
): () => void {
  const meter = reply.entry?.host?.meter ?? null;
  const metering = meter === null ? null : new ResponseMetering(socket, meter, reply, served);
  let isOver = false;
  const settle = () => {
    // A response that still waits for its turn has written nothing.
    if (isOver || outgoing.socket === null) return;
    if (metering === null) served.settledTo = socket.bytesWritten;
    else metering.settle();
  };
  // Before Node's own listener, which begins the next response.
  outgoing.prependOnceListener('finish', () => {
    settle();
    isOver = true;
  });
  outgoing.once('close', settle);
  return settle;
}

async function writeLong(
  { status, headers, body, blob }: EdgeReply,
  transfer: Transfer,
  outgoing: ServerResponse,
  settle: () => void,
): Promise<void> {
  try {
    outgoing.writeHead(status, [...headers]);
  } catch (error) {
    // Node rejects some names and values, and stored rules were accepted by another version of this program.
    blob?.lease.release();
    throw error;
  }
  const options = { transfer, onSent: settle };
  if (blob !== null) await sendBlob(blob, outgoing, options);
  else if (body !== null) await sendBytes(body, outgoing, options);
  outgoing.end();
}

function readIncoming(incoming: IncomingMessage, connection: EdgeConnection): EdgeRequest {
  const { headers, method = 'GET', rawHeaders } = incoming;
  let target = incoming.url ?? '/';
  let host = headers.host ?? '';
  // Two Host headers are an attempt to address two sites at once; Node keeps the first, we keep none.
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) host = '';
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target);
  if (absolute !== null) {
    host = absolute[1] ?? '';
    const rest = absolute[2] ?? '';
    target = rest.startsWith('/') ? rest : `/${rest}`;
  }
  return {
    method,
    target,
    host,
    acceptEncoding: headers['accept-encoding']?.toString() ?? '',
    acceptLanguage: headers['accept-language'] ?? '',
    range: headers.range ?? '',
    ifRange: headers['if-range']?.toString() ?? '',
    ifMatch: headers['if-match'] ?? '',
    ifNoneMatch: headers['if-none-match'] ?? '',
    ifModifiedSince: headers['if-modified-since'] ?? '',
    ifUnmodifiedSince: headers['if-unmodified-since'] ?? '',
    forwardedProto: headers['x-forwarded-proto']?.toString() ?? '',
    forwardedFor: headers['x-forwarded-for']?.toString() ?? '',
    referer: headers.referer ?? '',
    userAgent: headers['user-agent'] ?? '',
    connection,
  };
}
