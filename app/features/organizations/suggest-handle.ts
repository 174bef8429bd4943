import { suggestLogin } from '#server/services/identity/rules.ts';
import { RESERVED_HANDLES } from '#server/services/organizations/rules.ts';

/** Returns a short name made from an organization's name, as a first proposal; it may be taken. Empty when none can be made. */
export function suggestHandle(name: string): string {
  // A user name is made from what stands before the @ of an address; here all of the name counts.
  const handle = suggestLogin(name.replaceAll('@', ' '));
  return RESERVED_HANDLES.has(handle) ? '' : handle;
}
