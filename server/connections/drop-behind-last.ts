import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { dropRest } from './bound-parsing.ts';

/** What HTTP's parser says of bytes behind a request that ends its connection. */
const BEHIND_LAST = 'HPE_CLOSED_CONNECTION';

/**
 * Has a server drop what follows the last request of a connection (`Connection: close`, HTTP/1.0), where Node refuses it: the client
 * would take the refusal for the response to its last request, or to one before it.
 */
export function dropBehindLast(server: Server): void {
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'clientError' || !isBehindLast(args[0])) return emit(event, ...args);
    dropRest(args[1] as Socket);
    return true;
  };
}

function isBehindLast(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === BEHIND_LAST;
}
