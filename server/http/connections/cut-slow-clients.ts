import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** How slow a client may be before its connection is cut. */
export interface SlownessLimits {
  /** What a client sends is measured over this long. */
  sendingMs: number;
  /**
   * What a client reads is measured over this long: the system accepts a megabyte or two at once and then
   * nothing for a while.
   */
  takingMs: number;
  /**
   * A client that sends or reads less in one window is cut; a tenth of what the poorest mobile connection
   * carries.
   */
  bytesMin: number;
}

const DEFAULT_LIMITS: SlownessLimits = { sendingMs: 60_000, takingMs: 180_000, bytesMin: 16 * 1024 };
const CHECKS_PER_WINDOW = 6;

/** What a connection waits for its client to do. */
type Awaited = 'sending' | 'taking';

interface Progress {
  /** The request whose body may still be arriving. */
  request: IncomingMessage | null;
  awaited: Awaited | null;
  since: number;
  bytes: number;
}

/**
 * Cuts connections whose client hardly sends its body or hardly reads its response. The rate decides: an upload
 * of hours over a poor connection continues, a byte per minute does not, and no client is cut while we are
 * the slow ones.
 */
export function cutSlowClients(
  server: Server,
  onCut: (awaited: Awaited) => void,
  limits: SlownessLimits = DEFAULT_LIMITS,
): void {
  const connections = new Map<Socket, Progress>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { request: null, awaited: null, since: 0, bytes: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request: IncomingMessage) => {
    const progress = connections.get(request.socket);
    if (progress) progress.request = request;
  });
  const check = () => {
    const now = performance.now();
    for (const [socket, progress] of connections) {
      const awaited = awaitedOf(socket, progress.request);
      const bytes = awaited === 'sending' ? socket.bytesRead : bytesTaken(socket);
      const windowMs = awaited === 'sending' ? limits.sendingMs : limits.takingMs;
      const isLate = awaited !== null && awaited === progress.awaited && now - progress.since >= windowMs;
      if (isLate && bytes - progress.bytes < limits.bytesMin) {
        onCut(awaited);
        socket.destroy();
      } else if (isLate || awaited !== progress.awaited)
        Object.assign(progress, { awaited, since: now, bytes });
    }
  };
  const checks = setInterval(check, limits.sendingMs / CHECKS_PER_WINDOW).unref();
  server.once('close', () => clearInterval(checks));
}

/** Returns the step of the client that we wait for, or null while it is our turn or nothing is pending. */
function awaitedOf(socket: Socket, request: IncomingMessage | null): Awaited | null {
  if (socket.writableLength > 0) return 'taking';
  // Bytes that have not been read yet are our delay, not the client's.
  if (request && !request.complete && request.readableLength === 0) return 'sending';
  return null;
}

/**
 * How much of what was written the system has accepted. One write of a large response counts as waiting until
 * all of it is sent, so we also ask libuv how much is left, as Node's own socket time-out does; Node does not
 * type the handle.
 */
function bytesTaken(socket: Socket): number {
  const { _handle } = socket as Socket & {
    _handle?: { writeQueueSize?: number; bytesWritten?: number } | null;
  };
  const { writeQueueSize, bytesWritten } = _handle ?? {};
  if (writeQueueSize === undefined || bytesWritten === undefined)
    return socket.bytesWritten - socket.writableLength;
  return bytesWritten - writeQueueSize;
}
