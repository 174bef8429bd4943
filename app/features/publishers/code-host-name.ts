import { CODE_HOSTS } from '#server/services/publishers/rules.ts';

/** Returns the well-known name of the code host behind an issuer; for others, the hostname. */
export function codeHostName(issuer: string): string {
  const known = CODE_HOSTS.find((host) => host.issuer === issuer);
  return known?.name ?? new URL(issuer).host;
}
