import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Responder } from './create-responder.ts';
import type { DnsLimits } from './dns-limits.ts';
import type { DnsConnectionCounts, DnsLogger } from './ports.ts';
import type { Listener } from './serve-udp.ts';
import { TcpConnection } from './tcp-connection.ts';
import { withinMs } from './within-ms.ts';

export interface TcpListener extends Listener {
  readonly address: string;
  readonly port: number;
}

/** Where a listener is, and what its connections share. */
export interface TcpOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Of this machine; undefined for all of its addresses. */
  readonly address: string | undefined;
  readonly logger: DnsLogger;
  readonly limits: DnsLimits;
  /** Counts the connections of each network. */
  readonly networks: DnsConnectionCounts;
}

/**
 * Serves connections at an address.
 * @throws the listener's own error, e.g. EADDRINUSE
 */
export async function serveTcp(
  responder: Responder,
  { port, address, logger, limits, networks }: TcpOptions,
): Promise<TcpListener> {
  /** The connection that has been idle longest comes first. */
  const connections = new Map<Socket, TcpConnection>();
  // A client that has closed its sending side still waits for its answer.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (!networks.admit(socket.remoteAddress, socket)) {
      socket.destroy();
      return;
    }
    // Many silent connections must not keep the next client out.
    if (connections.size >= limits.connectionsMax) connections.keys().next().value?.destroy();
    const onQuestion = () => {
      connections.delete(socket);
      connections.set(socket, connection);
    };
    const connection = new TcpConnection(socket, { responder, limits, logger }, onQuestion);
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
  });
  server.listen(port, address);
  await once(server, 'listening');
  // A connection that cannot be accepted is lost; the others continue.
  server.on('error', (error) => logger.warn({ err: error }, 'the DNS server had an error'));
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('the DNS server is not listening');
  return {
    address: bound.address,
    port: bound.port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections.values()) connection.finish();
      await withinMs(closed, limits.drainMs);
      for (const socket of connections.keys()) socket.destroy();
      await closed;
    },
  };
}
