import { type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { boundParsing } from '../../connections/bound-parsing.ts';
import { dropBehindLast } from '../../connections/drop-behind-last.ts';
import { RequestsAhead } from '../../connections/requests-ahead.ts';

/**
 * Limits how many requests of one connection wait for their responses: connections that send them without end
 * would leave the process busy for minutes after they are gone. What follows the last request is dropped.
 * @param max clients that send a request before the response to the last one are rare, and none sends many
 */
export function limitRequestsAhead(server: Server, max: number): void {
  const connections = new WeakMap<Socket, RequestsAhead>();
  // A request that waits for 100 (Continue) is reported a second time once it is answered.
  const admitted = new WeakSet<ServerResponse>();
  const admit = (response: ServerResponse): boolean => {
    if (admitted.has(response)) return true;
    const { socket } = response.req;
    const connection = connections.get(socket) ?? new RequestsAhead(max);
    connections.set(socket, connection);
    if (!connection.admit(response)) return false;
    admitted.add(response);
    return true;
  };
  server.on('connection', boundParsing);
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...args: unknown[]): boolean => {
    const [, response] = args;
    if (response instanceof ServerResponse && !admit(response)) return true;
    return emit(event, ...args);
  };
  dropBehindLast(server);
}
