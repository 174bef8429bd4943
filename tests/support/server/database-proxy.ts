import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../free-port.ts';

/**
 * What happens to a connection that commits: it passes, or it breaks before or after the server has received
 * the commit.
 */
export type CommitFault = 'pass' | 'before' | 'after';

/** Sits in front of a PostgreSQL server and can go away, or break connections around their commits. */
export interface DatabaseProxy {
  /** The server's address through the proxy. */
  url: string;
  onCommit: () => CommitFault;
  /** While true, it accepts connections and drops everything sent over any of them. */
  isSilent: boolean;
  /** Breaks every connection and accepts no new one. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy on a free port; it recognizes a statement that is exactly `commit`. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const port = await freePort();
  const sockets = new Set<Socket>();
  let server: Server | null = null;
  const adopt = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const pair = (client: Socket) => {
    adopt(client);
    const upstream = adopt(connect(Number(target.port), target.hostname));
    const breakBoth = () => {
      client.destroy();
      upstream.destroy();
    };
    let isHeard = false;
    client.on('data', (chunk) => {
      if (proxy.isSilent) return;
      const fault = isCommit(chunk) ? proxy.onCommit() : 'pass';
      if (fault === 'before') return breakBoth();
      if (fault === 'after') isHeard = true;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (proxy.isSilent) return;
      if (isHeard) breakBoth();
      else client.write(chunk);
    });
    // A silent server does not answer a goodbye either.
    client.on('end', () => {
      if (!proxy.isSilent) breakBoth();
    });
    client.on('close', breakBoth);
    upstream.on('close', breakBoth);
  };
  const proxy: DatabaseProxy = {
    url: databaseUrl.replace(`:${target.port}/`, `:${port}/`),
    onCommit: () => 'pass',
    isSilent: false,
    async goAway() {
      const closed = new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
      server = null;
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async comeBack() {
      const next = createServer({ allowHalfOpen: true }, pair);
      server = next;
      await new Promise<void>((resolve) => next.listen(port, '127.0.0.1', resolve));
    },
    close: () => proxy.goAway(),
  };
  await proxy.comeBack();
  return proxy;
}

/** Whether a message is the simple query `commit`: its letter, its length, the text and a zero. */
function isCommit(chunk: Buffer): boolean {
  return chunk.length < 64 && chunk[0] === 0x51 && /^commit\0$/i.test(chunk.subarray(5).toString('latin1'));
}
