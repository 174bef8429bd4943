import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** How slow a client may be before its connection is cut. */
export interface SlownessLimits {
  /** What a client sends is measured over this long. */
  sendingMs: number;
  /** What it takes is measured over this long: the system takes a megabyte or two at once and then nothing for a while. */
  takingMs: number;
  /** A client that sends or takes less in one window is cut; ten times less than the poorest mobile line carries. */
  bytesMin: number;
}

const DEFAULT_LIMITS: SlownessLimits = { sendingMs: 60_000, takingMs: 180_000, bytesMin: 16 * 1024 };
const CHECKS_PER_WINDOW = 6;

/** What a connection waits for its client to do. */
type Awaited = 'sending' | 'taking';

interface Progress {
  /** The request whose body may still be coming. */
  request: IncomingMessage | null;
  awaited: Awaited | null;
  since: number;
  bytes: number;
}

/**
 * Cuts connections whose client hardly sends its body or hardly takes its answer. It is the rate that counts: an upload of
 * hours over a poor line goes on, a byte a minute does not, and nobody is cut while it is us who are slow.
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

/** What we wait for, or null while it is our turn or nobody's. */
function awaitedOf(socket: Socket, request: IncomingMessage | null): Awaited | null {
  if (socket.writableLength > 0) return 'taking';
  // Bytes that are not read yet are our delay, not the client's.
  if (request && !request.complete && request.readableLength === 0) return 'sending';
  return null;
}

/**
 * How much of what was written the system has taken. One write of a large answer counts as waiting until it is all gone, so
 * that what libuv has left of it is asked for too, as Node's own time-out of sockets does; Node types no handle.
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
