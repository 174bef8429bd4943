import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import { isUniqueViolation } from '#db/unique-violation.ts';
import { type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { EMBEDDED_ISSUER } from '../identity/rules.ts';
import { requireRoomForOrganization } from '../limits/require-room-for-organization.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { type OrganizationRow, toOrganization } from './queries.ts';
import { createOrganizationInput, type Membership } from './schema.ts';

/**
 * Creates a named organization with the signed-in person as its owner and returns it. Its number is never
 * reused, and its handle is unique, even for concurrent requests.
 * @throws person_required, too_many_requests, organization_handle_taken, limit_organizations;
 * organization_managed_elsewhere when another identity service is configured
 */
export async function createOrganization(
  context: RequestContext,
  input: z.input<typeof createOrganizationInput>,
): Promise<Membership> {
  const person = requirePerson(context);
  const { app } = context;
  if (app.config.oidc) throw new AppError('organization_managed_elsewhere');
  const profile = createOrganizationInput.parse(input);
  await app.rateLimits.consume('organization_create_person', person.userId);
  try {
    const organization = await inUnitOfWork(context, async ({ trx, now, audit }) => {
      const id = newId(now);
      const number = await takeNumber(trx, id);
      const row: OrganizationRow = {
        id,
        external_id: `org-${number}`,
        issuer: EMBEDDED_ISSUER,
        upstream_id: String(number),
        handle: profile.handle,
        name: profile.name,
        description: profile.description ?? null,
        website: profile.website ?? null,
        location: profile.location ?? null,
        avatar_url: profile.avatar_url ?? null,
        features: JSON.stringify(app.config.defaultFeatures),
        limits: '{}',
        suspended_at: null,
        suspension_reason: null,
        detached_at: null,
        created_at: now,
        updated_at: now,
      };
      await trx.insertInto('organizations').values(row).execute();
      await trx
        .insertInto('memberships')
        .values({ organization_id: id, user_id: person.userId, permission: 'owner', created_at: now })
        .execute();
      await requireRoomForOrganization(trx, app, person.userId);
      await audit({
        action: 'organization.create',
        resource_type: 'organization',
        resource_id: id,
        organization_id: id,
        after: { external_id: row.external_id, ...profile },
      });
      return row;
    });
    return { organization: toOrganization(app.config, organization), permission: 'owner' };
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('organization_handle_taken', { handle: profile.handle });
    throw error;
  }
}

/**
 * Returns an unused number. Another identity service that was configured earlier may have used some of ours
 * as its own; those are skipped.
 */
async function takeNumber(trx: Trx, organizationId: string): Promise<number> {
  for (;;) {
    const { number } = await trx
      .insertInto('organization_numbers')
      .values({ organization_id: organizationId })
      .returning('number')
      .executeTakeFirstOrThrow();
    const holder = await trx
      .selectFrom('organizations')
      .select('id')
      .where('external_id', '=', `org-${number}`)
      .executeTakeFirst();
    if (!holder) return number;
    await trx.deleteFrom('organization_numbers').where('number', '=', number).execute();
  }
}
