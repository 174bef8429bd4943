/** An address of the console below an organization, whose id is its first segment. */
const PATH = /^\/([\w-]{1,64})(?:[/?#][!-[\]-~\u00a1-\uffff]*)?$/;

/**
 * Returns the organization that a way back leads to, or null where it is no address of an organization: `/onboarding` itself is
 * never prefixed, so that the way back says whose billing is set up.
 */
export function organizationOfReturn(returnTo: string | undefined): string | null {
  if (returnTo === undefined || returnTo.length > 2000 || returnTo.includes('/..')) return null;
  return PATH.exec(returnTo)?.[1] ?? null;
}

/** Returns the way back into this organization, or null where there is none but to its dashboard. */
export function returnPathIn(organizationId: string, returnTo: string | undefined): string | null {
  if (returnTo === undefined || organizationOfReturn(returnTo) !== organizationId) return null;
  return /^\/[^/?#]+\/?$/.test(returnTo) ? null : returnTo;
}
