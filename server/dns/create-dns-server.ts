import { createResponder, type ResponderOptions } from './create-responder.ts';
import { type DnsLimits, defaultDnsLimits } from './dns-limits.ts';
import type { DnsConnectionCounts } from './ports.ts';
import { serveTcp } from './serve-tcp.ts';
import { type Listener, serveUdp } from './serve-udp.ts';

export interface DnsServer {
  /** The port in use, the same for udp and tcp. */
  readonly port: number;
  /** Stops taking questions, answers those that are in flight, and ends. */
  close(): Promise<void>;
}

export interface DnsServerOptions extends Omit<ResponderOptions, 'limits'> {
  /** 0 takes any port that is free for both. */
  readonly port: number;
  /** Without it: every address of the machine. */
  readonly address?: string | undefined;
  readonly limits?: Partial<DnsLimits>;
  /** Made with the bound of the limits. */
  readonly countNetworks: (max: number) => DnsConnectionCounts;
}

const ATTEMPTS_FOR_ANY_PORT = 20;

/**
 * Starts the authoritative name server over its ports. It speaks for its zones only and looks up nothing for anybody.
 * @throws the socket's own error, e.g. EADDRINUSE or EACCES
 */
export async function createDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  const limits = { ...defaultDnsLimits, ...options.limits };
  const networks = options.countNetworks(limits.connectionsPerNetworkMax);
  const responder = createResponder({ ...options, limits });
  for (let attempt = 1; ; attempt += 1) {
    const tcp = await serveTcp(responder, options.port, options.address, options.logger, limits, networks);
    let udp: Listener;
    try {
      udp = await serveUdp(responder, tcp, options.logger, limits);
    } catch (error) {
      await tcp.close();
      if (options.port === 0 && attempt < ATTEMPTS_FOR_ANY_PORT) continue;
      throw error;
    }
    return {
      port: tcp.port,
      async close() {
        await Promise.all([udp.close(), tcp.close()]);
      },
    };
  }
}
