import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { abandonBody } from './body/begin-body.ts';
import { inTurns } from './body/in-turns.ts';
import type { PieceBody, S3Response } from './call.ts';

const EMPTY = Buffer.alloc(0);
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

/** Calls back when a response has been taken or, with the end of its connection, can no longer be. */
export function onceOver(response: ServerResponse, socket: Socket, callBack: () => void): void {
  const end = () => {
    response.removeListener('close', end);
    socket.removeListener('close', end);
    callBack();
  };
  if (socket.destroyed) {
    callBack();
    return;
  }
  response.once('close', end);
  // A response that waits for others of its connection is not told when that ends.
  socket.once('close', end);
}

/**
 * Sends a response and returns how many bytes of the body were handed to the connection.
 * @param takeTurn for each portion of a long body; it must not reject
 */
export async function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  answer: S3Response,
  { id, region, takeTurn }: { id: string; region: string; takeTurn: () => Promise<void> },
): Promise<number> {
  const { status, headers = {}, body } = answer;
  if (response.destroyed) {
    await abandonBody(answer);
    return 0;
  }
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
  if (body === undefined || Buffer.isBuffer(body)) return sendWhole(response, body ?? EMPTY);
  if (typeof body !== 'string') return sendPieces(response, body, takeTurn);
  const bytes = Buffer.from(body, 'utf8');
  if (bytes.byteLength > 0) response.setHeader('content-type', headers['content-type'] ?? 'application/xml');
  return sendWhole(response, bytes);
}

async function sendWhole(response: ServerResponse, bytes: Buffer): Promise<number> {
  const { statusCode, req } = response;
  if (statusCode === 204 || statusCode === 304 || req.method === 'HEAD') {
    response.end();
    return 0;
  }
  response.setHeader('content-length', bytes.byteLength);
  const isInTurn = response.socket !== null;
  response.end(bytes);
  return isInTurn || (await comesToTurn(response)) ? bytes.byteLength : 0;
}

async function sendPieces(
  response: ServerResponse,
  body: PieceBody,
  takeTurn: () => Promise<void>,
): Promise<number> {
  response.setHeader('content-length', body.length);
  const { socket } = response.req;
  let before = response.socket?.bytesWritten ?? null;
  response.once('socket', () => {
    before = socket.bytesWritten;
  });
  await sendChunks(inTurns(body.read(0), takeTurn), response).catch((error: unknown) => {
    // A client that disconnects while reading is not our failure; a store that does so leaves the client waiting.
    if (!socket.destroyed && socket.errored === null) throw error;
  });
  return before === null ? 0 : Math.max(0, Math.min(body.length, socket.bytesWritten - before));
}

/** Resolves with whether a response that waits for others of its connection is sent before that ends. */
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
  // A response that waits for others of its connection is not told when that ends.
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

/** Whether a connection failed because its other end has closed it. */
export function isClosedByPeer(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return (
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    code === 'ERR_STREAM_DESTROYED' ||
    code === 'ECONNRESET' ||
    code === 'EPIPE'
  );
}
