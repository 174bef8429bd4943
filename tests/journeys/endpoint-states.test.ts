import { afterAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import {
  CERTIFICATE_PROBLEMS,
  DNS_PROBLEMS,
  type DnsProblem,
  ISSUE_STEPS,
} from '#server/services/certificates/rules.ts';
import type { Bundle, DnsFact, DnsReport } from '#server/services/certificates/schema.ts';
import { alterResponse } from '#tests/support/browser/alter-response.ts';
import {
  arrive,
  expectAccessible,
  startOwnJourney,
  type VisitorOptions,
} from '#tests/support/browser/journey.ts';
import {
  cardOf,
  dnsEnvironment,
  lookAgain,
  setElsewhere,
  visitEndpoint,
} from '#tests/support/browser/visit-endpoint.ts';
import { startZoneServer } from '#tests/support/dns/zone-server.ts';

const zone = await startZoneServer();
afterAll(() => zone.close());
/** Nothing happens automatically: each state stays as it is set. */
const journey = startOwnJourney({ ...dnsEnvironment(zone), ROLES: 'console,edge' });

const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const visit = (options?: VisitorOptions) => visitEndpoint(journey(), 'www.{n}.example.test', options);
const certificate = (page: Parameters<typeof cardOf>[0]) => cardOf(page, 'TLS certificate');

/** The row and the state of a record in which each problem occurs. */
const PLACES: Record<DnsProblem, Pick<DnsFact, 'fact' | 'status'>> = {
  record_missing: { fact: 'challenge', status: 'missing' },
  domain_missing: { fact: 'challenge', status: 'missing' },
  points_elsewhere: { fact: 'challenge', status: 'wrong' },
  dangling: { fact: 'traffic', status: 'wrong' },
  name_doubled: { fact: 'challenge', status: 'missing' },
  target_doubled: { fact: 'traffic', status: 'wrong' },
  stale_ipv6: { fact: 'traffic', status: 'wrong' },
  proxied: { fact: 'traffic', status: 'wrong' },
  apex_elsewhere: { fact: 'traffic', status: 'wrong' },
  challenge_is_text: { fact: 'challenge', status: 'wrong' },
  challenge_zone_unreachable: { fact: 'challenge', status: 'wrong' },
  caa_forbids: { fact: 'caa', status: 'wrong' },
  resolver_timeout: { fact: 'traffic', status: 'unknown' },
  resolver_failed: { fact: 'traffic', status: 'unknown' },
};

/** A report with one problem, in the row where it belongs. */
const withProblem = (problem: DnsProblem) => (report: DnsReport) => {
  const place = PLACES[problem];
  const facts = report.facts.map((each) => {
    if (each.fact !== place.fact) return { ...each, status: 'ok' as const, problem: null };
    const expected = each.fact === 'caa' ? ['0 issue "ca.example"'] : each.expected;
    const found = each.fact === 'caa' ? ['CAA 0 issue "other.example"'] : each.found;
    return { ...each, ...place, problem, expected, found };
  });
  return { ...report, facts };
};

describe.each(['en-CA', 'fr-CA'] as const)('the checklist in %s', (locale) => {
  it('has a text for each problem, and the CAA record to add', async () => {
    const at = await visit({ locale });
    const { page } = at;
    setElsewhere(zone, at.endpoint.hostname);
    const [first, ...others] = DNS_PROBLEMS;
    const change = await alterResponse(page, 'certificates.dnsReport', withProblem(first));
    await arrive(page, at.path);
    const again = page.getByRole('button', {
      name: locale === 'en-CA' ? 'Check again now' : 'Vérifier maintenant',
    });
    const words: string[] = [];
    for (const problem of [first, ...others]) {
      change(withProblem(problem));
      await again.click();
      const item = page.locator(`li[data-problem="${problem}"]`);
      await item.waitFor();
      words.push((await item.locator('p').allInnerTexts()).join(' '));
      if (problem === 'caa_forbids') {
        await item.getByText('0 issue "ca.example"', { exact: true }).waitFor();
        await item.getByText('CAA 0 issue "other.example"').waitFor();
        await expectAccessible(page);
      }
    }
    expect(new Set(words).size).toBe(DNS_PROBLEMS.length);
    for (const text of words) expect(text).toMatch(/\.\s.+\./su);
  });
});

describe('the certificate', () => {
  const issued = (bundle: Bundle, more: Partial<Bundle>): Bundle => ({
    ...bundle,
    dns_challenge_validated: true,
    issued_at: daysFromNow(-60),
    valid_until: daysFromNow(30.5),
    renew_at: daysFromNow(1),
    ...more,
  });
  const altered = (more: (bundle: Bundle) => Partial<Bundle>) => (endpoint: Endpoint) => ({
    ...endpoint,
    bundle: endpoint.bundle && { ...endpoint.bundle, ...more(endpoint.bundle) },
  });

  it('shows each step of an issuance, and why one failed and when it is retried', async () => {
    const at = await visit();
    const { page } = at;
    const change = await alterResponse(
      page,
      'cdn.get',
      altered(() => ({ dns_challenge_validated: true })),
    );
    await arrive(page, at.path);
    const steps = page.getByRole('list', { name: 'Issuing steps' });
    const words: string[] = [];
    for (const step of ISSUE_STEPS) {
      change(altered(() => ({ dns_challenge_validated: true, step })));
      await lookAgain(page);
      const now = steps.locator(`[aria-current="step"][data-step="${step}"]`);
      await now.waitFor();
      words.push(await now.innerText());
    }
    expect(new Set(words).size).toBe(ISSUE_STEPS.length);
    await expectAccessible(page);

    const reasons = new Set<string>();
    for (const code of CERTIFICATE_PROBLEMS) {
      const problem = { code, detail: `the words about ${code}`, at: daysFromNow(0) };
      const more = { problem, attempts: 3, next_attempt_at: daysFromNow(0.25) };
      change(altered(() => ({ dns_challenge_validated: true, ...more })));
      await lookAgain(page);
      const note = page.getByRole('note').filter({ hasText: 'The last attempt did not succeed' });
      await note.getByText(`the words about ${code}`).waitFor();
      await note.getByText('3 attempts so far. We will try again automatically in 6 hours.').waitFor();
      reasons.add(await note.locator('p').first().innerText());
    }
    expect(reasons.size).toBe(CERTIFICATE_PROBLEMS.length);
    await expectAccessible(page);
  });

  it('is not promised in a moment while a record or a name server prevents it', async () => {
    const { page, path } = await visit();
    const proven = altered(() => ({ dns_challenge_validated: true }));
    await alterResponse(page, 'cdn.get', proven);
    const reported = (can_issue: boolean) => (report: DnsReport) => ({
      ...withProblem('challenge_zone_unreachable')(report),
      can_issue,
    });
    const change = await alterResponse(page, 'certificates.dnsReport', reported(false));
    await arrive(page, path);
    const inPlace = certificate(page).getByText('The challenge record is in place.');
    await inPlace.filter({ hasText: 'when the problem below, under DNS records, is solved.' }).waitFor();
    change(reported(true));
    await page.getByRole('button', { name: 'Check again now' }).click();
    await inPlace.filter({ hasText: 'in a moment' }).waitFor();
  });

  it('warns with the remaining days while it cannot be renewed, and says when it has expired', async () => {
    const at = await visit();
    const { page } = at;
    const problem = { code: 'authority_unavailable' as const, detail: null, at: daysFromNow(0) };
    const change = await alterResponse(
      page,
      'cdn.get',
      altered((bundle) => issued(bundle, { problem })),
    );
    await arrive(page, at.path);
    await page.getByText('The certificate could not be renewed yet: 30 days left').waitFor();
    await certificate(page).getByText('Active', { exact: true }).waitFor();
    await certificate(page).getByRole('button', { name: 'Issue certificate' }).waitFor();
    await expectAccessible(page);
    change(altered((bundle) => issued(bundle, { dns_challenge_validated: false })));
    await lookAgain(page);
    await page.getByText('The next renewal would fail: 30 days left').waitFor();
    change(altered((bundle) => issued(bundle, { valid_until: daysFromNow(-1) })));
    await lookAgain(page);
    await certificate(page).getByText('Expired', { exact: true }).waitFor();
    await page.getByText(/^Expired on .+ browsers warn everyone/).waitFor();
    await expectAccessible(page);
  });

  it('can be requested when an endpoint has none', async () => {
    const at = await visit();
    const { page } = at;
    await alterResponse(page, 'cdn.get', (endpoint: Endpoint) => ({ ...endpoint, bundle: null }));
    await arrive(page, at.path);
    await certificate(page).getByText('No Certificate', { exact: true }).waitFor();
    await cardOf(page, 'DNS records').getByText(at.endpoint.cname_target).waitFor();
    expect(await page.getByText('Checking…').count()).toBe(0);
    await expectAccessible(page);
    await certificate(page).getByRole('button', { name: 'Request a certificate' }).click();
    await certificate(page).getByText('Failed to create certificate').waitFor();
    await certificate(page).getByText('The endpoint already has a certificate.').waitFor();
  });
});
