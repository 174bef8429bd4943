import type { ServerResponse } from 'node:http';

/** Requests of one connection that wait for their answers. */
export interface RequestsAhead {
  ahead: number;
  /** Requests after the one whose answer ends the connection; null before that. */
  dropped: number | null;
}

/** No browser sends a request before the answer to the last one. */
const AHEAD_MAX = 32;
/** After so many more the connection is closed at once: Node would go on reading and keep all of them. */
const DROPPED_MAX = 100;

/**
 * Whether Node's HTTP server may answer a request. It parses everything that has arrived at once, which may be
 * more than a thousand requests, while others wait. A client that sends more ahead than the limit gets that many
 * answers; the last one says that the connection ends, so that the client repeats the others elsewhere. One that
 * sends far more is disconnected.
 */
export function admitRequest(connection: RequestsAhead, outgoing: ServerResponse): boolean {
  if (connection.dropped !== null) {
    connection.dropped += 1;
    if (connection.dropped > DROPPED_MAX) outgoing.req.socket.destroy();
    return false;
  }
  connection.ahead += 1;
  if (connection.ahead >= AHEAD_MAX) {
    connection.dropped = 0;
    outgoing.shouldKeepAlive = false;
  }
  outgoing.once('close', () => {
    connection.ahead -= 1;
  });
  return true;
}
