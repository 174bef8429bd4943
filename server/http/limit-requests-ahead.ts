import { type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Clients that send a request before the answer to the last one are rare, and none sends many. */
const AHEAD_MAX = 4;
/** After so many more the connection is closed at once: Node would go on reading and keep all of them. */
const DROPPED_MAX = 100;

/**
 * Limits how many requests of one connection wait for their answers. Node parses all that has arrived at once,
 * which may be more than a thousand: connections that send them without end would leave the process busy for
 * minutes after they are gone. A client that sends more ahead gets that many answers; the last one says that the
 * connection ends, so that the client repeats the others elsewhere. One that sends far more is disconnected.
 */
export function limitRequestsAhead(server: Server): void {
  const ahead = new WeakMap<Socket, number>();
  const dropped = new WeakMap<Socket, number>();
  const admit = (response: ServerResponse): boolean => {
    const { socket } = response.req;
    const more = dropped.get(socket);
    if (more !== undefined) {
      dropped.set(socket, more + 1);
      if (more >= DROPPED_MAX) socket.destroy();
      return false;
    }
    const count = (ahead.get(socket) ?? 0) + 1;
    ahead.set(socket, count);
    if (count >= AHEAD_MAX) {
      dropped.set(socket, 0);
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
