import { DAY_MS } from '#server/durations.ts';
import { listOf, type RestClient } from '#tests/support/client/rest-client.ts';
import type { ZoneServer } from '#tests/support/dns/zone-server.ts';
import { ENDPOINT_TARGET, insertEndpoint } from '#tests/support/server/server-database.ts';
import type { TestServer } from '#tests/support/server/test-server.ts';

const DOMAIN = 'rives.example';

/** An endpoint that stays as it is: what is known about it is also what its records say. */
interface DemoEndpoint {
  isProven?: boolean;
  /** Without one, there is no certificate and none is wanted. */
  bundle?: NonNullable<Parameters<typeof insertEndpoint>[1]['bundle']>;
  /** What the public DNS has: where the record of the traffic leads, and the record of the challenge. */
  traffic?: 'ours' | 'elsewhere';
  hasChallenge?: boolean;
}

/** Endpoints in every state of a certificate, by the first label of their hostname. */
function demoEndpoints(now: number): Record<string, DemoEndpoint> {
  const found = { dns_validated_at: now, dns_challenge_validated_at: now };
  const issued = {
    issued_at: now - 20 * DAY_MS,
    valid_until: now + 70 * DAY_MS,
    renew_at: now + 40 * DAY_MS,
  };
  return {
    www: { isProven: true, bundle: { ...found, ...issued }, traffic: 'ours', hasChallenge: true },
    soon: {
      ...{ isProven: true, traffic: 'elsewhere', hasChallenge: true },
      bundle: { ...found, ...issued, dns_validated_at: null },
    },
    moved: {
      ...{ isProven: true, traffic: 'ours' },
      bundle: { ...found, ...issued, dns_challenge_validated_at: null, dns_problem_since: now },
    },
    // The authority has not responded since the renewal was due.
    held: {
      ...{ isProven: true, traffic: 'ours', hasChallenge: true },
      bundle: {
        ...{
          ...found,
          issued_at: now - 62 * DAY_MS,
          valid_until: now + 28 * DAY_MS,
          renew_at: now - 2 * DAY_MS,
        },
        ...{
          failure_code: 'authority_unavailable',
          failed_at: now,
          attempts: 4,
          next_issue_at: now + DAY_MS,
        },
      },
    },
    // The traffic was switched before the record of the challenge was added.
    ready: { isProven: true, bundle: { dns_validated_at: now }, traffic: 'ours' },
    new: { bundle: {} },
    plain: { isProven: true, traffic: 'ours' },
  };
}

/** Inserts the endpoints, all of one site, and puts their records into the public DNS. */
export async function insertDemoEndpoints(
  server: TestServer,
  api: RestClient,
  { organizationId, siteId, dns }: { organizationId: string; siteId: string; dns: ZoneServer },
): Promise<void> {
  const now = Date.now();
  const endpoints = demoEndpoints(now);
  for (const [label, { isProven, bundle }] of Object.entries(endpoints)) {
    const hostname = `${label}.${DOMAIN}`;
    const provenAt = isProven ? now : undefined;
    await insertEndpoint(server, { organizationId, siteId, hostname, provenAt, bundle });
  }
  dns.set('example', { soa: 'ns1.example' });
  dns.set(DOMAIN, { soa: `ns1.${DOMAIN}` });
  dns.set(`old-host.${DOMAIN}`, { ipv4: ['203.0.113.20'] });
  for (const { hostname, bundle } of listOf(await api('GET', '/api/v1/cdn/endpoints'))) {
    const name = String(hostname);
    const facts = endpoints[name.replace(`.${DOMAIN}`, '')];
    if (!facts) continue;
    const { traffic, hasChallenge } = facts;
    if (traffic) dns.set(name, { cname: traffic === 'ours' ? ENDPOINT_TARGET : `old-host.${DOMAIN}` });
    const { challenge_target } = (bundle ?? {}) as { challenge_target?: string };
    if (hasChallenge && challenge_target) dns.set(`_acme-challenge.${name}`, { cname: challenge_target });
  }
}
