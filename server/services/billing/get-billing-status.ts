import { type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findOwners } from '../organizations/find-owners.ts';
import { isAllowed } from '../organizations/rules.ts';
import { toInstant } from '../shared/schema.ts';
import { findReadiness } from './require-billing.ts';
import type { BillingStatus } from './schema.ts';

/**
 * Returns the organization's billing status, even when nothing is billed.
 * @throws person_required
 */
export async function getBillingStatus(context: OrganizationContext): Promise<BillingStatus> {
  if (context.actor.kind === 'credential') throw new AppError('person_required');
  requireAction(context, 'billing.read');
  const { app, organization } = context;
  const { readiness, dueAt } = await findReadiness(app.db, app, organization.id);
  return {
    mode: app.payments?.mode ?? 'off',
    readiness,
    set_up_by: toInstant(readiness === 'ready' ? null : dueAt),
    may_manage: isAllowed(organization.permission, 'billing.manage'),
    owners: app.payments ? await findOwners(app.db, organization.id) : [],
    stripe_publishable_key: app.payments?.publishableKey ?? null,
  };
}
