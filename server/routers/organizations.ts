import { z } from 'zod';
import { listLimits } from '../services/limits/list-limits.ts';
import { limitUseSchema } from '../services/limits/schema.ts';
import { createOrganization } from '../services/organizations/create-organization.ts';
import { deleteOrganization } from '../services/organizations/delete-organization.ts';
import { getOrganization } from '../services/organizations/get-organization.ts';
import { getOrganizationContext } from '../services/organizations/get-organization-context.ts';
import { getPublicProfile } from '../services/organizations/get-public-profile.ts';
import { acceptInvitation } from '../services/organizations/invitations/accept-invitation.ts';
import { getInvitation } from '../services/organizations/invitations/get-invitation.ts';
import { inviteMember } from '../services/organizations/invitations/invite-member.ts';
import { listInvitations } from '../services/organizations/invitations/list-invitations.ts';
import { revokeInvitation } from '../services/organizations/invitations/revoke-invitation.ts';
import { listOrganizations } from '../services/organizations/list-organizations.ts';
import { leaveOrganization } from '../services/organizations/members/leave-organization.ts';
import { listMembers } from '../services/organizations/members/list-members.ts';
import { removeMember } from '../services/organizations/members/remove-member.ts';
import { updateMember } from '../services/organizations/members/update-member.ts';
import {
  createOrganizationInput,
  invitationInput,
  invitationPageSchema,
  invitationPreviewSchema,
  invitationSchema,
  invitationTokenInput,
  inviteMemberInput,
  listInvitationsInput,
  listMembersInput,
  memberInput,
  memberPageSchema,
  memberSchema,
  membershipSchema,
  organizationContextSchema,
  organizationSchema,
  publicProfileInput,
  publicProfileSchema,
  setContextInput,
  updateMemberInput,
  updateOrganizationInput,
} from '../services/organizations/schema.ts';
import { setOrganizationContext } from '../services/organizations/set-organization-context.ts';
import { updateOrganization } from '../services/organizations/update-organization.ts';
import { organizationProcedure, publicProcedure, router } from './trpc.ts';

export const organizationsRouter = router({
  list: publicProcedure.output(z.array(membershipSchema)).query(({ ctx }) => listOrganizations(ctx)),
  context: publicProcedure.output(organizationContextSchema).query(({ ctx }) => getOrganizationContext(ctx)),
  setContext: publicProcedure
    .input(setContextInput)
    .output(organizationContextSchema)
    .mutation(({ ctx, input }) => setOrganizationContext(ctx, input)),
  create: publicProcedure
    .input(createOrganizationInput)
    .output(membershipSchema)
    .mutation(({ ctx, input }) => createOrganization(ctx, input)),
  publicProfile: publicProcedure
    .input(publicProfileInput)
    .output(publicProfileSchema)
    .query(({ ctx, input }) => getPublicProfile(ctx, input)),
  invitation: publicProcedure
    .input(invitationTokenInput)
    .output(invitationPreviewSchema)
    .query(({ ctx, input }) => getInvitation(ctx, input)),
  acceptInvitation: publicProcedure
    .input(invitationTokenInput)
    .output(membershipSchema)
    .mutation(({ ctx, input }) => acceptInvitation(ctx, input)),
  get: organizationProcedure.output(organizationSchema).query(({ ctx }) => getOrganization(ctx)),
  limits: organizationProcedure.output(z.array(limitUseSchema)).query(({ ctx }) => listLimits(ctx)),
  update: organizationProcedure
    .input(updateOrganizationInput)
    .output(organizationSchema)
    .mutation(({ ctx, input }) => updateOrganization(ctx, input)),
  delete: organizationProcedure.mutation(({ ctx }) => deleteOrganization(ctx)),
  leave: organizationProcedure.mutation(({ ctx }) => leaveOrganization(ctx)),
  members: organizationProcedure
    .input(listMembersInput)
    .output(memberPageSchema)
    .query(({ ctx, input }) => listMembers(ctx, input)),
  updateMember: organizationProcedure
    .input(updateMemberInput)
    .output(memberSchema)
    .mutation(({ ctx, input }) => updateMember(ctx, input)),
  removeMember: organizationProcedure
    .input(memberInput)
    .mutation(({ ctx, input }) => removeMember(ctx, input)),
  invitations: organizationProcedure
    .input(listInvitationsInput)
    .output(invitationPageSchema)
    .query(({ ctx, input }) => listInvitations(ctx, input)),
  invite: organizationProcedure
    .input(inviteMemberInput)
    .output(invitationSchema)
    .mutation(({ ctx, input }) => inviteMember(ctx, input)),
  revokeInvitation: organizationProcedure
    .input(invitationInput)
    .mutation(({ ctx, input }) => revokeInvitation(ctx, input)),
});
