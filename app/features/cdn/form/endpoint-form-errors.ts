import type { ErrorCode, ErrorShape } from '#server/error-codes.ts';
import { type HostnameProblem, readClaimedHostname } from '#server/services/cdn/hostname-rules.ts';
import { type RedirectProblem, readRedirectTarget } from '#server/services/cdn/redirect-rules.ts';

/** The values of an endpoint form. */
export interface TypedEndpoint {
  hostname: string;
  origin: 'site' | 'redirect';
  siteId: string | null;
  redirectTarget: string;
}

/** What can be wrong with each field. */
export interface FieldProblems {
  hostname: HostnameProblem;
  site_id: 'missing';
  redirect_target: RedirectProblem | 'missing';
}
export type EndpointField = keyof FieldProblems;

/** Returns the problems that can be found before submitting, by field. */
export function checkEndpoint(typed: TypedEndpoint): Partial<FieldProblems> {
  const found: Partial<FieldProblems> = {};
  const { problem } = readClaimedHostname(typed.hostname);
  if (problem) found.hostname = problem;
  if (typed.origin === 'site') {
    if (typed.siteId === null) found.site_id = 'missing';
    return found;
  }
  const target = readRedirectTarget(typed.redirectTarget);
  if (typed.redirectTarget.trim() === '') found.redirect_target = 'missing';
  else if (target.problem) found.redirect_target = target.problem;
  return found;
}

const FIELD_OF_CODE: Partial<Record<ErrorCode, EndpointField>> = {
  hostname_invalid: 'hostname',
  hostname_reserved: 'hostname',
  hostname_taken: 'hostname',
  hostname_unproven: 'hostname',
  hostname_resting: 'hostname',
  endpoint_site_required: 'site_id',
  site_not_found: 'site_id',
  redirect_target_required: 'redirect_target',
  redirect_target_invalid: 'redirect_target',
  redirect_target_refused: 'redirect_target',
  redirect_loop: 'redirect_target',
};

/** Returns the field that a refusal of the server belongs to; null when it concerns the whole form. */
export function fieldOfRefusal({ code, fields }: Pick<ErrorShape, 'code' | 'fields'>): EndpointField | null {
  if (code !== 'invalid_input') return FIELD_OF_CODE[code] ?? null;
  const path = fields[0]?.path;
  return path === 'hostname' || path === 'site_id' || path === 'redirect_target' ? path : null;
}
