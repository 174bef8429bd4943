import { createAccount } from '../services/identity/create-account.ts';
import { createAccountInput, createdAccountSchema } from '../services/identity/schema.ts';
import { getInstallationStats } from '../services/operator/get-installation-stats.ts';
import { getOperatedOrganization } from '../services/operator/get-operated-organization.ts';
import { listOperatedOrganizations } from '../services/operator/list-operated-organizations.ts';
import { resumeOrganization } from '../services/operator/resume-organization.ts';
import {
  installationStatsSchema,
  listOperatedOrganizationsInput,
  operatedOrganizationPageSchema,
  organizationDetailSchema,
  organizationReferenceInput,
  setFeaturesInput,
  setLimitsInput,
  setMemberInput,
  setMemberResult,
  suspendOrganizationInput,
} from '../services/operator/schema.ts';
import { setOrganizationFeatures } from '../services/operator/set-organization-features.ts';
import { setOrganizationLimits } from '../services/operator/set-organization-limits.ts';
import { setOrganizationMember } from '../services/operator/set-organization-member.ts';
import { suspendOrganization } from '../services/operator/suspend-organization.ts';
import { blockPerson, unblockPerson } from '../services/people/block-person.ts';
import { deletePerson } from '../services/people/delete-person.ts';
import { getPerson } from '../services/people/get-person.ts';
import { listPeople } from '../services/people/list-people.ts';
import {
  blockPersonInput,
  deletePersonInput,
  deletePersonResult,
  listPeopleInput,
  operatedPersonPageSchema,
  personDetailSchema,
  personInput,
} from '../services/people/schema.ts';
import { signOutPerson } from '../services/people/sign-out-person.ts';
import { publicProcedure, router } from './trpc.ts';

/**
 * What whoever runs this installation may do, by an operator token: `read` looks, `manage` also changes. Every change is in
 * the audit log of the organization that it concerns. `organization_id` takes an id, an external id or a handle.
 */
export const operatorRouter = router({
  organizations: publicProcedure
    .input(listOperatedOrganizationsInput)
    .output(operatedOrganizationPageSchema)
    .query(({ ctx, input }) => listOperatedOrganizations(ctx, input)),
  organization: publicProcedure
    .input(organizationReferenceInput)
    .output(organizationDetailSchema)
    .query(({ ctx, input }) => getOperatedOrganization(ctx, input)),
  stats: publicProcedure.output(installationStatsSchema).query(({ ctx }) => getInstallationStats(ctx)),
  setFeatures: publicProcedure
    .input(setFeaturesInput)
    .output(organizationDetailSchema)
    .mutation(({ ctx, input }) => setOrganizationFeatures(ctx, input)),
  setLimits: publicProcedure
    .input(setLimitsInput)
    .output(organizationDetailSchema)
    .mutation(({ ctx, input }) => setOrganizationLimits(ctx, input)),
  suspend: publicProcedure
    .input(suspendOrganizationInput)
    .output(organizationDetailSchema)
    .mutation(({ ctx, input }) => suspendOrganization(ctx, input)),
  resume: publicProcedure
    .input(organizationReferenceInput)
    .output(organizationDetailSchema)
    .mutation(({ ctx, input }) => resumeOrganization(ctx, input)),
  setMember: publicProcedure
    .input(setMemberInput)
    .output(setMemberResult)
    .mutation(({ ctx, input }) => setOrganizationMember(ctx, input)),
  people: publicProcedure
    .input(listPeopleInput)
    .output(operatedPersonPageSchema)
    .query(({ ctx, input }) => listPeople(ctx, input)),
  person: publicProcedure
    .input(personInput)
    .output(personDetailSchema)
    .query(({ ctx, input }) => getPerson(ctx, input)),
  createAccount: publicProcedure
    .input(createAccountInput)
    .output(createdAccountSchema)
    .mutation(({ ctx, input }) => createAccount(ctx, input)),
  blockPerson: publicProcedure
    .input(blockPersonInput)
    .output(personDetailSchema)
    .mutation(({ ctx, input }) => blockPerson(ctx, input)),
  unblockPerson: publicProcedure
    .input(personInput)
    .output(personDetailSchema)
    .mutation(({ ctx, input }) => unblockPerson(ctx, input)),
  signOutPerson: publicProcedure
    .input(personInput)
    .output(personDetailSchema)
    .mutation(({ ctx, input }) => signOutPerson(ctx, input)),
  deletePerson: publicProcedure
    .input(deletePersonInput)
    .output(deletePersonResult)
    .mutation(({ ctx, input }) => deletePerson(ctx, input)),
});
