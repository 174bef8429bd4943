import type { z } from 'zod';
import { inTransaction } from '#db/transaction.ts';
import { isUniqueViolation } from '#db/unique-violation.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { recordEdgeChange } from '#server/edge-changes.ts';
import { AppError } from '#server/errors.ts';
import { newId, newLabel } from '#server/ids.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requireBilling } from '../billing/require-billing.ts';
import { addBundle } from '../certificates/add-bundle.ts';
import { isLocalName } from '../certificates/rules.ts';
import { requireLiveOrganization } from '../organizations/require-live-organization.ts';
import { requireSite } from '../sites/require-site.ts';
import { getEndpoint } from './get-endpoint.ts';
import { createEndpointInput, type Endpoint } from './schema.ts';

/** Puts a custom hostname in front of a site or a redirect, with a certificate bundle of its own, and returns it. */
export async function createEndpoint(
  context: OrganizationContext,
  input: z.input<typeof createEndpointInput>,
): Promise<Endpoint> {
  requireAction(context, 'endpoint.create');
  const { hostname, origin_type, site_id, redirect_target } = createEndpointInput.parse(input);
  if (origin_type === 'http') throw new AppError('origin_unavailable');
  await requireBilling(context);
  const { app, organization } = context;
  const now = app.clock.now();
  const row = {
    id: newId(now),
    organization_id: organization.id,
    hostname,
    cname_target: `${newLabel()}.${app.config.cnameDomain}`,
    origin_type,
    site_id: origin_type === 'site' ? (site_id ?? null) : null,
    redirect_target: origin_type === 'redirect' ? (redirect_target ?? null) : null,
    proven_at: isLocalName(hostname) ? now : null,
    created_at: now,
    updated_at: now,
  };
  try {
    await inTransaction(app.db, async (trx, afterCommit) => {
      await requireLiveOrganization(trx, organization.id);
      if (row.site_id !== null) await requireSite(trx, context, row.site_id, 'write');
      await trx.insertInto('cdn_endpoints').values(row).execute();
      await addBundle(trx, app, row);
      await recordAudit(trx, context, {
        action: 'endpoint.create',
        resource_type: 'endpoint',
        resource_id: row.id,
        organization_id: organization.id,
        after: { hostname, origin_type },
      });
      await recordEdgeChange(trx, afterCommit, app.edgeChanges, { site_id: null, hostname }, now);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('hostname_taken', { hostname });
    throw error;
  }
  return getEndpoint(context, { endpoint_id: row.id });
}
