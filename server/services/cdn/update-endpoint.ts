import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { invalidField } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { describeEndpoint, type EndpointRow } from './queries.ts';
import { readRedirectTarget } from './redirect-rules.ts';
import { lockEndpoint, requireEndpoint } from './require-endpoint.ts';
import { requireOrigin, type WantedOrigin } from './require-origin.ts';
import { type Endpoint, updateEndpointInput } from './schema.ts';

const CHANGEABLE = ['origin_type', 'site_id', 'redirect_target', 'hsts'] as const;
type Changeable = Pick<EndpointRow, (typeof CHANGEABLE)[number]>;
type Changes = Omit<z.output<typeof updateEndpointInput>, 'endpoint_id'>;

/**
 * Changes the origin of an endpoint, or how long browsers remember to use https only, and returns the
 * endpoint; edges follow within a second. The hostname, its records and its certificate do not change. A
 * change to the current values records nothing.
 * @throws permission_required, endpoint_not_found, out_of_scope; invalid_input for a site or an address that
 * does not go with the origin; and the refusals of an origin
 */
export async function updateEndpoint(
  context: OrganizationContext,
  input: z.input<typeof updateEndpointInput>,
): Promise<Endpoint> {
  requireAction(context, 'endpoint.update');
  const { endpoint_id, ...changes } = updateEndpointInput.parse(input);
  const { app, organization } = context;
  return inUnitOfWork(context, async ({ trx, now, audit, tellEdges }) => {
    const row = await lockEndpoint(trx, context, endpoint_id);
    const origin = await newOrigin(trx, context, row, changes);
    const wanted = { ...origin, hsts: changes.hsts ?? row.hsts };
    const before = pickChanged(row, wanted);
    if (Object.keys(before).length === 0) return describeEndpoint(trx, app, row);
    await trx
      .updateTable('cdn_endpoints')
      .set({ ...wanted, updated_at: now })
      .where('id', '=', row.id)
      .execute();
    await audit({
      action: 'endpoint.update',
      resource_type: 'endpoint',
      resource_id: row.id,
      organization_id: organization.id,
      before,
      after: pickChanged(wanted, row),
    });
    const endpoint = await describeEndpoint(trx, app, await requireEndpoint(trx, context, row.id, 'read'));
    tellEdges({ site_id: null, hostname: row.hostname });
    return endpoint;
  });
}

/**
 * Returns the origin after the change. An unchanged one is not validated again: rules may have become
 * stricter.
 */
async function newOrigin(
  trx: Trx,
  context: OrganizationContext,
  row: EndpointRow,
  changes: Changes,
): Promise<WantedOrigin> {
  const { origin_type, site_id, redirect_target } = row;
  const current: WantedOrigin = { origin_type, site_id, redirect_target };
  const wanted: WantedOrigin = {
    origin_type: changes.origin_type ?? origin_type,
    site_id: changes.site_id === undefined ? site_id : changes.site_id,
    redirect_target: changes.redirect_target === undefined ? redirect_target : changes.redirect_target,
  };
  if (changes.site_id && wanted.origin_type !== 'site') {
    throw invalidField('site_id', 'goes with the origin_type site');
  }
  if (changes.redirect_target && wanted.origin_type !== 'redirect') {
    throw invalidField('redirect_target', 'goes with the origin_type redirect');
  }
  return isSameOrigin(current, wanted) ? current : requireOrigin(trx, context, row.hostname, wanted);
}

function isSameOrigin(current: WantedOrigin, wanted: WantedOrigin): boolean {
  if (current.origin_type !== wanted.origin_type) return false;
  if (current.origin_type === 'site') return current.site_id === wanted.site_id;
  return current.redirect_target === (readRedirectTarget(wanted.redirect_target ?? '').target ?? '');
}

/** Returns the values of `fields` where `others` has different ones. */
function pickChanged(fields: Changeable, others: Changeable): Partial<Changeable> {
  const changed = CHANGEABLE.filter((name) => fields[name] !== others[name]);
  return Object.fromEntries(changed.map((name) => [name, fields[name]]));
}
