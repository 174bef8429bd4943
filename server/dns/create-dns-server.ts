import { type Answer, createResponder, type Responder, type ResponderOptions } from './create-responder.ts';
import { type DnsLimits, defaultDnsLimits } from './dns-limits.ts';
import type { DnsConnectionCounts } from './ports.ts';
import { serveTcp } from './serve-tcp.ts';
import { type Listener, serveUdp } from './serve-udp.ts';
import { rcodeOf } from './wire.ts';

export interface DnsServer {
  /** The port in use, the same for UDP and TCP. */
  readonly port: number;
  /** The address in use. */
  readonly address: string;
  /** Stops accepting questions, answers those in flight, and ends. */
  close(): Promise<void>;
}

export interface DnsServerOptions extends Omit<ResponderOptions, 'limits'> {
  /** 0 takes any port that is free for both protocols. */
  readonly port: number;
  /** Every address of the machine when omitted. */
  readonly address?: string | undefined;
  readonly limits?: Partial<DnsLimits>;
  /**
   * Called for every message with its RCODE (RFC 1035), or null when it was not answered, and the time it
   * took in milliseconds.
   */
  readonly onAnswered?: (transport: 'udp' | 'tcp', rcode: number | null, ms: number) => void;
  /** Created with the limit on connections. */
  readonly countNetworks: (max: number) => DnsConnectionCounts;
}

const ATTEMPTS_FOR_ANY_PORT = 20;

/** Reports how every message is answered. */
function tellAnswers(responder: Responder, onAnswered: DnsServerOptions['onAnswered']): Responder {
  if (onAnswered === undefined) return responder;
  const tell = <A extends Answer>(transport: 'udp' | 'tcp', answer: () => A): A => {
    const begin = performance.now();
    const given = answer();
    const note = (bytes: Awaited<Answer>) =>
      onAnswered(transport, bytes === null ? null : rcodeOf(bytes), performance.now() - begin);
    if (given instanceof Promise) void given.then(note);
    else note(given);
    return given;
  };
  return {
    answerUdp: (message, address) => tell('udp', () => responder.answerUdp(message, address)),
    answerTcp: (message, address) => tell('tcp', () => responder.answerTcp(message, address)),
    admitTcp: (address) => responder.admitTcp(address),
  };
}

/**
 * Starts the authoritative name server over its ports. It answers for its own zones only and never resolves
 * names for clients.
 * @throws the socket's own error, e.g. EADDRINUSE or EACCES
 */
export async function createDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  const { port, address, logger } = options;
  const limits = { ...defaultDnsLimits, ...options.limits };
  const networks = options.countNetworks(limits.connectionsPerNetworkMax);
  const responder = tellAnswers(createResponder({ ...options, limits }), options.onAnswered);
  for (let attempt = 1; ; attempt += 1) {
    const tcp = await serveTcp(responder, { port, address, logger, limits, networks });
    let udp: Listener;
    try {
      udp = await serveUdp(responder, tcp, logger, limits);
    } catch (error) {
      await tcp.close();
      if (port === 0 && attempt < ATTEMPTS_FOR_ANY_PORT) continue;
      throw error;
    }
    return {
      port: tcp.port,
      address: tcp.address,
      async close() {
        await Promise.all([udp.close(), tcp.close()]);
      },
    };
  }
}
