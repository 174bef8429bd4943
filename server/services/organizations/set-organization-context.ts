import type { z } from 'zod';
import { type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { findMembership, toOrganization } from './queries.ts';
import { setContextInput } from './schema.ts';

/**
 * Stores the current organization of the session and returns it. Storing the same again changes and records
 * nothing.
 * @throws organization_not_found when the person is not a member
 */
export async function setOrganizationContext(
  context: RequestContext,
  input: z.input<typeof setContextInput>,
) {
  const person = requirePerson(context);
  const { organization_id } = setContextInput.parse(input);
  return inUnitOfWork(context, async ({ trx, audit }) => {
    const membership = await findMembership(trx, person.userId, organization_id);
    if (!membership) throw new AppError('organization_not_found');
    if (person.organizationId !== organization_id) {
      await trx.updateTable('sessions').set({ organization_id }).where('id', '=', person.sessionId).execute();
      await audit({
        action: 'organization.context',
        resource_type: 'organization',
        resource_id: organization_id,
        organization_id,
        before: { organization_id: person.organizationId },
        after: { organization_id },
      });
    }
    return { organization_id, organization: toOrganization(context.app.config, membership.organization) };
  });
}
