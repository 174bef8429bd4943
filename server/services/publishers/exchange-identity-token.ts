import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import { isUniqueViolation } from '#db/unique-violation.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { CiIdentity } from '#server/identity-tokens/ci-identity.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import { openPublisherCredential } from '../credentials/open-publisher-credential.ts';
import { findPublishers, type PublisherRow } from './queries.ts';
import { branchOf, EXCHANGED_MINUTES, isRefMeant } from './rules.ts';
import { type ExchangedCredential, exchangeIdentityTokenInput } from './schema.ts';

/**
 * Returns a short-lived credential for a site whose settings trust the repository and branch of an identity
 * token. A token is accepted once. Whether such a site exists is not revealed to a repository that it does
 * not trust.
 * @throws identity_token_refused saying why, identity_token_used, publisher_unknown naming what the token
 * says, too_many_requests, service_unavailable when the issuer does not respond
 */
export async function exchangeIdentityToken(
  context: RequestContext,
  input: z.input<typeof exchangeIdentityTokenInput>,
): Promise<ExchangedCredential> {
  const { app } = context;
  const { token, site } = exchangeIdentityTokenInput.parse(input);
  await app.rateLimits.consume('identity_token_address', addressKey(context.address));
  const identity = await app.identityTokens.check(token);
  const found = await findTrust(context, site, identity);
  if (found === null) {
    const { issuer, repository, ref, environment } = identity;
    throw new AppError('publisher_unknown', {
      ...{ site, issuer, repository, branch: branchOf(ref) },
      environment: environment ?? '-',
    });
  }
  const now = app.clock.now();
  return inTransaction(app.db, async (trx) => {
    await spend(trx, token, identity.expiresAt);
    // If it is being removed at this moment, it grants no access.
    const { numUpdatedRows } = await trx
      .updateTable('publishers')
      .set({ last_used_at: now, repository_id: identity.repositoryId ?? found.repository_id })
      .where('id', '=', found.id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new AppError('publisher_unknown', { site });
    const name = `${found.repository} ${branchOf(identity.ref)}`;
    const mayPublish = found.may_publish === 1;
    const opened = await openPublisherCredential(trx, app, {
      publisherId: found.id,
      organizationId: found.organization_id,
      siteId: found.site_id,
      name,
      mayPublish,
      expiresAt: now + EXCHANGED_MINUTES * 60_000,
    });
    return { site_id: found.site_id, ...opened, may_publish: mayPublish };
  });
}

/** Returns the rule of the site that matches the identity, preferring one that may publish. */
async function findTrust(
  { app }: RequestContext,
  named: string,
  identity: CiIdentity,
): Promise<PublisherRow | null> {
  const sites = await app.db
    .selectFrom('sites')
    .select('id')
    .where((eb) => eb.or([eb('id', '=', named), eb('subdomain', '=', named)]))
    .where('deleted_at', 'is', null)
    .execute();
  // Anyone may give a site the name that is another's id.
  const site = sites.find(({ id }) => id === named) ?? sites[0];
  if (!site) return null;
  const fitting = (await findPublishers(app.db, site.id)).filter((row) => isFor(row, identity));
  return fitting.find(({ may_publish }) => may_publish === 1) ?? fitting[0] ?? null;
}

function isFor(row: PublisherRow, identity: CiIdentity): boolean {
  return (
    row.issuer === identity.issuer &&
    row.repository_key === identity.repository.toLowerCase() &&
    (row.repository_id === null || row.repository_id === identity.repositoryId) &&
    (row.environment === null || row.environment === identity.environment) &&
    isRefMeant(row.ref, identity.ref)
  );
}

/** Uses up what was signed: the signature itself can be written in several ways, which are all valid. */
async function spend(trx: Trx, token: string, expiresAt: number): Promise<void> {
  const signed = token.slice(0, token.lastIndexOf('.'));
  const token_hash = createHash('sha256').update(signed).digest('base64url');
  try {
    await trx.insertInto('used_identity_tokens').values({ token_hash, expires_at: expiresAt }).execute();
  } catch (error) {
    throw isUniqueViolation(error) ? new AppError('identity_token_used') : error;
  }
}
