import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAuthority } from '#server/certificate-authority/open-authority.ts';
import { type AcmeProxy, startAcmeProxy } from '#tests/support/certificates/acme-proxy.ts';
import { type Pebble, startPebble } from '#tests/support/certificates/pebble.ts';
import { startZoneServer, type ZoneServer } from '#tests/support/dns/zone-server.ts';
import { type AcmeInstallation, openInstallation } from './acme-fixture.ts';

const EXTERNAL = { kid: 'kid-1', hmac: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W' };
const OTHER_HMAC = 'b10lLJs8l1GPIzsLP0s6pMt8O0XVGnfTaCeROxQM0BIt2XrJMDHJZBM5NuQmQJQH';

let zone: ZoneServer;
let opened: AcmeInstallation[] = [];
beforeAll(async () => {
  zone = await startZoneServer();
});
afterEach(async () => {
  for (const installation of opened) await installation.close();
  opened = [];
});
afterAll(() => zone.close());

async function open(server: { directoryUrl: string; caFile: string }, settings: Record<string, string> = {}) {
  const installation = await openInstallation(zone, server, settings);
  opened.push(installation);
  return installation;
}

const accounts = ({ app }: AcmeInstallation) => app.db.selectFrom('acme_accounts').selectAll().execute();

describe('the account at an ACME server', () => {
  let pebble: Pebble;
  beforeEach(async () => {
    pebble = await startPebble({ resolver: zone.address });
  });
  afterEach(() => pebble.close());

  it('is created when first needed, once for nodes that start at the same time, and kept sealed', async () => {
    const installation = await open(pebble);
    const nodes = [await installation.openNode(), await installation.openNode()];
    expect(await accounts(installation)).toEqual([]);
    const orders = await Promise.all(
      nodes.map((node, index) => node.openOrder([`at-once-${index}.test`], null)),
    );
    const [account, ...others] = await accounts(installation);
    expect(others).toEqual([]);
    expect(account).toMatchObject({
      authority: pebble.directoryUrl,
      account_url: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\/my-account\//),
      key_sealed: expect.stringMatching(/^v1\./),
    });
    const key = installation.app.sealer.open(account?.key_sealed ?? '', pebble.directoryUrl);
    expect(key).toContain('PRIVATE KEY');
    for (const order of orders) {
      for (const node of [...nodes, await installation.openNode()]) {
        expect(await node.readOrder(order)).toMatchObject({ status: 'pending' });
      }
    }
    expect(pebble.output().match(/There are now \d+ accounts in memory/g)).toHaveLength(1);
  });

  it('is created again when the server no longer knows it, for all nodes; its orders are gone', async () => {
    const installation = await open(pebble);
    const nodes = [await installation.openNode(), await installation.openNode()];
    const order = (await nodes[0]?.openOrder(['lost.test'], null)) ?? '';
    await nodes[1]?.readOrder(order);
    const [before] = await accounts(installation);
    await pebble.stop();
    await pebble.start();

    await expect(nodes[0]?.readOrder(order)).rejects.toMatchObject({ kind: 'gone' });
    const [after] = await accounts(installation);
    expect(after?.account_url).not.toBe(before?.account_url);
    expect(after?.key_sealed).toBe(before?.key_sealed);
    const again = (await nodes[1]?.openOrder(['lost.test'], null)) ?? '';
    expect(await nodes[0]?.readOrder(again)).toMatchObject({ status: 'pending' });
    expect(await accounts(installation)).toEqual([after]);
  });

  it('waits for an unavailable server: only what needs it fails, and it is created later', async () => {
    const installation = await open(pebble);
    await pebble.stop();
    const authority = await installation.openNode();
    await expect(authority.openOrder(['away.test'], null)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/^The authority cannot be reached: 127\.0\.0\.1:\d+: ECONNREFUSED\.$/),
    });
    expect(await accounts(installation)).toMatchObject([{ account_url: null }]);
    await pebble.start();
    expect(await authority.openOrder(['away.test'], null)).toContain('/my-order/');
  });

  it('requires a trusted server, by ACME_CA_FILE when the usual roots do not include it', async () => {
    const installation = await open(pebble);
    const { app } = installation;
    const settings = app.config.acme;
    if (!settings) throw new Error('no ACME server is set');
    const distrusting = { ...app, config: { ...app.config, acme: { ...settings, caFile: null } } };
    const authority = await openAuthority(distrusting);
    await expect(authority.openOrder(['distrust.test'], null)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
    });

    const caFile = join(app.config.dataDir, 'no-certificate.pem');
    await writeFile(caFile, 'nothing');
    for (const path of [caFile, join(app.config.dataDir, 'absent.pem')]) {
      const damaged = { ...app, config: { ...app.config, acme: { ...settings, caFile: path } } };
      await expect(openAuthority(damaged)).rejects.toThrow('ACME_CA_FILE cannot be used');
    }
  });
});

describe('an account bound to an external one (ACME_EAB_KID, ACME_EAB_HMAC)', () => {
  let pebble: Pebble;
  let proxy: AcmeProxy;
  beforeAll(async () => {
    pebble = await startPebble({
      resolver: zone.address,
      externalAccounts: { [EXTERNAL.kid]: EXTERNAL.hmac },
    });
    proxy = await startAcmeProxy(pebble);
  });
  afterAll(async () => {
    await proxy.close();
    await pebble.close();
  });

  it('is created with the right key, even by two nodes at once', async () => {
    const settings = { ACME_EAB_KID: EXTERNAL.kid, ACME_EAB_HMAC: EXTERNAL.hmac };
    const installation = await open(proxy, settings);
    const nodes = [await installation.openNode(), await installation.openNode()];
    const orders = await Promise.all(
      nodes.map((node, index) => node.openOrder([`bound-${index}.test`], null)),
    );
    expect(orders).toHaveLength(2);
    expect(await accounts(installation)).toMatchObject([
      { account_url: expect.stringContaining('/my-account/') },
    ]);
  });

  it('is refused without, and with a wrong key: customers are told to wait, operators why, and no one the key', async () => {
    const missing = await (await open(proxy)).openNode();
    await expect(missing.openOrder(['unbound.test'], null)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.not.stringContaining('externalAccountBinding'),
      cause: { kind: 'refused', message: expect.stringContaining('externalAccountBinding') },
    });
    const settings = { ACME_EAB_KID: EXTERNAL.kid, ACME_EAB_HMAC: OTHER_HMAC };
    const installation = await open(proxy, settings);
    const wrong = await installation.openNode();
    const refusal = await wrong.openOrder(['unbound.test'], null).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ kind: 'unavailable', cause: { kind: 'refused' } });
    expect(inspect(refusal)).not.toContain(OTHER_HMAC);
    expect(await accounts(installation)).toMatchObject([{ account_url: null }]);
  });

  it('that was refused is not requested again immediately, whoever needs it', async () => {
    const { app } = await open(proxy);
    const authority = await openAuthority(app);
    const asked = () => proxy.requests.filter((request) => request === 'POST /sign-me-up').length;
    await expect(authority.openOrder(['a.test'], null)).rejects.toMatchObject({ kind: 'unavailable' });
    const before = asked();
    expect(before).toBeGreaterThan(0);
    await expect(authority.openOrder(['b.test'], null)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(asked()).toBe(before);
    app.clock.advance(61_000);
    await expect(authority.openOrder(['b.test'], null)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(asked()).toBeGreaterThan(before);
  });
});
