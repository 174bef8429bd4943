import { connect, type Socket } from 'node:net';

/** What a visitor has counted at its end of the connection. */
export interface Seen {
  requests: number;
  bytes: number;
}

/** A visitor that counts every received byte, headers and bodies, on its own connections. */
export interface CountingVisitor {
  /** By host: complete responses. */
  seen: Map<string, Seen>;
  /** By host: what was received of truncated responses, and the requests for them. */
  broken: Map<string, Seen>;
  /** Requests a path this many times, on each connection in turn. */
  ask(host: string, path: string, times: number): Promise<void>;
  /** Sends requests on every connection until told to stop; resolves when the last response has arrived. */
  askSteadily(host: string, path: string): { stop(): Promise<void> };
  /** Connections that the other side has ended. */
  interruptions(): number;
  close(): void;
}

/** Between two requests of a steady visitor. */
const PAUSE_MS = 20;

/** Returns a visitor of a port of this machine with so many connections. A broken one is reopened. */
export function countingVisitor(port: number, connections: number): CountingVisitor {
  const seen = new Map<string, Seen>();
  const broken = new Map<string, Seen>();
  const lines = Array.from({ length: connections }, () => new Line(port));
  const askOn = async (line: Line, host: string, path: string) => {
    const { isWhole, bytes } = await line.ask(host, path);
    const of = isWhole ? seen : broken;
    const known = of.get(host) ?? { requests: 0, bytes: 0 };
    of.set(host, { requests: known.requests + 1, bytes: known.bytes + bytes });
  };
  return {
    seen,
    broken,
    async ask(host, path, times) {
      let left = times;
      const work = async (line: Line) => {
        while (left > 0) {
          left -= 1;
          await askOn(line, host, path);
        }
      };
      await Promise.all(lines.map(work));
    },
    askSteadily(host, path) {
      let isStopped = false;
      const work = async (line: Line) => {
        while (!isStopped) {
          await askOn(line, host, path);
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      };
      const working = Promise.all(lines.map(work));
      return {
        async stop() {
          isStopped = true;
          await working;
        },
      };
    },
    interruptions: () => lines.reduce((sum, { interruptions }) => sum + interruptions, 0),
    close() {
      for (const line of lines) line.close();
    },
  };
}

/** One connection, one request at a time. */
class Line {
  private readonly port: number;
  private socket: Socket | null = null;
  interruptions = 0;

  constructor(port: number) {
    this.port = port;
  }

  ask(host: string, path: string): Promise<{ isWhole: boolean; bytes: number }> {
    const socket = this.open();
    return new Promise((resolve) => {
      let head = '';
      let bytes = 0;
      let whole = Number.POSITIVE_INFINITY;
      const end = (isWhole: boolean) => {
        socket.off('data', take);
        socket.off('close', breakOff);
        resolve({ isWhole, bytes });
      };
      const breakOff = () => {
        this.socket = null;
        end(false);
      };
      const take = (chunk: Buffer) => {
        bytes += chunk.length;
        if (whole === Number.POSITIVE_INFINITY) {
          head += chunk.toString('latin1');
          const headEnd = head.indexOf('\r\n\r\n');
          if (headEnd < 0) return;
          whole = headEnd + 4 + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
          head = '';
        }
        if (bytes >= whole) end(true);
      };
      socket.on('data', take);
      socket.on('close', breakOff);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    });
  }

  close(): void {
    this.socket?.removeAllListeners('close');
    this.socket?.destroy();
  }

  private open(): Socket {
    if (this.socket !== null && !this.socket.destroyed) return this.socket;
    this.socket = connect(this.port, '127.0.0.1');
    // It closes too, which is what the caller is told.
    this.socket.on('error', () => undefined);
    this.socket.once('close', () => {
      this.interruptions += 1;
    });
    return this.socket;
  }
}
