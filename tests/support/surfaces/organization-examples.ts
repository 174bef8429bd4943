import { newId } from '#server/ids.ts';
import type { TenantIds } from './fill-organization.ts';
import {
  administers,
  type Example,
  inside,
  open,
  type ProcedureInput,
  personal,
  type RouteRequest,
  type Who,
} from './surface-example.ts';

const members: Who = { ...inside, needs: 'read', credential: 'never', operator: 'read', isNaming: false };
const organization: Who = { ...administers, isNaming: false };
/** A link is a secret: people create it. */
const invites: Who = { ...organization, operator: 'never' };
const leaves: Who = { ...members, operator: 'never' };
/** In an empty organization. */
const deletes: Who = { ...organization, needs: 'owner', operator: 'never', place: 'emptyOrganization' };
const joins: Who = { ...personal, isNaming: true, isOpenToHolders: true, place: 'invitingOrganization' };
const previews: Who = { ...open('whoever has an invitation’s link reads what it says'), isNaming: true };

const newOrganization = () => ({ name: 'New', handle: newId() });
const memberOf = ({ member }: TenantIds) => ({ user_id: member });
const invitationOf = ({ invitation }: TenantIds) => ({ invitation_id: invitation });
const tokenOf = ({ invitationToken }: TenantIds) => ({ token: invitationToken });

export const ORGANIZATION_PROCEDURES: Record<string, Example<ProcedureInput>> = {
  'organizations.create': { ...personal, request: newOrganization },
  'organizations.publicProfile': {
    ...open('the public page of an organization'),
    isNaming: true,
    request: ({ publicHandle }) => ({ handle: publicHandle }),
  },
  'organizations.invitation': { ...previews, request: tokenOf },
  'organizations.acceptInvitation': { ...joins, request: tokenOf },
  'organizations.get': { ...members, request: () => ({}) },
  'organizations.limits': { ...members, request: () => ({}) },
  'organizations.update': { ...organization, request: () => ({ description: 'new' }) },
  'organizations.members': { ...members, request: () => ({}) },
  'organizations.updateMember': {
    ...administers,
    request: (ids) => ({ ...memberOf(ids), permission: 'read' }),
  },
  'organizations.removeMember': { ...administers, request: memberOf },
  'organizations.invitations': { ...organization, request: () => ({}) },
  'organizations.invite': { ...invites, request: () => ({ permission: 'read' }) },
  'organizations.revokeInvitation': { ...administers, request: invitationOf },
};

/** After these, the caller has lost the organization. */
export const ENDING_PROCEDURES: Record<string, Example<ProcedureInput>> = {
  'organizations.leave': { ...leaves, request: () => ({}) },
  'organizations.delete': { ...deletes, request: () => ({}) },
};

export const ORGANIZATION_ROUTES: Record<string, Example<RouteRequest>> = {
  createOrganization: { ...personal, request: () => ({ json: newOrganization() }) },
  getInvitation: { ...previews, request: (ids) => ({ params: tokenOf(ids) }) },
  acceptInvitation: { ...joins, request: (ids) => ({ params: tokenOf(ids) }) },
  getOrganization: { ...members, request: () => ({}) },
  listLimits: { ...members, request: () => ({}) },
  updateOrganization: { ...organization, request: () => ({ json: { description: 'new' } }) },
  listMembers: { ...members, request: () => ({}) },
  updateMember: {
    ...administers,
    request: (ids) => ({ params: memberOf(ids), json: { permission: 'read' } }),
  },
  removeMember: { ...administers, request: (ids) => ({ params: memberOf(ids) }) },
  listInvitations: { ...organization, request: () => ({}) },
  inviteMember: { ...invites, request: () => ({ json: { permission: 'read' } }) },
  revokeInvitation: { ...administers, request: (ids) => ({ params: invitationOf(ids) }) },
};

export const ENDING_ROUTES: Record<string, Example<RouteRequest>> = {
  leaveOrganization: { ...leaves, request: () => ({}) },
  deleteOrganization: { ...deletes, request: () => ({}) },
};
