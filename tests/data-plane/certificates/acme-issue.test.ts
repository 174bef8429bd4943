import { createPrivateKey } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificateRequest, makeOrderKey } from '#server/services/certificates/issuing/order-key.ts';
import { type Pebble, startPebble } from '#tests/support/certificates/pebble.ts';
import { startZoneServer, type ZoneServer } from '#tests/support/dns/zone-server.ts';
import { type AcmeInstallation, openInstallation, readUntil, verifyChain } from './acme-fixture.ts';

let zone: ZoneServer;
let pebble: Pebble;
let installation: AcmeInstallation;
beforeAll(async () => {
  zone = await startZoneServer();
  pebble = await startPebble({ resolver: zone.address, blockedDomains: ['blocked.test'] });
});
beforeEach(async () => {
  installation = await openInstallation(zone, pebble);
});
afterEach(() => installation.close());
afterAll(async () => {
  await pebble.close();
  await zone.close();
});

/** A request for several names at once, which the product itself never makes. */
async function requestFor(domains: string[]): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const names = domains.map((value) => ({ type: 'dns' as const, value }));
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension(names)],
  });
  return request.toString('pem');
}

describe('a certificate by ACME', () => {
  it('is issued through the customer’s challenge record, answered by our DNS role', async () => {
    const authority = await installation.openNode();
    const label = installation.delegate('www.customer.test');
    const order = await authority.openOrder(['www.customer.test'], null);

    const opened = await authority.readOrder(order);
    expect(opened).toMatchObject({ status: 'pending', problem: null });
    expect(opened.txtValues).toEqual([expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)]);
    await installation.publish(label, opened.txtValues);
    await authority.answerChallenges(order);
    await readUntil(authority, order, 'ready');

    const key = await makeOrderKey();
    await authority.finalize(order, await makeCertificateRequest(key, 'www.customer.test'));
    await readUntil(authority, order, 'valid');
    const leaf = verifyChain(await authority.download(order), await pebble.rootCertificate());
    expect(leaf.subjectAltName).toBe('DNS:www.customer.test');
    expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
  });

  it('covers several names and a wildcard, with every value at the same time', async () => {
    const authority = await installation.openNode();
    const domains = ['several.test', '*.several.test', 'www.other.test'];
    const label = installation.delegate(...domains);
    const order = await authority.openOrder(domains, null);
    const { txtValues } = await authority.readOrder(order);
    expect(new Set(txtValues).size).toBe(3);

    await installation.publish(label, txtValues);
    await authority.answerChallenges(order);
    await readUntil(authority, order, 'ready');
    await authority.finalize(order, await requestFor(domains));
    await readUntil(authority, order, 'valid');
    const leaf = verifyChain(await authority.download(order), await pebble.rootCertificate());
    const names = (leaf.subjectAltName ?? '').split(', ').toSorted();
    expect(names).toEqual(domains.map((domain) => `DNS:${domain}`).toSorted());
  });

  it('is continued by another node after a crash between any two steps, and repeating a step changes nothing', async () => {
    const label = installation.delegate('resumed.test');
    const next = () => installation.openNode();
    const order = await (await next()).openOrder(['resumed.test'], null);

    const { txtValues } = await (await next()).readOrder(order);
    expect((await (await next()).readOrder(order)).txtValues).toEqual(txtValues);
    await installation.publish(label, txtValues);
    const [one, other] = [await next(), await next()];
    await Promise.all([one.answerChallenges(order), other.answerChallenges(order)]);
    await (await next()).answerChallenges(order);
    await readUntil(await next(), order, 'ready');
    await (await next()).answerChallenges(order);

    const request = await makeCertificateRequest(await makeOrderKey(), 'resumed.test');
    await (await next()).finalize(order, request);
    await (await next()).finalize(order, request);
    expect(await readUntil(await next(), order, 'valid')).toEqual({
      status: 'valid',
      txtValues: [],
      problem: null,
      isUnseen: false,
    });
    const first = await (await next()).download(order);
    expect(await (await next()).download(order)).toBe(first);
    verifyChain(first, await pebble.rootCertificate());
  });

  it('is refused when the challenge record leads elsewhere, in a sentence that names the domain', async () => {
    const authority = await installation.openNode();
    zone.set('_acme-challenge.wrong.test', { cname: 'somebody.else.test' });
    zone.set('somebody.else.test', { txt: ['another value'] });
    const order = await authority.openOrder(['wrong.test'], null);
    await authority.answerChallenges(order);
    const ended = await readUntil(authority, order, 'invalid');
    expect(ended.txtValues).toEqual([]);
    expect(ended.problem).toBe('wrong.test: Correct value not found for DNS challenge');

    const request = await makeCertificateRequest(await makeOrderKey(), 'wrong.test');
    await expect(authority.finalize(order, request)).rejects.toMatchObject({ kind: 'refused' });
    await expect(authority.download(order)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('is refused when there is no challenge record', async () => {
    const authority = await installation.openNode();
    const order = await authority.openOrder(['nothing.test'], null);
    await authority.answerChallenges(order);
    const { problem } = await readUntil(authority, order, 'invalid');
    expect(problem).toContain('nothing.test: ');
  });

  it('is refused for a name that the authority does not serve, in the authority’s own words', async () => {
    const authority = await installation.openNode();
    await expect(authority.openOrder(['www.blocked.test'], null)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('www.blocked.test'),
    });
  });
});

describe('an order', () => {
  it('that is unknown is gone', async () => {
    const authority = await installation.openNode();
    const order = await authority.openOrder(['unknown.test'], null);
    const unknown = order.replace(/[^/]+$/, 'nowhere');
    const request = await makeCertificateRequest(await makeOrderKey(), 'unknown.test');
    for (const step of [
      () => authority.readOrder(unknown),
      () => authority.answerChallenges(unknown),
      () => authority.finalize(unknown, request),
      () => authority.download(unknown),
    ]) {
      await expect(step()).rejects.toMatchObject({ name: 'AuthorityError', kind: 'gone' });
    }
  });

  it('of another account is gone', async () => {
    const order = await (await installation.openNode()).openOrder(['foreign.test'], null);
    const other = await openInstallation(zone, pebble);
    try {
      await expect((await other.openNode()).readOrder(order)).rejects.toMatchObject({ kind: 'gone' });
    } finally {
      await other.close();
    }
  });

  it('accepts no request before everything is proven, and returns no certificate', async () => {
    const authority = await installation.openNode();
    const order = await authority.openOrder(['early.test'], null);
    const request = await makeCertificateRequest(await makeOrderKey(), 'early.test');
    await expect(authority.finalize(order, request)).rejects.toMatchObject({
      kind: 'refused',
      message: 'The order is pending, not ready.',
    });
    await expect(authority.download(order)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('accepts no request for other names than its own, nor a damaged one', async () => {
    const authority = await installation.openNode();
    const label = installation.delegate('mine.test');
    const order = await authority.openOrder(['mine.test'], null);
    await installation.publish(label, (await authority.readOrder(order)).txtValues);
    await authority.answerChallenges(order);
    await readUntil(authority, order, 'ready');

    const elsewhere = await makeCertificateRequest(await makeOrderKey(), 'yours.test');
    await expect(authority.finalize(order, elsewhere)).rejects.toMatchObject({ kind: 'refused' });
    const right = await makeCertificateRequest(await makeOrderKey(), 'mine.test');
    const bytes = Buffer.from(new x509.Pkcs10CertificateRequest(right).rawData);
    const damaged = x509.PemConverter.encode(bytes.subarray(0, -8), 'CERTIFICATE REQUEST');
    await expect(authority.finalize(order, damaged)).rejects.toMatchObject({ kind: 'refused' });
    await authority.finalize(order, right);
    await readUntil(authority, order, 'valid');
  });
});

describe('a recently proven name', () => {
  it('needs no other proof when the authority remembers', async () => {
    const remembering = await startPebble({ resolver: zone.address, reusePercent: 100 });
    const here = await openInstallation(zone, remembering);
    try {
      const authority = await here.openNode();
      const label = here.delegate('again.test');
      const first = await authority.openOrder(['again.test'], null);
      await here.publish(label, (await authority.readOrder(first)).txtValues);
      await authority.answerChallenges(first);
      await readUntil(authority, first, 'ready');
      await here.publish(label, []);

      const second = await authority.openOrder(['again.test'], null);
      expect(await authority.readOrder(second)).toEqual({
        status: 'ready',
        txtValues: [],
        problem: null,
        isUnseen: false,
      });
      await authority.answerChallenges(second);
    } finally {
      await here.close();
      await remembering.close();
    }
  });
});
