import { requireStatus } from '../client/deploy-client.ts';
import { objectOf } from '../client/rest-client.ts';
import type { SignedInVisitor } from './journey.ts';

/** A named organization in a journey. */
export interface MadeOrganization {
  id: string;
  name: string;
  handle: string;
  /** The path of its page. */
  path: string;
}

type Permission = 'read' | 'write' | 'admin' | 'owner';
type Owner = Pick<SignedInVisitor, 'api'>;

/** Creates a named organization owned by the visitor. */
export async function makeOrganization(
  owner: Owner,
  profile: { name: string; handle: string; description?: string; website?: string; location?: string },
): Promise<MadeOrganization> {
  const response = requireStatus(await owner.api('POST', '/api/v1/organizations', { json: profile }), 201);
  const { organization } = objectOf(response);
  const { id } = organization as { id: string };
  const { name, handle } = profile;
  return { id, name, handle, path: `/identity/organizations/${handle}` };
}

/** Returns the path that the link of a new invitation opens. */
export async function invite(
  owner: Owner,
  { id }: MadeOrganization,
  invitation: { permission: Permission; email?: string },
): Promise<string> {
  const headers = { 'portage-organization': id };
  const request = { json: invitation, headers };
  const response = requireStatus(await owner.api('POST', '/api/v1/organization/invitations', request), 201);
  return new URL(String(objectOf(response).link)).pathname;
}

/** Makes the guest a member. */
export async function addMember(
  owner: Owner,
  organization: MadeOrganization,
  guest: Owner,
  permission: Permission,
): Promise<void> {
  const path = await invite(owner, organization, { permission });
  const token = path.split('/').at(-1);
  // Every unsafe request has a JSON body.
  requireStatus(await guest.api('POST', `/api/v1/invitations/${token}/accept`, { json: {} }), 200);
}
