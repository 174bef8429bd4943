import { sql } from 'kysely';
import type { z } from 'zod';
import { actorName, type OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { requireCredentialRight } from '../credentials/require-credential-right.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { requireSite } from '../sites/require-site.ts';
import { findPublishers, type PublisherRow, toPublisher } from './queries.ts';
import { PUBLISHERS_MAX, refOf } from './rules.ts';
import { addPublisherInput, type Publisher } from './schema.ts';

/**
 * Allows a repository's CI to deploy to a site without a stored secret.
 * @throws person_required, permission_required, site_not_found; issuer_not_accepted, publisher_exists,
 * publisher_limit
 */
export async function addPublisher(
  context: OrganizationContext,
  input: z.input<typeof addPublisherInput>,
): Promise<Publisher> {
  requireCredentialRight(context, 'credential.manage');
  const { site_id, repository, branch, environment, may_publish, ...given } = addPublisherInput.parse(input);
  const { app, organization } = context;
  const issuer = given.issuer.replace(/\/$/, '');
  if (!app.config.ciIssuers.includes(issuer)) throw new AppError('issuer_not_accepted', { issuer });
  const now = app.clock.now();
  const row: PublisherRow = {
    id: newId(now),
    organization_id: organization.id,
    site_id,
    issuer,
    repository,
    repository_key: repository.toLowerCase(),
    repository_id: null,
    ref: refOf(branch),
    environment: environment || null,
    may_publish: may_publish ? 1 : 0,
    created_by: actorName(context.actor),
    created_at: now,
    last_used_at: null,
  };
  await inUnitOfWork(context, async ({ trx, audit }) => {
    // Concurrent additions wait for each other here, so that no site exceeds the limit.
    await trx
      .updateTable('sites')
      .set({ updated_at: sql`updated_at` })
      .where('id', '=', site_id)
      .where('organization_id', '=', organization.id)
      .execute();
    await requireSite(trx, context, site_id, 'write');
    const others = await findPublishers(trx, site_id);
    if (others.some((other) => isSame(other, row))) throw new AppError('publisher_exists');
    if (others.length >= PUBLISHERS_MAX) throw new AppError('publisher_limit', { max: PUBLISHERS_MAX });
    await trx.insertInto('publishers').values(row).execute();
    const { id: _, site_id: __, created_at: ___, last_used_at: ____, ...after } = toPublisher(row);
    await audit({
      action: 'site.publisher_add',
      resource_type: 'site',
      resource_id: site_id,
      organization_id: organization.id,
      after,
    });
  });
  return toPublisher(row);
}

function isSame(one: PublisherRow, other: PublisherRow): boolean {
  return (
    one.issuer === other.issuer &&
    one.repository_key === other.repository_key &&
    one.ref === other.ref &&
    one.environment === other.environment
  );
}
