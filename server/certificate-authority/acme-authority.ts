import { X509Certificate } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { App } from '../context.ts';
import { createAcmeAccount } from './acme-account.ts';
import { createAcmeDirectory } from './acme-directory.ts';
import { completeChallenges, describeOrder, findOrder } from './acme-order.ts';
import { readRenewalWindow, renewalIdentifier } from './acme-renewal.ts';
import { createAcmeTransport } from './acme-transport.ts';
import { AuthorityError, type CertificateAuthority } from './authority.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

type Parts = Pick<App, 'db' | 'sealer' | 'clock' | 'logger' | 'outgoing'> & {
  settings: NonNullable<Config['acme']>;
  /** PEM certificates that are trusted in addition to the usual ones for the server's own https. */
  extraRoots: string | null;
};

/**
 * Returns the authority behind an ACME server (RFC 8555), for names proven by DNS. Nothing is requested
 * before it is needed, so an unavailable server does not prevent a start. Each method is one short step, so
 * that another process can continue the order.
 */
export function createAcmeAuthority(parts: Parts): CertificateAuthority {
  const { clock, settings } = parts;
  const { directoryUrl, contact, externalAccount } = settings;
  const transport = createAcmeTransport({ clock, extraRoots: parts.extraRoots, outgoing: parts.outgoing });
  const directory = createAcmeDirectory({ url: directoryUrl, transport, clock });
  const account = createAcmeAccount({ ...parts, directoryUrl, contact, externalAccount, transport });

  const open = (domains: readonly string[], replaces: string | null) => {
    const identifiers = domains.map((value) => ({ type: 'dns', value }));
    const request = { identifiers, ...(replaces !== null && { replaces }) };
    return account.run(async (client) => (await client.createOrder(request)).url);
  };
  return {
    name: directoryUrl,
    title: new URL(directoryUrl).host,
    needsProof: true,
    caaIdentities: () => directory.caaIdentities(),

    async openOrder(domains, replaces) {
      const isKnown = replaces !== null && (await directory.renewalInfoUrl()) !== null;
      const identifier = isKnown ? renewalIdentifier(replaces) : null;
      if (identifier === null) return open(domains, null);
      try {
        return await open(domains, identifier);
      } catch (error) {
        // Naming the older certificate is a courtesy (RFC 9773, 5); the order itself may be fine without it.
        if (error instanceof AuthorityError && error.kind === 'refused') return open(domains, null);
        throw error;
      }
    },

    readOrder: (orderUrl) =>
      account.run(async (client) => describeOrder(client, await findOrder(client, orderUrl))),

    answerChallenges: (orderUrl) =>
      account.run(async (client) => completeChallenges(client, await findOrder(client, orderUrl))),

    finalize: (orderUrl, csr) =>
      account.run(async (client) => {
        const { status, order } = await findOrder(client, orderUrl);
        // Already submitted by a process that ended before it could record that.
        if (status === 'processing' || status === 'valid') return;
        if (status !== 'ready') throw new AuthorityError('refused', `The order is ${status}, not ready.`);
        await client.finalizeOrder(order, csr);
      }),

    download: (orderUrl) =>
      account.run(async (client) => {
        const { status, certificate, order } = await findOrder(client, orderUrl);
        if (status !== 'valid' || !certificate) {
          throw new AuthorityError('refused', `The order is ${status}: there is no certificate yet.`);
        }
        return readChain(await client.getCertificate(order));
      }),

    findRenewalWindow: (certificate) => readRenewalWindow({ directory, transport, clock }, certificate),
  };
}

/** Returns only the certificates in a response. */
function readChain(response: unknown): string {
  const blocks = typeof response === 'string' ? (response.match(CERTIFICATE) ?? []) : [];
  if (blocks.length === 0) throw new AuthorityError('unavailable', 'The authority returned no certificate.');
  for (const block of blocks) new X509Certificate(block);
  return `${blocks.map((block) => block.replaceAll('\r', '')).join('\n')}\n`;
}
