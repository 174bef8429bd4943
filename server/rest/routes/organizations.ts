import { z } from 'zod';
import { listLimits } from '../../services/limits/list-limits.ts';
import { limitUseSchema } from '../../services/limits/schema.ts';
import { createOrganization } from '../../services/organizations/create-organization.ts';
import { deleteOrganization } from '../../services/organizations/delete-organization.ts';
import { getOrganization } from '../../services/organizations/get-organization.ts';
import { acceptInvitation } from '../../services/organizations/invitations/accept-invitation.ts';
import { getInvitation } from '../../services/organizations/invitations/get-invitation.ts';
import { inviteMember } from '../../services/organizations/invitations/invite-member.ts';
import { listInvitations } from '../../services/organizations/invitations/list-invitations.ts';
import { revokeInvitation } from '../../services/organizations/invitations/revoke-invitation.ts';
import { leaveOrganization } from '../../services/organizations/members/leave-organization.ts';
import { listMembers } from '../../services/organizations/members/list-members.ts';
import { removeMember } from '../../services/organizations/members/remove-member.ts';
import { updateMember } from '../../services/organizations/members/update-member.ts';
import {
  createOrganizationInput,
  invitationInput,
  invitationPreviewSchema,
  invitationSchema,
  invitationTokenInput,
  inviteMemberInput,
  listInvitationsInput,
  listMembersInput,
  memberInput,
  memberSchema,
  membershipSchema,
  organizationSchema,
  updateMemberInput,
  updateOrganizationInput,
} from '../../services/organizations/schema.ts';
import { updateOrganization } from '../../services/organizations/update-organization.ts';
import { openRoute, organizationRoute, type Route } from '../route.ts';

const tag = 'Organizations';
/** Errors of a change to an organization that is managed elsewhere. */
const notHere = ['person_required', 'organization_is_personal', 'organization_managed_elsewhere'] as const;
const which =
  'The organization is the one in `Portage-Organization`, otherwise the current one of the session. A credential is refused.';

export const organizationRoutes: Route[] = [
  openRoute(
    {
      audience: 'person',
      method: 'POST',
      path: '/api/v1/organizations',
      id: 'createOrganization',
      tag,
      summary: 'Create an organization',
      description:
        'The caller becomes its owner. `handle` is its short name in addresses: 2 to 39 of a-z, 0-9 and hyphens inside. ' +
        'When people sign in with another identity service, organizations are created there.',
      body: { json: createOrganizationInput },
      success: { kind: 'json', status: 201, schema: membershipSchema },
      errors: [
        'person_required',
        'organization_handle_taken',
        'organization_managed_elsewhere',
        'limit_organizations',
      ],
    },
    ({ context, body }) => createOrganization(context, body),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/organization',
      id: 'getOrganization',
      tag,
      summary: 'Get the organization',
      description: which,
      success: { kind: 'json', status: 200, schema: organizationSchema },
      errors: ['person_required'],
    },
    ({ context }) => getOrganization(context),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/organization/limits',
      id: 'listLimits',
      tag,
      summary: 'Compare the organization’s use with its limits',
      description: `\`stored_bytes\` counts each content once; \`sites\` counts deleted ones that can be restored. ${which}`,
      success: { kind: 'json', status: 200, schema: z.array(limitUseSchema) },
      errors: ['person_required'],
    },
    ({ context }) => listLimits(context),
  ),
  organizationRoute(
    {
      method: 'PATCH',
      path: '/api/v1/organization',
      id: 'updateOrganization',
      tag,
      summary: 'Change the profile of the organization',
      description: `Absent fields do not change; null or an empty string clears a field. ${which}`,
      body: { json: updateOrganizationInput },
      success: { kind: 'json', status: 200, schema: organizationSchema },
      errors: [...notHere, 'organization_handle_taken'],
    },
    ({ context, body }) => updateOrganization(context, body),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/organization',
      id: 'deleteOrganization',
      tag,
      summary: 'Delete the organization',
      description:
        'Only an owner, and only while it has no sites (deleted ones that can be restored count), endpoints, buckets or ' +
        `credentials. All memberships and invitations end; its records are kept. ${which}`,
      success: { kind: 'empty' },
      errors: [...notHere, 'organization_not_empty'],
      refuses: 'credentials and operators',
    },
    ({ context }) => deleteOrganization(context),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/organization/leave',
      id: 'leaveOrganization',
      tag,
      summary: 'Leave the organization',
      description: which,
      success: { kind: 'empty' },
      errors: [...notHere, 'last_owner'],
      refuses: 'credentials and operators',
    },
    ({ context }) => leaveOrganization(context),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/organization/members',
      id: 'listMembers',
      tag,
      summary: 'List members, owners first, then by name',
      description:
        '`search` matches names and user names. `email` is null for callers who may not invite (only admin and owner may).',
      query: listMembersInput,
      success: { kind: 'page', schema: memberSchema },
      errors: ['person_required'],
    },
    ({ context, query }) => listMembers(context, query),
  ),
  organizationRoute(
    {
      method: 'PATCH',
      path: '/api/v1/organization/members/{user_id}',
      id: 'updateMember',
      tag,
      summary: 'Change the permission of a member',
      description: 'It applies from the member’s next request. Only an owner can appoint or demote owners.',
      params: memberInput,
      body: { json: updateMemberInput.omit({ user_id: true }) },
      success: { kind: 'json', status: 200, schema: memberSchema },
      errors: [...notHere, 'member_not_found', 'permission_not_grantable', 'last_owner'],
    },
    ({ context, params, body }) => updateMember(context, { ...params, ...body }),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/organization/members/{user_id}',
      id: 'removeMember',
      tag,
      summary: 'Remove a member',
      description:
        'From the next request on, the organization does not exist for that person, and links that the person shared ' +
        'stop working. Credentials belong to the organization and stay.',
      params: memberInput,
      success: { kind: 'empty' },
      errors: [...notHere, 'member_not_found', 'permission_not_grantable', 'last_owner'],
    },
    ({ context, params }) => removeMember(context, params),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/organization/invitations',
      id: 'listInvitations',
      tag,
      summary: 'List invitations that still work, newest first',
      description: '`link` is null when the caller may not grant that permission.',
      query: listInvitationsInput,
      success: { kind: 'page', schema: invitationSchema },
      errors: notHere,
    },
    ({ context, query }) => listInvitations(context, query),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/organization/invitations',
      id: 'inviteMember',
      tag,
      summary: 'Invite a person',
      description:
        'Returns a link that works once, for seven days. With `email` it is also sent there if this installation sends ' +
        'email (`delivery` says so); anyone with the link can use it.',
      body: { json: inviteMemberInput },
      success: { kind: 'json', status: 201, schema: invitationSchema },
      errors: [...notHere, 'permission_not_grantable', 'limit_invitations'],
      refuses: 'credentials and operators',
    },
    ({ context, body }) => inviteMember(context, body),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/organization/invitations/{invitation_id}',
      id: 'revokeInvitation',
      tag,
      summary: 'Revoke an invitation',
      params: invitationInput,
      success: { kind: 'empty' },
      errors: [...notHere, 'invitation_not_found', 'permission_not_grantable'],
    },
    ({ context, params }) => revokeInvitation(context, params),
  ),
  openRoute(
    {
      audience: 'public',
      method: 'GET',
      path: '/api/v1/invitations/{token}',
      id: 'getInvitation',
      tag,
      summary: 'Read an invitation by the token in its link',
      description: '`organization_id` is null here, because no sign-in is required.',
      params: invitationTokenInput,
      success: { kind: 'json', status: 200, schema: invitationPreviewSchema },
      errors: ['invitation_not_found', 'organization_suspended'],
    },
    ({ context, params }) => getInvitation(context, params),
  ),
  openRoute(
    {
      audience: 'person',
      method: 'POST',
      path: '/api/v1/invitations/{token}/accept',
      id: 'acceptInvitation',
      tag,
      summary: 'Join an organization with an invitation',
      description: 'It works once. A caller who is already a member does not use it up.',
      params: invitationTokenInput,
      success: { kind: 'json', status: 200, schema: membershipSchema },
      errors: [
        'person_required',
        'invitation_not_found',
        'already_member',
        'organization_suspended',
        'limit_members',
      ],
    },
    ({ context, params }) => acceptInvitation(context, params),
  ),
];
