import type { PaletteEntry } from '../palette-entry.ts';
import { useCredentialEntries } from './use-credential-entries.ts';
import { useEndpointEntries } from './use-endpoint-entries.ts';
import { useMemberEntries } from './use-member-entries.ts';
import { useSiteEntries } from './use-site-entries.ts';

/**
 * Returns entries for the organization's sites and their actions, endpoints, credentials and members. An
 * entry for a deletion opens the page of the item, which asks for confirmation. If there are many, those that
 * the server finds by `search` are included.
 */
export function useFoundEntries(search: string): Record<
  'sites' | 'siteActions' | 'endpoints' | 'deletions' | 'credentials' | 'members',
  PaletteEntry[]
> & {
  isFetching: boolean;
  /** Whether something could not be searched. */
  hasFailed: boolean;
} {
  const sites = useSiteEntries(search);
  const endpoints = useEndpointEntries(search);
  const credentials = useCredentialEntries(search);
  const members = useMemberEntries(search);
  const all = [sites, endpoints, credentials, members];
  return {
    isFetching: all.some(({ isFetching }) => isFetching),
    hasFailed: all.some(({ hasFailed }) => hasFailed),
    sites: sites.entries,
    siteActions: sites.actions,
    endpoints: endpoints.entries,
    deletions: [...sites.deletions, ...endpoints.deletions],
    credentials: credentials.entries,
    members: members.entries,
  };
}
