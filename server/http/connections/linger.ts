import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { announcesBody } from '../requests/require-readable.ts';

/** More than this is not read just to be thrown away: the connection is closed instead. */
const DISCARDED_BYTES_MAX = 256 * 1024 ** 2;
const LINGER_MS = 30_000;

/**
 * Lets a client that was answered before it had sent its whole body finish sending: only then do all clients
 * read their response, because closing a connection with unread bytes discards a response that has not been read
 * yet.
 */
export function lingerAfterResponse(request: IncomingMessage, response: ServerResponse): void {
  if (!announcesBody(request)) return;
  const isLast = !response.shouldKeepAlive;
  // A request that its reader gives up loses it.
  const { socket } = request;
  // Otherwise Node closes with the response, whatever is still in transit.
  response.shouldKeepAlive = true;
  if (isLast) closeWhenComplete(request, response);
  response.once('finish', () => {
    const end = () => {
      if (isLast) socket.end();
    };
    if (request.complete) end();
    else discardRest(request, socket, end);
  });
}

/** Announces the end of the connection to a client that has sent everything, so that it does not send its next request there. */
function closeWhenComplete(request: IncomingMessage, response: ServerResponse): void {
  const { writeHead } = response;
  response.writeHead = (...head: unknown[]) => {
    response.shouldKeepAlive = !request.complete;
    return Reflect.apply(writeHead, response, head);
  };
}

function discardRest(request: IncomingMessage, socket: Socket, onEnd: () => void): void {
  let discarded = 0;
  const cut = () => socket.destroy();
  const deadline = setTimeout(cut, LINGER_MS).unref();
  request.removeAllListeners('data');
  // Once a reader has begun to iterate, nothing flows until its listener is removed.
  request.removeAllListeners('readable');
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > DISCARDED_BYTES_MAX) cut();
  });
  request.once('end', onEnd);
  request.once('close', () => clearTimeout(deadline));
  request.resume();
}
