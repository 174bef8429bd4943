import { type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Clients that send a request before the answer to the last one are rare, and none sends many. */
const AHEAD_MAX = 4;

/**
 * Limits how many requests of one connection wait for their answers. Node parses all that has arrived at once,
 * which may be more than a thousand: connections that send them without end would leave the process busy for
 * minutes after they are gone. A client that sends more ahead gets that many answers; the last one says that the
 * connection ends, so that the client repeats the others elsewhere.
 */
export function limitRequestsAhead(server: Server): void {
  const ahead = new WeakMap<Socket, number>();
  const ending = new WeakSet<Socket>();
  const admit = (response: ServerResponse): boolean => {
    const { socket } = response.req;
    if (ending.has(socket)) {
      // Node keeps what it has parsed until the connection ends.
      socket.pause();
      return false;
    }
    const count = (ahead.get(socket) ?? 0) + 1;
    ahead.set(socket, count);
    if (count >= AHEAD_MAX) {
      ending.add(socket);
      response.shouldKeepAlive = false;
    }
    response.once('close', () => ahead.set(socket, (ahead.get(socket) ?? 1) - 1));
    return true;
  };
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...args: unknown[]): boolean => {
    const [, response] = args;
    if (response instanceof ServerResponse && !admit(response)) return true;
    return emit(event, ...args);
  };
}
