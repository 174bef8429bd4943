import type { Page } from 'playwright';
import { afterAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import {
  CERTIFICATE_PROBLEMS,
  DNS_PROBLEMS,
  type DnsProblem,
  ISSUE_STEPS,
} from '#server/services/certificates/rules.ts';
import type { Bundle, DnsFact, DnsReport } from '#server/services/certificates/schema.ts';
import { alterAnswer } from '#tests/support/alter-answer.ts';
import { requireStatus } from '#tests/support/deploy-client.ts';
import {
  arrive,
  expectAccessible,
  expectFitsPhone,
  PHONE,
  type SignedInVisitor,
  startJourney,
  type VisitorOptions,
} from '#tests/support/journey.ts';
import { objectOf } from '#tests/support/rest-client.ts';
import { insertNamedOrganization, suspendOrganization } from '#tests/support/server-database.ts';
import { registerAndSignIn } from '#tests/support/sign-in.ts';
import { startZoneServer } from '#tests/support/zone-server.ts';

const zone = await startZoneServer();
afterAll(() => zone.close());
const environment = {
  DNS_RESOLVERS: zone.address,
  CNAME_DOMAIN: 'edge.portage.test',
  ACME_ZONE: 'acme.portage.test',
  EDGE_ADDRESSES: '192.0.2.10,2001:db8::10',
};
/** Everything goes on by itself. */
const journey = startJourney(environment);
/** Nothing happens but what a person does. */
const quietJourney = startJourney({ ...environment, ROLES: 'console,edge' });

const DAY_MS = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
let nextNumber = 1;

interface AtEndpoint extends SignedInVisitor {
  endpoint: Endpoint;
  path: string;
}

/** Signs somebody in whose workspace has one endpoint in front of a site; `{n}` in the hostname makes it unique. */
async function visitEndpoint(
  hostname: string,
  options: VisitorOptions & { isQuiet?: boolean } = {},
): Promise<AtEndpoint> {
  const { isQuiet, ...rest } = options;
  const visitor = await (isQuiet ? quietJourney() : journey()).visitSignedIn(rest);
  const number = nextNumber++;
  const { api, organizationId } = visitor;
  const create = async (path: string, json: unknown) =>
    objectOf(requireStatus(await api('POST', path, { json }), 201));
  const site = await create('/api/v1/sites', { name: `Quay ${number}` });
  const endpoint = (await create('/api/v1/cdn/endpoints', {
    hostname: hostname.replace('{n}', String(number)),
    site_id: site.id,
  })) as unknown as Endpoint;
  return { ...visitor, endpoint, path: `/${organizationId}/endpoints/${endpoint.id}` };
}

const bundleOf = ({ endpoint }: AtEndpoint): Bundle => {
  if (endpoint.bundle === null) throw new Error('the endpoint has no bundle');
  return endpoint.bundle;
};
const card = (page: Page, heading: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: heading }) });
const certificate = (page: Page) => card(page, 'TLS certificate');
const records = (page: Page) => card(page, 'DNS records');
const fact = (page: Page, title: string) => records(page).getByRole('listitem').filter({ hasText: title });
const checkAgain = (page: Page) => page.getByRole('button', { name: 'Check again now' }).click();

/** Sets what a domain with a website elsewhere has. */
function setElsewhere(hostname: string): void {
  zone.set('example.test', { soa: 'ns.example.test' });
  zone.set('old-host.test', { ipv4: ['198.51.100.7'] });
  zone.set(hostname, { cname: 'old-host.test' });
}

describe('an endpoint of this machine', () => {
  it('gets its certificate by itself, and is deleted after a question that names it', async () => {
    const at = await visitEndpoint('quay-{n}.localhost');
    const { page, path, organizationId, endpoint } = at;
    await arrive(page, path);
    const { hostname } = endpoint;
    await page.getByRole('heading', { level: 1, name: hostname }).waitFor();
    expect(await page.title()).toBe(`${hostname} · Portage`);
    await certificate(page).getByText('Active', { exact: true }).waitFor();
    await certificate(page)
      .getByText(/^Valid until \w+ \d+, \d{4}$/)
      .waitFor();
    await certificate(page).getByText('This installation', { exact: true }).waitFor();
    await records(page)
      .getByText(/Nothing has to be set/)
      .waitFor();
    const root = page.getByRole('link', { name: 'download the root certificate' });
    const pem = await at.api('GET', String(await root.getAttribute('href')));
    expect(requireStatus(pem, 200).text).toContain('BEGIN CERTIFICATE');
    const visit = page.getByRole('link', { name: 'Visit', exact: true });
    await expect.poll(() => visit.getAttribute('href')).toMatch(new RegExp(`^https://${hostname}`));
    await expectAccessible(page);

    const askToDelete = async () => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete endpoint' }).click();
    };
    const question = page.getByRole('dialog', { name: `Delete ${hostname}?` });
    await askToDelete();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    await askToDelete();
    await question.getByRole('button', { name: 'Delete endpoint' }).click();
    await page.waitForURL(`**/${organizationId}/cdn`);
    await page.getByText(`${hostname} was deleted`).waitFor();
    await arrive(page, path);
    await page.getByRole('heading', { level: 1, name: 'CDN endpoint not found' }).waitFor();
    expect(await page.title()).toBe('CDN endpoint not found · Portage');
    await page.getByRole('link', { name: 'Back to CDN' }).click();
    await page.waitForURL(`**/${organizationId}/cdn`);
  });
});

describe('an endpoint of a domain', () => {
  it('says which records to set, sees them at once, and has a certificate before traffic moves', async () => {
    const at = await visitEndpoint('www.{n}.example.test', { isQuiet: true });
    const { page, path, endpoint } = at;
    const { hostname, cname_target } = endpoint;
    const { challenge_name, challenge_target } = bundleOf(at);
    setElsewhere(hostname);
    await arrive(page, path);
    await certificate(page).getByText('Pending', { exact: true }).waitFor();
    const toSet = certificate(page).getByRole('list', { name: 'CNAME record of the challenge' });
    await toSet.getByText(challenge_name).waitFor();
    await toSet.getByText(challenge_name.replace('.example.test', ''), { exact: true }).waitFor();
    await toSet.getByRole('button', { name: 'Copy the value' }).click();
    const copied = page.getByText('Copied', { exact: true });
    await copied.first().waitFor({ state: 'attached' });
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(challenge_target);
    await expect.poll(() => copied.count()).toBe(0);
    await fact(page, 'Certificate challenge').getByText('Missing').waitFor();
    await fact(page, 'Certificate challenge')
      .getByText(`There is no such record at ${challenge_name} yet.`, { exact: false })
      .waitFor();
    await fact(page, 'Traffic').getByText(`${hostname} leads somewhere else.`).waitFor();
    await fact(page, 'Traffic').getByText('CNAME old-host.test').waitFor();
    await page.getByText(/^Checked (now|\d+ seconds? ago)$/).waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);

    const validate = certificate(page).getByRole('button', { name: 'Validate and issue' });
    await validate.click();
    const failure = certificate(page).getByRole('alert');
    await failure.getByText('Failed to validate DNS or issue certificate').waitFor();
    await failure
      .getByText(`The record ${challenge_name} does not point at ${challenge_target} yet.`, { exact: false })
      .waitFor();
    await failure.getByRole('button').click();
    await failure.waitFor({ state: 'hidden' });

    zone.set(challenge_name, { cname: 'somebody-else.test' });
    await checkAgain(page);
    await fact(page, 'Certificate challenge').getByText('Wrong').waitFor();
    await fact(page, 'Certificate challenge').getByText('CNAME somebody-else.test').waitFor();
    zone.set(challenge_name, { cname: challenge_target });
    await validate.click();
    await certificate(page).getByText('DNS validated and certificate issued').waitFor();
    await certificate(page).getByText('Active', { exact: true }).waitFor();
    await certificate(page)
      .getByText(/^Valid until/)
      .waitFor();
    await fact(page, 'Certificate challenge').getByText('Correct').waitFor();

    const safe = page.getByRole('status').filter({ hasText: 'Safe to switch' });
    await safe.getByText(cname_target).waitFor();
    await page.getByText('Ready to switch').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    zone.set(hostname, { cname: cname_target });
    await checkAgain(page);
    await fact(page, 'Traffic').getByText('Correct').waitFor();
    await safe.waitFor({ state: 'hidden' });
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('is issued by the action once the record was seen', async () => {
    const at = await visitEndpoint('www.{n}.example.test', { isQuiet: true });
    const { challenge_name, challenge_target } = bundleOf(at);
    setElsewhere(at.endpoint.hostname);
    zone.set(challenge_name, { cname: challenge_target });
    await arrive(at.page, at.path);
    await certificate(at.page).getByText('Validating', { exact: true }).waitFor();
    await expectAccessible(at.page);
    await certificate(at.page).getByRole('button', { name: 'Issue certificate' }).click();
    await certificate(at.page).getByText('Certificate issued successfully').waitFor();
    await certificate(at.page).getByText('Active', { exact: true }).waitFor();
  });

  it('becomes active while its page is only looked at', async () => {
    const at = await visitEndpoint('www.{n}.example.test');
    const { challenge_name, challenge_target } = bundleOf(at);
    setElsewhere(at.endpoint.hostname);
    await arrive(at.page, at.path);
    await certificate(at.page).getByText('Pending', { exact: true }).waitFor();
    zone.set(challenge_name, { cname: challenge_target });
    await certificate(at.page).getByText('Active', { exact: true }).waitFor();
    await at.page.getByRole('status').filter({ hasText: 'Safe to switch' }).waitFor();
  });

  it('at its top shows an alias and the addresses, and an international name as people write it', async () => {
    const at = await visitEndpoint('café-{n}.test', { isQuiet: true });
    const { page, path, endpoint } = at;
    const { hostname, cname_target } = endpoint;
    zone.set(hostname, { soa: 'ns.example.test', ipv4: ['198.51.100.7'] });
    await arrive(page, path);
    await page.getByRole('heading', { level: 1, name: /^café-\d+\.test$/ }).waitFor();
    await page.getByText(hostname, { exact: true }).first().waitFor();
    const traffic = fact(page, 'Traffic');
    await traffic.getByText('is the domain itself, where no CNAME can stand', { exact: false }).waitFor();
    const alias = traffic.getByRole('list', { name: 'Record to set' });
    await alias.getByText('ALIAS').waitFor();
    await alias.getByText(cname_target).waitFor();
    await alias.getByText('@', { exact: true }).waitFor();
    const addresses = traffic.getByRole('list', { name: 'Addresses to set' });
    await addresses.getByText('192.0.2.10').waitFor();
    await addresses.getByText('AAAA').waitFor();
  });
});

/** The row and the state of a record in which each problem is found. */
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
  it('has words of its own for each problem, and the CAA record to add', async () => {
    const at = await visitEndpoint('www.{n}.example.test', { isQuiet: true, locale });
    const { page } = at;
    setElsewhere(at.endpoint.hostname);
    const [first, ...others] = DNS_PROBLEMS;
    const change = await alterAnswer(page, 'certificates.dnsReport', withProblem(first));
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
    for (const text of words) expect(text).toMatch(/[.»]\s.+[.»]$/su);
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

  it('shows each step of an issuance, and why one failed and when it is tried again', async () => {
    const at = await visitEndpoint('www.{n}.example.test', { isQuiet: true });
    const { page } = at;
    const change = await alterAnswer(
      page,
      'cdn.get',
      altered(() => ({ dns_challenge_validated: true })),
    );
    await arrive(page, at.path);
    const steps = page.getByRole('list', { name: 'Steps of issuing' });
    const words: string[] = [];
    for (const step of ISSUE_STEPS) {
      change(altered(() => ({ dns_challenge_validated: true, step })));
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
      const note = page.getByRole('note').filter({ hasText: 'The last attempt did not succeed' });
      await note.getByText(`the words about ${code}`).waitFor();
      await note.getByText('3 attempts so far. It is tried again by itself in 6 hours.').waitFor();
      reasons.add(await note.locator('p').first().innerText());
    }
    expect(reasons.size).toBe(CERTIFICATE_PROBLEMS.length);
    await expectAccessible(page);
  });

  it('warns with the days that are left while it cannot be renewed, and says when it has expired', async () => {
    const at = await visitEndpoint('www.{n}.example.test', { isQuiet: true });
    const { page } = at;
    const problem = { code: 'authority_unavailable' as const, detail: null, at: daysFromNow(0) };
    const change = await alterAnswer(
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
    await page.getByText('The next renewal would fail: 30 days left').waitFor();
    change(altered((bundle) => issued(bundle, { valid_until: daysFromNow(-1) })));
    await certificate(page).getByText('Expired', { exact: true }).waitFor();
    await page.getByText(/^Expired on .+ browsers warn everybody/).waitFor();
    await expectAccessible(page);
  });

  it('is asked for where an endpoint has none', async () => {
    const at = await visitEndpoint('www.{n}.example.test', { isQuiet: true });
    const { page } = at;
    await alterAnswer(page, 'cdn.get', (endpoint: Endpoint) => ({ ...endpoint, bundle: null }));
    await arrive(page, at.path);
    await certificate(page).getByText('No Certificate', { exact: true }).waitFor();
    await expectAccessible(page);
    await certificate(page).getByRole('button', { name: 'Request a certificate' }).click();
    await certificate(page).getByText('Failed to create certificate').waitFor();
    await certificate(page).getByText('The endpoint has a certificate already.').waitFor();
  });
});

describe('what an endpoint leads to', () => {
  it('is changed to a redirect and back, with what is wrong beside the field', async () => {
    const at = await visitEndpoint('quay-{n}.localhost', { isQuiet: true });
    const { page, api, endpoint } = at;
    await arrive(page, at.path);
    await card(page, 'Origin')
      .getByRole('link', { name: String(endpoint.site_name) })
      .waitFor();
    await page.getByRole('button', { name: 'Change origin' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change origin' });
    await dialog.getByRole('radio', { name: /^Redirect/ }).click();
    await dialog.getByRole('button', { name: 'Change origin' }).click();
    await dialog.getByText('Enter the address to redirect to.').waitFor();
    await dialog.getByLabel('Redirect to').fill(`https://${endpoint.hostname}/`);
    await dialog.getByRole('button', { name: 'Change origin' }).click();
    await dialog.getByText('An endpoint cannot redirect to itself.').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await dialog.getByLabel('Redirect to').fill('https://elsewhere.example/news');
    await dialog.getByRole('button', { name: 'Change origin' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText(`The origin of ${endpoint.hostname} was changed`).waitFor();
    await card(page, 'Origin').getByRole('link', { name: 'https://elsewhere.example/news' }).waitFor();
    const stored = objectOf(await api('GET', `/api/v1/cdn/endpoints/${endpoint.id}`));
    expect(stored).toMatchObject({
      origin_type: 'redirect',
      redirect_target: 'https://elsewhere.example/news',
    });
  });

  it('is https only for as long as was chosen, a year only after a question', async () => {
    const at = await visitEndpoint('quay-{n}.localhost');
    const { page, api, endpoint } = at;
    await arrive(page, at.path);
    await certificate(page).getByText('Active', { exact: true }).waitFor();
    const hsts = async () => objectOf(await api('GET', `/api/v1/cdn/endpoints/${endpoint.id}`)).hsts;
    const choice = card(page, 'Https only (HSTS)');
    await choice.getByText('One day').click();
    await expect.poll(hsts).toBe('day');
    await choice.getByText('One year').click();
    const question = page.getByRole('dialog', { name: 'Https only for a year?' });
    await question.getByText(endpoint.hostname).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await hsts()).toBe('day');
    await choice.getByText('One year').click();
    await question.getByRole('button', { name: 'Use https only' }).click();
    await expect.poll(hsts).toBe('year');
  });
});

describe('the page of an endpoint', () => {
  it('shows everything to a reader, with the reason why nothing can be changed, and to a suspended organization', async () => {
    const { server, visitSignedIn } = quietJourney();
    const owner = await visitSignedIn();
    const reader = await registerAndSignIn(server.consoleUrl);
    const organizationId = await insertNamedOrganization(server, {
      name: 'Harbour',
      members: { [owner.person.account.email]: 'owner', [reader.account.email]: 'read' },
    });
    const headers = { 'portage-organization': organizationId };
    const json = {
      hostname: 'www.harbour.example.test',
      origin_type: 'redirect',
      redirect_target: 'https://example.ca',
    };
    const created = requireStatus(await owner.api('POST', '/api/v1/cdn/endpoints', { json, headers }), 201);
    const path = `/${organizationId}/endpoints/${objectOf(created).id}`;
    const { page } = await visitSignedIn({ person: reader });
    await arrive(page, path);
    const validate = certificate(page).getByRole('button', { name: 'Validate and issue' });
    expect(await validate.getAttribute('aria-disabled')).toBe('true');
    await certificate(page).getByText('You need the permission Write in this organization.').waitFor();
    const change = page.getByRole('button', { name: 'Change origin' });
    expect(await change.getAttribute('aria-disabled')).toBe('true');
    await fact(page, 'Certificate challenge').getByText('Missing').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    const remove = page.getByRole('menuitem', { name: 'Delete endpoint' });
    expect(await remove.getAttribute('data-disabled')).toBe('true');
    await page.getByText('You need the permission Admin in this organization.').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);

    await suspendOrganization(server, organizationId, 'The invoice of March was not paid.');
    await arrive(owner.page, path);
    await owner.page.getByText('Suspended', { exact: true }).waitFor();
    const reason = 'This organization is suspended: The invoice of March was not paid.';
    await certificate(owner.page).getByText(reason).waitFor();
  });

  it('says why it could not be loaded, with the way back and Retry', async () => {
    const at = await visitEndpoint('quay-{n}.localhost', {
      isQuiet: true,
      provoked: /^TRPCClientError: Failed to fetch/,
    });
    const { page, endpoint, organizationId } = at;
    await arrive(page, `/${organizationId}/cdn`);
    let isDown = true;
    await page.route('**/api/trpc/**', (route) => (isDown ? route.abort() : route.continue()));
    await page.getByRole('link', { name: endpoint.hostname }).first().click();
    await page.getByRole('alert').getByText('The server cannot be reached.', { exact: false }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Back to CDN' }).waitFor();
    await expectAccessible(page);
    isDown = false;
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { level: 1, name: endpoint.hostname }).waitFor();
  });

  it('speaks French from the first paint, with a hostname as long as can be, on a phone', async () => {
    const label = 'a'.repeat(63);
    const at = await visitEndpoint(`{n}.${label}.${label}.example.test`, {
      isQuiet: true,
      locale: 'fr-CA',
      viewport: PHONE,
    });
    const { page, endpoint } = at;
    setElsewhere(endpoint.hostname);
    await arrive(page, at.path);
    await page.getByRole('heading', { level: 2, name: 'Certificat TLS' }).waitFor();
    await page.getByText('En attente', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Valider et émettre' }).click();
    await page.getByText('Impossible de valider le DNS ou d’émettre le certificat').waitFor();
    await card(page, 'Enregistrements DNS').getByText('Manquant').first().waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
  });
});
