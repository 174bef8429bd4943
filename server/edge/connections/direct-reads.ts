import type { Server } from 'node:http';
import { Socket, type SocketConstructorOpts } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Takes what a connection received; the next read, of whichever connection, overwrites it. */
export type Receive = (bytes: Buffer) => void;

/** Of one connection: null while what arrives goes through the socket as usual. */
interface Reads {
  receive: Receive | null;
}

/** As much as Node reads at once. */
const READ_BYTES = 64 * 1024;
/** Filled and used synchronously by whichever connection has data. */
const received = Buffer.allocUnsafeSlow(READ_BYTES);

const readsOf = new WeakMap<Socket, Reads>();

/** What Node keeps in a socket and does not type: its descriptor, and the server that counts it. */
interface Inside {
  _handle: { useUserBuffer?(buffer: Buffer): void } | null;
  _server: object | null;
  server: object | null;
}

/**
 * Has the bytes of a connection read into one buffer of the process and passed on by a call, instead of a buffer
 * and several events for each read: a sixth of what a small response costs. Returns false, and does nothing, for
 * a socket that does not allow it.
 */
export function readDirectly(socket: Socket, receive: Receive): boolean {
  const reads = readsOf.get(socket) ?? (socket instanceof TLSSocket ? makeDirect(socket) : null);
  if (reads === null) return false;
  reads.receive = receive;
  return true;
}

/** From here on, what arrives goes through the socket. Returns whether it was read directly. */
export function readThroughSocket(socket: Socket): boolean {
  const reads = readsOf.get(socket);
  if (reads !== undefined) reads.receive = null;
  return reads !== undefined;
}

/** Returns bytes that last: a copy of those that the next read overwrites. */
export function lastingBytes(bytes: Buffer): Buffer {
  return bytes.buffer === received.buffer ? Buffer.from(bytes) : bytes;
}

/**
 * Has a server's listeners get connections that can be read directly. Node offers that (`onread`) only to
 * sockets that a program creates itself, so an accepted connection moves into one of these.
 */
export function acceptPlainSockets(server: Server): void {
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...args: unknown[]) => {
    const [socket] = args;
    if (event === 'connection' && socket instanceof Socket) return emit(event, PlainSocket.of(socket));
    return emit(event, ...args);
  };
}

class PlainSocket extends Socket {
  private constructor(handle: object) {
    const reads: Reads = { receive: null };
    const onread: SocketConstructorOpts['onread'] = {
      buffer: received,
      callback: (bytes) => passOn(this, reads, bytes),
    };
    // Node takes a descriptor here and does not document it.
    const options: object = { handle, onread, allowHalfOpen: true, noDelay: true };
    super(options);
    readsOf.set(this, reads);
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

/**
 * Does for a TLS connection what `onread` does, which Node's TLS server does not offer. Null where Node keeps
 * its settings elsewhere, or has read something already.
 */
function makeDirect(socket: TLSSocket): Reads | null {
  const { _handle: handle } = socket as TLSSocket & Partial<Inside>;
  const buffer = symbolOf(socket, 'kBuffer');
  const callback = symbolOf(socket, 'kBufferCb');
  if (buffer === undefined || callback === undefined || socket.readableLength > 0) return null;
  const readIntoBuffer = handle?.useUserBuffer;
  if (typeof readIntoBuffer !== 'function') return null;
  const reads: Reads = { receive: null };
  Object.assign(socket, {
    [buffer]: received,
    [callback]: (bytes: number) => passOn(socket, reads, bytes),
  });
  readIntoBuffer.call(handle, received);
  readsOf.set(socket, reads);
  return reads;
}

function symbolOf(socket: Socket, description: string): symbol | undefined {
  return Object.getOwnPropertySymbols(socket).find((symbol) => symbol.description === description);
}

/** Returns false when nothing more is to be read for now. */
function passOn(socket: Socket, { receive }: Reads, bytes: number): boolean {
  const chunk = received.subarray(0, bytes);
  if (receive === null) return socket.push(Buffer.from(chunk));
  receive(chunk);
  return true;
}
