import type { Server } from 'node:http';
import { Socket, type SocketConstructorOpts } from 'node:net';

/** Takes what a connection received; the next read overwrites it. */
type Receive = (bytes: Buffer) => void;

/** As much as Node reads at once. */
const READ_BYTES = 64 * 1024;
/** The system fills it; whichever connection has data reads it synchronously. */
const received = Buffer.allocUnsafeSlow(READ_BYTES);

/** What Node keeps in a socket and does not type: its descriptor, and the server that counts it. */
interface Inside {
  _handle: object | null;
  _server: object | null;
  server: object | null;
}

/**
 * A plain connection whose bytes are read into one buffer of the process and passed on by a call, instead of
 * a buffer and several events for each read: a sixth of what a small answer costs. Node offers that
 * (`onread`) only to sockets that a program creates itself, so an accepted connection moves into one of these.
 */
export class PlainSocket extends Socket {
  /** Takes what arrives; while there is none, it goes through the socket as usual. */
  receive: Receive | null = null;

  private constructor(handle: object) {
    const onread: SocketConstructorOpts['onread'] = {
      buffer: received,
      callback: (bytes) => {
        const chunk = received.subarray(0, bytes);
        if (this.receive === null) return this.push(Buffer.from(chunk));
        this.receive(chunk);
        return true;
      },
    };
    // Node takes a descriptor here and does not document it.
    const options: object = { handle, onread, allowHalfOpen: true, noDelay: true };
    super(options);
  }

  /**
   * Returns the connection of an accepted socket, which is empty afterwards; the socket itself where Node
   * keeps its descriptor elsewhere.
   */
  static of(accepted: Socket): Socket {
    const from = accepted as Socket & Partial<Inside>;
    const { _handle: handle, _server, server } = from;
    if (accepted instanceof PlainSocket || !handle || _server === undefined || server === undefined)
      return accepted;
    from._handle = null;
    from._server = null;
    return Object.assign(new PlainSocket(handle), { _server, server });
  }
}

/** Has a server's listeners get `PlainSocket`s instead of the sockets that it accepts. */
export function acceptPlainSockets(server: Server): void {
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...args: unknown[]) => {
    const [socket] = args;
    if (event === 'connection' && socket instanceof Socket) return emit(event, PlainSocket.of(socket));
    return emit(event, ...args);
  };
}

/** Returns bytes that last: a copy of those that the next read overwrites. */
export function lastingBytes(bytes: Buffer): Buffer {
  return bytes.buffer === received.buffer ? Buffer.from(bytes) : bytes;
}
