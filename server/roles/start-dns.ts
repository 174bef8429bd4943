import { FairQueue } from '../concurrency/fair-queue.ts';
import { ConfigError } from '../config/config.ts';
import type { App } from '../context.ts';
import { createDnsServer, type DnsServer } from '../dns/create-dns-server.ts';
import { defaultDnsLimits } from '../dns/dns-limits.ts';
import { isAnswering } from '../dns/is-answering.ts';
import { networkOf } from '../dns/network-rate.ts';
import { watchRole } from '../health/check-roles.ts';
import { listenProblem } from '../http/connections/listen-problem.ts';
import { AddressCounts } from '../limits/address-counts.ts';
import { createBoundedLog } from '../logging/bounded-log.ts';
import { showDnsFigures } from '../metrics/dns-metrics.ts';
import { findChallengeValues } from '../services/certificates/find-challenge-values.ts';
import type { RunningRole } from './running-role.ts';

/**
 * Starts the name server for ACME_ZONE and CNAME_DOMAIN. When the local authority issues certificates,
 * nothing depends on it: then a port in use (5353 is multicast DNS on many desktops) only causes a warning, and
 * `/readyz` names the role.
 * @throws ConfigError when it is needed and cannot listen
 */
export async function startDns(app: App): Promise<RunningRole> {
  const { config, logger } = app;
  let server: DnsServer;
  try {
    await app.siblings.claimPort(config.dnsPort, config.bindAddress);
    server = await createDnsServer({
      port: config.dnsPort,
      address: config.bindAddress,
      ports: { findTexts: (label) => findChallengeValues(app.db, label) },
      settings: {
        challengeZone: config.acmeZone,
        addressZone: config.cnameDomain,
        addresses: config.edgeAddresses,
        nameServers: config.dnsNameServers,
      },
      limits: {
        connectionsMax: Math.min(defaultDnsLimits.connectionsMax, app.connections.dnsConnectionsMax),
      },
      onAnswered: showDnsFigures(app.metrics),
      logger: createBoundedLog(logger, app.metrics, 'dns', () => app.clock.now()),
      countNetworks: (max) => new AddressCounts(max, networkOf),
      queueLookups: (limits) => new FairQueue(limits),
      clock: app.clock,
    });
  } catch (error) {
    const reason = listenProblem(error, { portSetting: 'DNS_PORT', addressSetting: 'BIND_ADDRESS' });
    if (reason === null) throw error;
    if (config.acme) throw new ConfigError(reason);
    logger.warn(
      { port: config.dnsPort, reason },
      'the dns role is not running; set DNS_PORT to another port',
    );
    watchRole(app, 'dns', () => false);
    return { address: null, stop: async () => undefined };
  }
  watchRole(app, 'dns', () => isAnswering(server, config.acmeZone));
  const zones = [...new Set([config.acmeZone, config.cnameDomain])];
  return { address: `dns port ${server.port}: ${zones.join(', ')}`, stop: () => server.close() };
}
