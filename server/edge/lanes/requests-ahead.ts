import type { ServerResponse } from 'node:http';

/** Requests of one connection that wait for their answers. */
export interface RequestsAhead {
  ahead: number;
  /** The connection ends with an answer that has been promised. */
  isEnding: boolean;
}

/** No browser sends a request before the answer to the last one. */
const AHEAD_MAX = 32;

/**
 * Whether Node's HTTP server may answer a request. It parses everything that has arrived at once, which may be
 * more than a thousand requests, while others wait. A client that sends more ahead than the limit gets that many
 * answers; the last one says that the connection ends, so that the client repeats the others elsewhere.
 */
export function admitRequest(connection: RequestsAhead, outgoing: ServerResponse): boolean {
  if (connection.isEnding) {
    // Node keeps what it has parsed until the connection ends.
    outgoing.req.socket.pause();
    return false;
  }
  connection.ahead += 1;
  if (connection.ahead >= AHEAD_MAX) {
    connection.isEnding = true;
    outgoing.shouldKeepAlive = false;
  }
  outgoing.once('close', () => {
    connection.ahead -= 1;
  });
  return true;
}
