import { connect, type Socket } from 'node:net';

/** A response over one connection, byte for byte. */
export interface RawResponse {
  readonly status: number;
  /** Lower-case names; a repeated one is joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Of head and body together. */
  readonly bytes: number;
}

/** A connection that sends exactly what it is told: tests can send what no HTTP client would allow. */
export class RawConnection {
  readonly socket: Socket;
  private chunks: Buffer[] = [];
  private length = 0;
  private wake: () => void = () => {};
  isClosed = false;

  /** @param to a port of this machine, or an open connection */
  constructor(to: number | Socket) {
    this.socket = typeof to === 'number' ? connect(to, '127.0.0.1') : to;
    this.socket.on('data', (chunk: Buffer) => {
      this.chunks.push(chunk);
      this.length += chunk.length;
      this.wake();
    });
    this.socket.on('close', () => {
      this.isClosed = true;
      this.wake();
    });
    // A reset is one of the ways the edge may end a connection; `isClosed` reports it.
    this.socket.on('error', () => {});
  }

  send(text: string | Buffer): void {
    this.socket.write(text);
  }

  /** Returns the next response; rejects when the connection closes before it is complete. */
  async response(isHead = false): Promise<RawResponse> {
    const headEnd = await this.until(() => this.received().indexOf('\r\n\r\n'));
    const [statusLine = '', ...lines] = this.received().subarray(0, headEnd).toString('latin1').split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    }
    const status = Number(statusLine.split(' ')[1]);
    const hasBody = !isHead && status !== 304 && status !== 204;
    const end = headEnd + 4 + (hasBody ? Number(headers['content-length'] ?? 0) : 0);
    await this.until(() => (this.length >= end ? end : -1));
    const body = this.received().subarray(headEnd + 4, end);
    this.chunks = [this.received().subarray(end)];
    this.length -= end;
    return { status, headers, body, bytes: end };
  }

  /** Resolves when the other side has closed, with what arrived until then. */
  async closed(): Promise<Buffer> {
    while (!this.isClosed) await this.next();
    return this.received();
  }

  close(): void {
    this.socket.destroy();
  }

  /**
   * Everything unread in one piece; only joined on demand, so that large bodies are not copied chunk by
   * chunk.
   */
  private received(): Buffer {
    const whole = this.chunks.length === 1 ? (this.chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.chunks);
    this.chunks = [whole];
    return whole;
  }

  private async until(position: () => number): Promise<number> {
    for (;;) {
      const found = position();
      if (found >= 0) return found;
      if (this.isClosed)
        throw new Error(`closed after ${this.length} bytes: ${this.received().toString('latin1', 0, 500)}`);
      await this.next();
    }
  }

  private next(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}

/** A request as text. */
export function requestText(
  target: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): string {
  const lines = Object.entries({ Host: 'site.test', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/**
 * Sends one request on a separate connection. `via: 'node'` adds a connection option that makes the fast
 * path leave it to Node, so that both ways of answering can be compared.
 */
export async function ask(
  port: number,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  options: { method?: string; via?: 'fast' | 'node' } = {},
): Promise<RawResponse> {
  const { method = 'GET', via = 'fast' } = options;
  const connection = new RawConnection(port);
  const own: Record<string, string> = via === 'node' ? { Connection: 'keep-alive, x-none' } : {};
  connection.send(requestText(target, { ...own, ...headers }, method));
  try {
    return await connection.response(method === 'HEAD');
  } finally {
    connection.close();
  }
}
