import { CODE_HOSTS } from '#server/services/publishers/rules.ts';

/** Returns the name by which people know the code host behind an issuer; of others, their host name. */
export function codeHostName(issuer: string): string {
  const known = CODE_HOSTS.find((host) => host.issuer === issuer);
  return known?.name ?? new URL(issuer).host;
}
