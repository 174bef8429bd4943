import { generateKeyPairSync } from 'node:crypto';
import * as acme from 'acme-client';
import type { App } from '../context.ts';
import { AcmeProblem } from './acme-problem.ts';
import type { AcmeTransport } from './acme-transport.ts';
import { AuthorityError } from './authority.ts';

/** How long a server that refused the account is not asked again: only an operator can fix the reason. */
const REFUSED_MS = 60_000;

/** The installation's account at an ACME server, created when first needed and shared by all nodes. */
export interface AcmeAccount {
  /**
   * Runs a step as the account, and again with a new account if the server does not know it.
   * @throws AuthorityError
   */
  run<T>(step: (client: acme.Client) => Promise<T>): Promise<T>;
}

type Parts = Pick<App, 'db' | 'sealer' | 'clock' | 'logger'> & {
  /** The directory's address; the account's row is keyed by it. */
  directoryUrl: string;
  contact: string | null;
  externalAccount: { keyId: string; hmacKey: string } | null;
  transport: AcmeTransport;
};

interface OpenAccount {
  client: acme.Client;
  url: string;
}

export function createAcmeAccount(parts: Parts): AcmeAccount {
  const { clock, transport, logger, directoryUrl } = parts;
  let opening: Promise<OpenAccount> | null = null;
  let refusal: { error: AuthorityError; at: number; until: number } | null = null;

  const openUnlessRefused = async (lostUrl: string | null) => {
    const at = clock.now();
    // A clock that was set back would otherwise wait once more for as long.
    if (refusal && refusal.at <= at && at < refusal.until) throw refusal.error;
    refusal = null;
    try {
      return await openAccount(parts, lostUrl);
    } catch (error) {
      if (!(error instanceof AuthorityError)) throw error;
      if (error.kind !== 'refused' && error.kind !== 'limited') throw error;
      const told = error.kind === 'refused' ? keepToOurselves(error) : error;
      refusal = { error: told, at, until: error.retryAt ?? clock.now() + REFUSED_MS };
      throw told;
    }
  };
  /** Why the account is refused concerns the operator; customers are only told that they have to wait. */
  const keepToOurselves = (error: AuthorityError) => {
    logger.error({ err: error, authority: directoryUrl }, 'the ACME server refuses the account');
    const options = { cause: error, retryAt: error.retryAt };
    return new AuthorityError('unavailable', 'The authority does not know this installation yet.', options);
  };
  /** Concurrent callers wait for the same account while it is being opened; a failure is forgotten. */
  const open = (lostUrl: string | null) => {
    const attempt = openUnlessRefused(lostUrl);
    attempt.catch(() => {
      if (opening === attempt) opening = null;
    });
    return attempt;
  };
  const runOnce = async <T>(account: OpenAccount, step: (client: acme.Client) => Promise<T>) =>
    transport.run(() => step(account.client));

  return {
    async run(step) {
      opening ??= open(null);
      const used = opening;
      const account = await used;
      try {
        return await runOnce(account, step);
      } catch (error) {
        if (!(error instanceof AcmeProblem) || error.type !== 'accountDoesNotExist') throw error;
        // Several steps may find out at once: the first creates a new account, the others wait for it.
        if (opening === used) opening = open(account.url);
        return runOnce(await (opening ?? open(account.url)), step);
      }
    },
  };
}

/** @param lostUrl the address that the server no longer knows; another node may have replaced it already */
async function openAccount(parts: Parts, lostUrl: string | null): Promise<OpenAccount> {
  const { db, sealer, directoryUrl, externalAccount, transport } = parts;
  const row = (await findRow(parts)) ?? (await insertRow(parts));
  const accountKey = sealer.open(row.key_sealed, directoryUrl);
  const hasAccount = row.account_url !== null && row.account_url !== lostUrl;
  const client = new acme.Client({
    directoryUrl,
    accountKey,
    ...(hasAccount && row.account_url !== null && { accountUrl: row.account_url }),
    ...(externalAccount && {
      externalAccountBinding: { kid: externalAccount.keyId, hmacKey: externalAccount.hmacKey },
    }),
  });
  if (hasAccount) return { client, url: client.getAccountUrl() };
  // Two nodes that register the same key at the same time get the same account.
  await transport.run(() =>
    client.createAccount({
      termsOfServiceAgreed: true,
      ...(parts.contact !== null && { contact: [`mailto:${parts.contact}`] }),
    }),
  );
  const url = client.getAccountUrl();
  await db
    .updateTable('acme_accounts')
    .set({ account_url: url })
    .where('authority', '=', directoryUrl)
    .execute();
  parts.logger.info(
    { authority: directoryUrl, account_url: url },
    'the account at the ACME server was created',
  );
  return { client, url };
}

function findRow({ db, directoryUrl }: Parts) {
  return db
    .selectFrom('acme_accounts')
    .select(['account_url', 'key_sealed'])
    .where('authority', '=', directoryUrl)
    .executeTakeFirst();
}

/** Two nodes that start at the same time agree on the key that was written first. */
async function insertRow(parts: Parts) {
  const { db, sealer, clock, directoryUrl } = parts;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await db
    .insertInto('acme_accounts')
    .values({
      authority: directoryUrl,
      account_url: null,
      key_sealed: sealer.seal(pem, directoryUrl),
      created_at: clock.now(),
    })
    .onConflict((conflict) => conflict.column('authority').doNothing())
    .execute();
  const row = await findRow(parts);
  if (!row) throw new Error('the row of the ACME account has disappeared');
  return row;
}
