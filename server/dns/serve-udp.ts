import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Responder } from './create-responder.ts';
import type { DnsLimits } from './dns-limits.ts';
import type { DnsLogger } from './ports.ts';
import { withinMs } from './within-ms.ts';

export interface Listener {
  /** Answers what has arrived, within the time limit of a graceful stop, and accepts nothing new. */
  close(): Promise<void>;
}

/**
 * Serves datagrams at this address and port. The system gives each sender one of several sockets, which are read in
 * turns: a sender that asks faster than is answered fills the buffer of its own socket and not of the others.
 * @throws the socket's own error, e.g. EADDRINUSE
 */
export async function serveUdp(
  responder: Responder,
  place: { address: string; port: number },
  logger: DnsLogger,
  limits: DnsLimits,
): Promise<Listener> {
  const listeners: Listener[] = [];
  const close = async () => {
    await Promise.all(listeners.map((listener) => listener.close()));
  };
  // Without it in the system, one socket takes them all.
  const count = process.platform === 'linux' ? limits.udpSockets : 1;
  try {
    while (listeners.length < count) {
      listeners.push(await serveSocket(responder, { ...place, isShared: count > 1 }, logger, limits));
    }
  } catch (error) {
    await close();
    // A process from before there were several has one socket that only a successor may share, through its supervisor.
    if (listeners.length > 0 || !isInUse(error)) throw error;
    listeners.push(await serveSocket(responder, { ...place, isShared: false }, logger, limits));
    logger.warn(
      { port: place.port },
      'one socket takes every DNS query over UDP, as before the upgrade; a stop and a start will use several',
    );
  }
  return { close };
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

async function serveSocket(
  responder: Responder,
  { address, port, isShared }: { address: string; port: number; isShared: boolean },
  logger: DnsLogger,
  limits: DnsLimits,
): Promise<Listener> {
  const type = isIPv6(address) ? 'udp6' : 'udp4';
  const socket = createSocket({ type, lookup: lookUpNothing, reusePort: isShared });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, address, () => {
      socket.off('error', reject);
      resolve();
    });
  });
  socket.on('error', (error) => logger.warn({ err: error }, 'the DNS socket had an error'));
  const inFlight = new Set<Promise<void>>();
  let isClosing = false;
  /** A question that fails unexpectedly gets no answer; the others get theirs. */
  const report = (error: unknown) => {
    logger.error({ err: error }, 'a DNS question over UDP failed');
  };
  socket.on('message', (message, peer) => {
    // Port 0 cannot be answered.
    if (isClosing || peer.port === 0) return;
    try {
      const answer = responder.answerUdp(message, peer.address);
      if (answer === null) return;
      if (!(answer instanceof Promise)) {
        send(socket, answer, peer).catch(report);
        return;
      }
      const sent = answer
        .then((bytes) => send(socket, bytes, peer))
        .catch(report)
        .finally(() => inFlight.delete(sent));
      inFlight.add(sent);
    } catch (error) {
      report(error);
    }
  });
  return {
    async close() {
      isClosing = true;
      await withinMs(Promise.all(inFlight), limits.drainMs);
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

/**
 * A datagram that cannot be sent is lost, like any other; a client that needs the answer asks again. Rejects
 * once the socket is closed.
 */
function send(socket: Socket, bytes: Buffer, { port, address }: RemoteInfo): Promise<void> {
  return new Promise((resolve) => socket.send(bytes, port, address, () => resolve()));
}

/** The address is always literal here: use it immediately instead of one turn of the event loop later. */
function lookUpNothing(
  address: string,
  _options: unknown,
  callback: (error: null, address: string, family: number) => void,
): void {
  callback(null, address, isIPv6(address) ? 6 : 4);
}
