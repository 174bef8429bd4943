import { isPostgres, type Trx } from '#db/client.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { isLocalName } from '../certificates/rules.ts';
import { REDIRECT_PROBLEMS, type RedirectProblem, readRedirectTarget } from './redirect-rules.ts';

/**
 * Returns the normalized form of an address that the endpoint at `hostname` may redirect to. Until the
 * transaction ends, no other redirect of the organization changes, so that two cannot be pointed at each
 * other.
 * @throws redirect_target_required; redirect_target_invalid with the `problem` as a code and the `reason` as
 * text; redirect_target_refused when redirects are restricted; redirect_loop
 */
export async function requireRedirectTarget(
  trx: Trx,
  context: OrganizationContext,
  hostname: string,
  typed: string | null,
): Promise<string> {
  if (typed === null || typed === '') throw new AppError('redirect_target_required');
  const { config } = context.app;
  const { target, host, problem } = readRedirectTarget(typed);
  if (problem) throw invalidTarget(problem);
  // We do not fetch redirect targets: such a name harms no one, it only makes no sense when visitors are
  // elsewhere.
  if (isLocalName(host) && !isLocalName(config.sitesDomain)) throw invalidTarget('local');
  if (isPostgres(trx)) {
    await trx
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', context.organization.id)
      .forNoKeyUpdate()
      .execute();
  }
  if (await leadsTo(trx, context, host, hostname)) throw new AppError('redirect_loop', { hostname });
  if (config.redirectTargets === 'own' && !(await isOwnHost(trx, context, host))) {
    throw new AppError('redirect_target_refused', { suffix: config.sitesDomain });
  }
  return target;
}

/** Whether a host is the hostname or leads to it through redirects of the organization. */
async function leadsTo(
  trx: Trx,
  context: OrganizationContext,
  host: string,
  hostname: string,
): Promise<boolean> {
  const seen = new Set<string>();
  let next: string | null = host;
  while (next !== null && !seen.has(next)) {
    if (next === hostname) return true;
    seen.add(next);
    const step: { redirect_target: string | null } | undefined = await trx
      .selectFrom('cdn_endpoints')
      .select('redirect_target')
      .where('organization_id', '=', context.organization.id)
      .where('hostname', '=', next)
      .where('origin_type', '=', 'redirect')
      .executeTakeFirst();
    next = readRedirectTarget(step?.redirect_target ?? '').host;
  }
  return false;
}

/** Whether a host is below the platform's suffix or a hostname that the organization has proven. */
async function isOwnHost(trx: Trx, { app, organization }: OrganizationContext, host: string) {
  if (host.endsWith(`.${app.config.sitesDomain}`)) return true;
  const own = await trx
    .selectFrom('cdn_endpoints')
    .select('id')
    .where('organization_id', '=', organization.id)
    .where('hostname', '=', host)
    .where('proven_at', 'is not', null)
    .executeTakeFirst();
  return own !== undefined;
}

function invalidTarget(problem: RedirectProblem): AppError {
  return new AppError('redirect_target_invalid', { problem, reason: REDIRECT_PROBLEMS[problem] });
}
