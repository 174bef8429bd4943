import type { App, RequestContext } from '#server/context.ts';
import { createEndpoint } from '#server/services/cdn/create-endpoint.ts';
import { createTestApp, type TestApp } from '../app/test-app.ts';
import { createTestPerson, type TestPerson } from '../app/test-person.ts';
import { FakeLookup } from '../dns/fake-lookup.ts';
import { FakeAuthority } from './fake-authority.ts';

export interface IssuingApp {
  app: TestApp;
  authority: FakeAuthority;
  lookup: FakeLookup;
  /** The context of the issuing job. */
  context: RequestContext;
  person: TestPerson;
  /** A bundle of a hostname whose challenge record is set. */
  addHostname(hostname: string): Promise<{ bundleId: string; endpointId: string; challengeId: string }>;
  /** Sets the customer's challenge record correctly. */
  delegate(hostname: string, challengeId: string): void;
  readBundle(bundleId: string): ReturnType<typeof readBundle>;
}

/**
 * Returns an installation with a scripted authority, the public DNS in memory, and a name server of the
 * operator that accepts the challenge values, so that they can be resolved.
 */
export async function createIssuingApp(overrides: Partial<App> = {}): Promise<IssuingApp> {
  const authority = new FakeAuthority();
  const lookup = new FakeLookup();
  const app = await createTestApp({
    environment: { ACME_ZONE: 'acme.example.net' },
    authority,
    lookup,
    challengeUpdates: {
      async put(dnsChallengeId, values) {
        lookup.set(`${dnsChallengeId}.acme.example.net`, { txt: [...values] });
      },
    },
    ...overrides,
  });
  authority.now = () => app.clock.now();
  authority.validate = async ({ domains, values }) => {
    for (const domain of domains) {
      const seen = await lookup.txt(`_acme-challenge.${domain.replace(/^\*\./, '')}`);
      const isSeen = seen.kind === 'found' && values.every((value) => seen.records.includes(value));
      if (!isSeen) return `Incorrect TXT record found at _acme-challenge.${domain}`;
    }
    return null;
  };
  const person = await createTestPerson(app);
  const delegate = (hostname: string, challengeId: string) =>
    lookup.set(`_acme-challenge.${hostname.replace(/^\*\./, '')}`, {
      cname: `${challengeId}.${app.config.acmeZone}`,
    });
  return {
    app,
    authority,
    lookup,
    person,
    context: { app, actor: { kind: 'job', name: 'issue-certificates' }, requestId: 'test', address: '' },
    delegate,
    async addHostname(hostname) {
      const target = 'https://example.ca/';
      const endpoint = await createEndpoint(person.context, {
        hostname,
        origin_type: 'redirect',
        redirect_target: target,
      });
      const bundle = await app.db
        .selectFrom('certificate_bundles')
        .select(['id', 'dns_challenge_id'])
        .where('endpoint_id', '=', endpoint.id)
        .executeTakeFirstOrThrow();
      delegate(hostname, bundle.dns_challenge_id);
      return { bundleId: bundle.id, endpointId: endpoint.id, challengeId: bundle.dns_challenge_id };
    },
    readBundle: (bundleId) => readBundle(app, bundleId),
  };
}

function readBundle(app: App, bundleId: string) {
  return app.db
    .selectFrom('certificate_bundles')
    .selectAll()
    .where('id', '=', bundleId)
    .executeTakeFirstOrThrow();
}

/** Pauses that take no time and are counted. */
export function countedPauses(): { pause: (ms: number) => Promise<void>; waited: number[] } {
  const waited: number[] = [];
  return {
    waited,
    pause: async (ms) => {
      waited.push(ms);
    },
  };
}
