import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { renewalIdentifier } from '#server/certificate-authority/acme-renewal.ts';
import type { CertificateAuthority } from '#server/certificate-authority/authority.ts';
import { openAuthority } from '#server/certificate-authority/open-authority.ts';
import { HOUR_MS } from '#server/durations.ts';
import { makeCertificateRequest, makeOrderKey } from '#server/services/certificates/issuing/order-key.ts';
import { type AcmeProxy, type AcmeRefusal, startAcmeProxy } from '#tests/support/certificates/acme-proxy.ts';
import { type Pebble, startPebble } from '#tests/support/certificates/pebble.ts';
import { startZoneServer, type ZoneServer } from '#tests/support/dns/zone-server.ts';
import { type AcmeInstallation, openInstallation, readUntil } from './acme-fixture.ts';

const NEW_ORDER = 'POST /order-plz';

let zone: ZoneServer;
let pebble: Pebble;
let proxy: AcmeProxy;
let installation: AcmeInstallation;
/** On the clock of the test. */
let authority: CertificateAuthority;
beforeAll(async () => {
  zone = await startZoneServer();
  pebble = await startPebble({ resolver: zone.address });
});
beforeEach(async () => {
  proxy = await startAcmeProxy(pebble);
  installation = await openInstallation(zone, proxy);
  authority = await openAuthority(installation.app);
});
afterEach(async () => {
  await installation.close();
  await proxy.close();
});
afterAll(async () => {
  await pebble.close();
  await zone.close();
});

async function issue(domain: string, replaces: string | null = null): Promise<string> {
  const label = installation.delegate(domain);
  const order = await authority.openOrder([domain], replaces);
  await installation.publish(label, (await authority.readOrder(order)).txtValues);
  await authority.answerChallenges(order);
  await readUntil(authority, order, 'ready');
  await authority.finalize(order, await makeCertificateRequest(await makeOrderKey(), domain));
  await readUntil(authority, order, 'valid');
  return authority.download(order);
}

/** One issued by Pebble; these tests are about the proxy in front of it. */
let issuedBefore: string | undefined;
async function someCertificate(): Promise<string> {
  issuedBefore ??= await issue('issued.test');
  return issuedBefore;
}

const refuseOnly = (request: string, refusal: AcmeRefusal) => {
  proxy.refuse = (asked) => (asked === request ? refusal : null);
};

describe('a limit of the authority', () => {
  const words = 'too many certificates (50) already issued for "limited.test" in the last 168h0m0s';

  it('is reported with the moment when it ends, without waiting for it', async () => {
    const now = installation.app.clock.now();
    refuseOnly(NEW_ORDER, {
      status: 429,
      type: 'rateLimited',
      detail: words,
      headers: { 'retry-after': '86400' },
    });
    await expect(authority.openOrder(['limited.test'], null)).rejects.toMatchObject({
      kind: 'limited',
      message: words,
      retryAt: now + 24 * HOUR_MS,
    });
    const date = new Date(now + HOUR_MS).toUTCString();
    refuseOnly(NEW_ORDER, {
      status: 503,
      type: 'rateLimited',
      detail: 'busy',
      headers: { 'retry-after': date },
    });
    await expect(authority.openOrder(['limited.test'], null)).rejects.toMatchObject({
      kind: 'limited',
      retryAt: now + HOUR_MS,
    });
    proxy.refuse = null;
    expect(await authority.openOrder(['limited.test'], null)).toContain('/my-order/');
  });

  it('on new accounts holds until it ends', async () => {
    const refusal = { status: 429, type: 'rateLimited', detail: 'too many registrations' };
    refuseOnly('POST /sign-me-up', { ...refusal, headers: { 'retry-after': '3600' } });
    await expect(authority.openOrder(['first.test'], null)).rejects.toMatchObject({ kind: 'limited' });
    proxy.refuse = null;
    await expect(authority.openOrder(['first.test'], null)).rejects.toMatchObject({ kind: 'limited' });
    installation.app.clock.advance(HOUR_MS);
    expect(await authority.openOrder(['first.test'], null)).toContain('/my-order/');
  });
});

describe('an authority', () => {
  it('that fails internally is unavailable, and continues on a retry', async () => {
    refuseOnly(NEW_ORDER, { status: 500, type: 'serverInternal', detail: 'Error creating new order' });
    await expect(authority.openOrder(['failing.test'], null)).rejects.toMatchObject({ kind: 'unavailable' });
    proxy.refuse = null;
    expect(await authority.openOrder(['failing.test'], null)).toContain('/my-order/');
  });

  it('that finds a CAA record against it reports it', async () => {
    refuseOnly(NEW_ORDER, {
      status: 403,
      type: 'caa',
      detail: 'CAA record for caa.test prevents issuance',
    });
    await expect(authority.openOrder(['caa.test'], null)).rejects.toMatchObject({
      kind: 'caa',
      message: 'CAA record for caa.test prevents issuance',
    });
  });

  it('that rejects six nonces is unavailable', async () => {
    refuseOnly(NEW_ORDER, { status: 400, type: 'badNonce', detail: 'JWS has an invalid anti-replay nonce' });
    await expect(authority.openOrder(['nonce.test'], null)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(proxy.requests.filter((request) => request === NEW_ORDER)).toHaveLength(6);
  });
});

describe('the names by which CAA records identify an authority', () => {
  it('are those of its directory, and the last known while it is unavailable', async () => {
    const { app } = installation;
    proxy.caaIdentities = ['CA.example.net', 'ca.example.org.'];
    expect(await authority.caaIdentities()).toEqual(['ca.example.net', 'ca.example.org']);
    proxy.caaIdentities = ['new.example.net'];
    expect(await authority.caaIdentities()).toEqual(['ca.example.net', 'ca.example.org']);
    app.clock.advance(HOUR_MS);
    refuseOnly('GET /dir', { status: 500, type: 'serverInternal', detail: 'away' });
    expect(await authority.caaIdentities()).toEqual(['ca.example.net', 'ca.example.org']);
    proxy.refuse = null;
    app.clock.advance(60_000);
    expect(await authority.caaIdentities()).toEqual(['new.example.net']);
  });

  it('are unknown while the directory was never read, which is not retried at every inspection', async () => {
    refuseOnly('GET /dir', { status: 500, type: 'serverInternal', detail: 'away' });
    await expect(authority.caaIdentities()).rejects.toMatchObject({ kind: 'unavailable' });
    const asked = proxy.requests.length;
    await expect(authority.caaIdentities()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(proxy.requests).toHaveLength(asked);
  });
});

describe('a renewal (RFC 9773)', () => {
  it('happens in the window that the authority sets for the certificate', async () => {
    const certificate = await someCertificate();
    const now = installation.app.clock.now();
    const start = '2027-01-10T00:00:00Z';
    const end = '2027-01-12T00:00:00+00:00';
    const identifier = renewalIdentifier(certificate) ?? '';
    const window = { start: Date.UTC(2027, 0, 10), end: Date.UTC(2027, 0, 12) };
    for (const [retryAfter, wait] of [
      ['21600', 6 * HOUR_MS],
      ['1', 60_000],
      ['9999999', 24 * HOUR_MS],
      ['unreadable', 6 * HOUR_MS],
    ] as const) {
      proxy.renewalWindows.set(identifier, { start, end, retryAfter });
      const found = await authority.findRenewalWindow(certificate);
      expect(found).toEqual({ ...window, askAgainAt: now + wait });
    }
  });

  it('has no window when the authority does not know the certificate, offers none, or sets an impossible one', async () => {
    const certificate = await someCertificate();
    expect(await authority.findRenewalWindow(certificate)).toBeNull();
    const identifier = renewalIdentifier(certificate) ?? '';
    const day = '2027-01-10T00:00:00Z';
    proxy.renewalWindows.set(identifier, { start: day, end: day });
    expect(await authority.findRenewalWindow(certificate)).toBeNull();
    proxy.hasRenewalInfo = false;
    installation.app.clock.advance(HOUR_MS);
    proxy.requests.length = 0;
    expect(await authority.findRenewalWindow(certificate)).toBeNull();
    expect(proxy.requests).toEqual(['GET /dir']);
  });

  it('that cannot be queried is unavailable, and not without a window', async () => {
    const certificate = await someCertificate();
    const identifier = renewalIdentifier(certificate) ?? '';
    refuseOnly(`GET /renewal-info/${identifier}`, { status: 500, type: 'serverInternal', detail: 'away' });
    await expect(authority.findRenewalWindow(certificate)).rejects.toMatchObject({ kind: 'unavailable' });
    proxy.refuse = null;
    proxy.renewalWindows.set(identifier, { start: 'soon', end: 'later' });
    await expect(authority.findRenewalWindow(certificate)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('names the certificate that it replaces, if the server wants to know', async () => {
    const certificate = await issue('replaced.test');
    await issue('replaced.test', certificate);
    proxy.hasRenewalInfo = false;
    installation.app.clock.advance(HOUR_MS);
    await authority.openOrder(['replaced.test'], certificate);
    expect(proxy.orders.map(({ replaces }) => replaces)).toEqual([
      undefined,
      renewalIdentifier(certificate),
      undefined,
    ]);
  });

  it.each([
    { status: 409, type: 'alreadyReplaced' },
    { status: 400, type: 'malformed' },
    { status: 404, type: 'malformed' },
  ])('continues without that name when the server refuses it with $status $type', async (reason) => {
    const certificate = await someCertificate();
    proxy.refuse = (_, payload) => (payload?.replaces ? { ...reason, detail: 'no' } : null);
    expect(await authority.openOrder(['twice.test'], certificate)).toContain('/my-order/');
    expect(proxy.orders.at(-1)).toEqual({ identifiers: [{ type: 'dns', value: 'twice.test' }] });
  });

  it('that reaches a limit is not retried without the name', async () => {
    const certificate = await someCertificate();
    refuseOnly(NEW_ORDER, { status: 429, type: 'rateLimited', detail: 'no' });
    proxy.requests.length = 0;
    await expect(authority.openOrder(['still-limited.test'], certificate)).rejects.toMatchObject({
      kind: 'limited',
    });
    expect(proxy.requests.filter((request) => request === NEW_ORDER)).toHaveLength(1);
  });
});
