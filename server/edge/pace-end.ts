import type { Socket } from 'node:net';

type Listener = (...given: unknown[]) => void;

/**
 * Returns what `begin` makes of a socket, an HTTP/2 session; node's own work at the socket's end waits until `later` does it. A
 * client may close many connections at once, each with all of its streams waiting, and node would tear down every stream of
 * every connection in the turn of the loop that brings the news.
 */
export function paceEnd<Session>(
  socket: Socket,
  later: (end: () => void) => void,
  begin: () => Session,
): Session {
  const before = { error: socket.listeners('error'), close: socket.listeners('close') };
  const session = begin();
  // A close follows every error and tells all there is to tell.
  for (const listener of addedSince(before.error, socket, 'error')) socket.off('error', listener);
  socket.on('error', () => {});
  for (const listener of addedSince(before.close, socket, 'close')) {
    socket.off('close', listener);
    socket.once('close', () => later(() => listener.call(socket)));
  }
  return session;
}

function addedSince(before: readonly unknown[], socket: Socket, event: 'error' | 'close'): Listener[] {
  // The type of listeners says only that they can be called, which is all that is done with them.
  return (socket.listeners(event) as Listener[]).filter((listener) => !before.includes(listener));
}
