import { isPostgres, type Trx } from '#db/client.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { requireSite } from '../sites/require-site.ts';
import { requireRedirectTarget } from './require-redirect-target.ts';

/** The requested origin of an endpoint. */
export interface WantedOrigin {
  origin_type: 'site' | 'redirect' | 'http';
  site_id: string | null;
  redirect_target: string | null;
}

/** The origin of an endpoint: either a site or an address. */
export interface Origin extends WantedOrigin {
  origin_type: 'site' | 'redirect';
}

/**
 * Returns the origin that the endpoint at `hostname` may have, without the fields of the other kind of
 * origin. The site stays until the transaction ends: deleting it waits and then finds the endpoint
 * (sites/delete-site.ts).
 * @throws origin_unavailable, endpoint_site_required, site_not_found, out_of_scope; person_required for a
 * redirect by a credential, because its scopes name sites; and the refusals of a redirect target
 */
export async function requireOrigin(
  trx: Trx,
  context: OrganizationContext,
  hostname: string,
  { origin_type, site_id, redirect_target }: WantedOrigin,
): Promise<Origin> {
  if (origin_type === 'http') throw new AppError('origin_unavailable');
  if (origin_type === 'redirect') {
    if (context.actor.kind === 'credential') throw new AppError('person_required');
    const target = await requireRedirectTarget(trx, context, hostname, redirect_target);
    return { origin_type, site_id: null, redirect_target: target };
  }
  if (site_id === null) throw new AppError('endpoint_site_required');
  if (isPostgres(trx)) {
    await trx.selectFrom('sites').select('id').where('id', '=', site_id).forKeyShare().execute();
  }
  await requireSite(trx, context, site_id, 'write');
  return { origin_type, site_id, redirect_target: null };
}
