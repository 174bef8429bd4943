import { connect, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';

/** One action of an attacker on a connection. */
export type Step =
  | { send: Buffer }
  | { waitMs: number }
  /** Stops reading for the rest of the connection. */
  | { stopReading: true }
  | { halfClose: true };

export interface TargetListener {
  port: number;
  /** Set for TLS. */
  secure?: { host: string; protocol: 'h2' | 'http/1.1' };
}

/** An attacking connection ends after this time, however the other side behaves. */
const LIFE_MS = 4_000;
/** How much of a response is examined. */
const KEPT_BYTES = 256 * 1024;

/**
 * Opens a connection, runs the steps, and returns what was received until the other side closed or the
 * timeout.
 */
export async function exchangeRaw(
  listener: TargetListener,
  steps: readonly Step[],
  localAddress: string,
): Promise<Buffer> {
  const socket = open(listener, localAddress);
  const chunks: Buffer[] = [];
  let kept = 0;
  socket.on('data', (chunk: Buffer) => {
    if (kept < KEPT_BYTES) chunks.push(chunk);
    kept += chunk.length;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // A reset is one of the right responses.
  socket.on('error', () => undefined);
  const death = setTimeout(() => socket.destroy(), LIFE_MS);
  for (const step of steps) {
    if (socket.destroyed) break;
    if ('send' in step) socket.write(step.send);
    else if ('waitMs' in step) await new Promise((resolve) => setTimeout(resolve, step.waitMs));
    else if ('stopReading' in step) socket.pause();
    else socket.end();
  }
  // A response comes soon; a silent connection is closed.
  const patience = setTimeout(() => socket.destroy(), 300);
  await closed;
  clearTimeout(patience);
  clearTimeout(death);
  return Buffer.concat(chunks);
}

function open({ port, secure }: TargetListener, localAddress: string): Socket {
  if (!secure) return connect({ port, host: '127.0.0.1', localAddress });
  return connectSecure({
    socket: connect({ port, host: '127.0.0.1', localAddress }),
    servername: secure.host,
    ALPNProtocols: [secure.protocol],
    rejectUnauthorized: false,
  });
}

/** Returns the status of every HTTP/1.1 response received. */
export function statusesOf(received: Buffer): number[] {
  return [...received.toString('latin1').matchAll(/(?:^|\r\n\r\n|\n)HTTP\/1\.1 (\d{3})/g)].map(([, status]) =>
    Number(status),
  );
}
