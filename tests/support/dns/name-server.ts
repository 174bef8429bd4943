import { FairQueue } from '#server/concurrency/fair-queue.ts';
import { createDnsServer, type DnsServerOptions } from '#server/dns/create-dns-server.ts';
import { networkOf } from '#server/dns/network-rate.ts';
import type { DnsSettings } from '#server/dns/ports.ts';
import { AddressCounts } from '#server/limits/address-counts.ts';

/** Our name server over values in memory, with a switch for each way the rest of the product can fail. */
export interface NameServer {
  port: number;
  /** Label to texts; a label without an entry does not exist. */
  texts: Map<string, string[]>;
  /** Labels that were queried. */
  readonly asked: string[];
  readonly log: string[];
  /** Lookups fail. */
  isDown: boolean;
  /** Lookups wait for it; cached ones continue. */
  wait: Promise<void>;
  close(): Promise<void>;
}

const NAME_SERVER_SETTINGS: DnsSettings = {
  challengeZone: 'acme.example.ca',
  addressZone: 'edge.example.ca',
  addresses: ['192.0.2.1', '192.0.2.2', '2001:db8::1'],
  nameServers: ['ns1.acme.example.ca', 'ns2.example.net'],
};

/** Starts it on a free port. */
export async function startNameServer(
  settings: Partial<DnsSettings> = {},
  options: Partial<DnsServerOptions> = {},
): Promise<NameServer> {
  const asked: string[] = [];
  const log: string[] = [];
  const fixture: NameServer = {
    port: 0,
    texts: new Map(),
    asked,
    log,
    isDown: false,
    wait: Promise.resolve(),
    close: async () => undefined,
  };
  const note = (_details: object, message: string) => {
    log.push(message);
  };
  const server = await createDnsServer({
    port: 0,
    address: '127.0.0.1',
    settings: { ...NAME_SERVER_SETTINGS, ...settings },
    ports: {
      async findTexts(label) {
        asked.push(label);
        await fixture.wait;
        if (fixture.isDown) throw new Error('the database is away');
        return fixture.texts.get(label) ?? null;
      },
    },
    logger: { warn: note, error: note },
    countNetworks: (max) => new AddressCounts(max, networkOf),
    queueLookups: (limits) => new FairQueue(limits),
    clock: { now: () => Date.now() },
    ...options,
  });
  fixture.port = server.port;
  fixture.close = () => server.close();
  return fixture;
}
