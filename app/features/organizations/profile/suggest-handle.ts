import { suggestLogin } from '#server/services/identity/accounts/account-rules.ts';
import { RESERVED_HANDLES } from '#server/services/organizations/rules.ts';

/**
 * Returns a handle derived from an organization's name, as a first suggestion; it may be taken. Empty
 * when none can be derived.
 */
export function suggestHandle(name: string): string {
  // A user name is derived from the part before the @ of an address; here the whole name counts.
  const handle = suggestLogin(name.replaceAll('@', ' '));
  return RESERVED_HANDLES.has(handle) ? '' : handle;
}
