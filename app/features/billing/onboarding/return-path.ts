/** An address of the console below an organization, whose id is its first segment. */
const PATH = /^\/([\w-]{1,64})(?:[/?#][!-[\]-~\u00a1-\uffff]*)?$/;

/**
 * Returns the organization of a return path, or null when it is not an address of an organization:
 * `/onboarding` itself is never prefixed, so the return path says whose billing is being set up.
 */
export function organizationOfReturn(returnTo: string | undefined): string | null {
  if (returnTo === undefined || returnTo.length > 2000 || returnTo.includes('/..')) return null;
  return PATH.exec(returnTo)?.[1] ?? null;
}

/** Returns the return path into this organization, or null when only its dashboard is left. */
export function returnPathIn(organizationId: string, returnTo: string | undefined): string | null {
  if (returnTo === undefined || organizationOfReturn(returnTo) !== organizationId) return null;
  return /^\/[^/?#]+\/?$/.test(returnTo) ? null : returnTo;
}
