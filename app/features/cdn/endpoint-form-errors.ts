import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ErrorCode, ErrorShape } from '#server/error-codes.ts';
import { readHostname } from '#server/services/cdn/hostname-rules.ts';
import { readRedirectTarget } from '#server/services/cdn/redirect-rules.ts';
import { HOSTNAME_PROBLEM_WORDS, REDIRECT_PROBLEM_WORDS } from './hostname-problem-words.ts';
import type { OriginChoice } from './origin-choice.tsx';

export type EndpointField = 'hostname' | 'site_id' | 'redirect_target';
export type FieldErrors<Words> = Partial<Record<EndpointField, Words>>;

/** What the form of an endpoint holds. */
export interface TypedEndpoint {
  hostname: string;
  origin: OriginChoice;
  siteId: string | null;
  redirectTarget: string;
}

const SITE_REQUIRED = msg`Choose a site.`;
const TARGET_REQUIRED = msg`Enter the address to redirect to.`;

/** Returns what can be told to be wrong before anything is sent, by field. */
export function checkEndpoint(typed: TypedEndpoint): FieldErrors<MessageDescriptor> {
  const errors: FieldErrors<MessageDescriptor> = {};
  const { problem } = readHostname(typed.hostname);
  if (problem) errors.hostname = HOSTNAME_PROBLEM_WORDS[problem];
  if (typed.origin === 'site') {
    if (typed.siteId === null) errors.site_id = SITE_REQUIRED;
  } else if (typed.redirectTarget.trim() === '') {
    errors.redirect_target = TARGET_REQUIRED;
  } else {
    const target = readRedirectTarget(typed.redirectTarget);
    if (target.problem) errors.redirect_target = REDIRECT_PROBLEM_WORDS[target.problem];
  }
  return errors;
}

const FIELD_OF_CODE: Partial<Record<ErrorCode, EndpointField>> = {
  hostname_invalid: 'hostname',
  hostname_reserved: 'hostname',
  hostname_taken: 'hostname',
  hostname_resting: 'hostname',
  endpoint_site_required: 'site_id',
  site_not_found: 'site_id',
  redirect_target_required: 'redirect_target',
  redirect_target_invalid: 'redirect_target',
  redirect_target_refused: 'redirect_target',
  redirect_loop: 'redirect_target',
};

/** Returns the field beside which a refusal of the server belongs; null for one that is about the whole. */
export function fieldOfRefusal({ code, fields }: Pick<ErrorShape, 'code' | 'fields'>): EndpointField | null {
  if (code !== 'invalid_input') return FIELD_OF_CODE[code] ?? null;
  const path = fields[0]?.path;
  return path === 'hostname' || path === 'site_id' || path === 'redirect_target' ? path : null;
}

/** Returns closer words for a refusal that names the problem of a field; null when the code has said it all. */
export function wordsOfRefusal({
  code,
  params,
}: Pick<ErrorShape, 'code' | 'params'>): MessageDescriptor | null {
  const { problem } = params;
  if (typeof problem !== 'string') return null;
  if (code === 'hostname_invalid' && isKeyOf(HOSTNAME_PROBLEM_WORDS, problem)) {
    return HOSTNAME_PROBLEM_WORDS[problem];
  }
  if (code === 'redirect_target_invalid' && isKeyOf(REDIRECT_PROBLEM_WORDS, problem)) {
    return REDIRECT_PROBLEM_WORDS[problem];
  }
  return null;
}

function isKeyOf<T extends object>(table: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(table, key);
}
