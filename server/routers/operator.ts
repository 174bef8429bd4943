import { z } from 'zod';
import { dismissAbuseReport } from '../services/abuse/dismiss-abuse-report.ts';
import { listAbuseReports } from '../services/abuse/list-abuse-reports.ts';
import {
  abuseReportPageSchema,
  abuseReportSchema,
  dismissAbuseReportInput,
  listAbuseReportsInput,
  siteForOperatorInput,
  siteSuspensionSchema,
  suspendSiteInput,
} from '../services/abuse/schema.ts';
import { resumeSite, suspendSite } from '../services/abuse/suspend-site.ts';
import {
  certificatesForOperatorSchema,
  listCertificatesForOperator,
} from '../services/certificates/list-certificates-for-operator.ts';
import { createAccount } from '../services/identity/accounts/create-account.ts';
import { createAccountInput, createdAccountSchema } from '../services/identity/schema.ts';
import { getInstallationHealth } from '../services/operator/get-installation-health.ts';
import { getInstallationStats } from '../services/operator/get-installation-stats.ts';
import { getInstallationUsage } from '../services/operator/get-installation-usage.ts';
import { getOrganizationForOperator } from '../services/operator/get-organization-for-operator.ts';
import { listOrganizationsForOperator } from '../services/operator/list-organizations-for-operator.ts';
import { resumeOrganization } from '../services/operator/resume-organization.ts';
import {
  installationHealthSchema,
  installationStatsSchema,
  installationUsageSchema,
  listOrganizationsForOperatorInput,
  organizationDetailSchema,
  organizationForOperatorPageSchema,
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
import { actAsOperator, getOperatorAccess } from '../services/people/act-as-operator.ts';
import { blockPerson, unblockPerson } from '../services/people/block-person.ts';
import { deletePerson } from '../services/people/delete-person.ts';
import { getPerson } from '../services/people/get-person.ts';
import { listPeople } from '../services/people/list-people.ts';
import {
  blockPersonInput,
  deletePersonInput,
  deletePersonResult,
  listPeopleInput,
  operatorAccessSchema,
  personDetailSchema,
  personForOperatorPageSchema,
  personInput,
} from '../services/people/schema.ts';
import { signOutPerson } from '../services/people/sign-out-person.ts';
import { listStuckWork } from '../services/stuck-work/list-stuck-work.ts';
import { stuckItemSchema } from '../services/stuck-work/schema.ts';
import { publicProcedure, router } from './trpc.ts';

/** For an operator token, or a signed-in person whom the command line has made an operator. */
const operatorProcedure = publicProcedure.use(async ({ ctx, next }) =>
  next({ ctx: await actAsOperator(ctx) }),
);

/**
 * What the operator of the installation may do, with an operator token or signed in to the console: `read`
 * may only look, `manage` may also change. Every change is in the audit log of the organization that it
 * concerns. `organization_id` takes an id, an external id or a handle.
 */
export const operatorRouter = router({
  access: publicProcedure.output(operatorAccessSchema).query(({ ctx }) => getOperatorAccess(ctx)),
  organizations: operatorProcedure
    .input(listOrganizationsForOperatorInput)
    .output(organizationForOperatorPageSchema)
    .query(({ ctx, input }) => listOrganizationsForOperator(ctx, input)),
  organization: operatorProcedure
    .input(organizationReferenceInput)
    .output(organizationDetailSchema)
    .query(({ ctx, input }) => getOrganizationForOperator(ctx, input)),
  stuckWork: operatorProcedure.output(z.array(stuckItemSchema)).query(({ ctx }) => listStuckWork(ctx)),
  certificates: operatorProcedure
    .output(certificatesForOperatorSchema)
    .query(({ ctx }) => listCertificatesForOperator(ctx)),
  stats: operatorProcedure.output(installationStatsSchema).query(({ ctx }) => getInstallationStats(ctx)),
  health: operatorProcedure.output(installationHealthSchema).query(({ ctx }) => getInstallationHealth(ctx)),
  usage: operatorProcedure.output(installationUsageSchema).query(({ ctx }) => getInstallationUsage(ctx)),
  setFeatures: operatorProcedure
    .input(setFeaturesInput)
    .output(organizationDetailSchema)
    .mutation(({ ctx, input }) => setOrganizationFeatures(ctx, input)),
  setLimits: operatorProcedure
    .input(setLimitsInput)
    .output(organizationDetailSchema)
    .mutation(({ ctx, input }) => setOrganizationLimits(ctx, input)),
  suspend: operatorProcedure
    .input(suspendOrganizationInput)
    .output(organizationDetailSchema)
    .mutation(({ ctx, input }) => suspendOrganization(ctx, input)),
  resume: operatorProcedure
    .input(organizationReferenceInput)
    .output(organizationDetailSchema)
    .mutation(({ ctx, input }) => resumeOrganization(ctx, input)),
  setMember: operatorProcedure
    .input(setMemberInput)
    .output(setMemberResult)
    .mutation(({ ctx, input }) => setOrganizationMember(ctx, input)),
  people: operatorProcedure
    .input(listPeopleInput)
    .output(personForOperatorPageSchema)
    .query(({ ctx, input }) => listPeople(ctx, input)),
  person: operatorProcedure
    .input(personInput)
    .output(personDetailSchema)
    .query(({ ctx, input }) => getPerson(ctx, input)),
  createAccount: operatorProcedure
    .input(createAccountInput)
    .output(createdAccountSchema)
    .mutation(({ ctx, input }) => createAccount(ctx, input)),
  blockPerson: operatorProcedure
    .input(blockPersonInput)
    .output(personDetailSchema)
    .mutation(({ ctx, input }) => blockPerson(ctx, input)),
  unblockPerson: operatorProcedure
    .input(personInput)
    .output(personDetailSchema)
    .mutation(({ ctx, input }) => unblockPerson(ctx, input)),
  signOutPerson: operatorProcedure
    .input(personInput)
    .output(personDetailSchema)
    .mutation(({ ctx, input }) => signOutPerson(ctx, input)),
  deletePerson: operatorProcedure
    .input(deletePersonInput)
    .output(deletePersonResult)
    .mutation(({ ctx, input }) => deletePerson(ctx, input)),
  abuseReports: operatorProcedure
    .input(listAbuseReportsInput)
    .output(abuseReportPageSchema)
    .query(({ ctx, input }) => listAbuseReports(ctx, input)),
  dismissAbuseReport: operatorProcedure
    .input(dismissAbuseReportInput)
    .output(abuseReportSchema)
    .mutation(({ ctx, input }) => dismissAbuseReport(ctx, input)),
  suspendSite: operatorProcedure
    .input(suspendSiteInput)
    .output(siteSuspensionSchema)
    .mutation(({ ctx, input }) => suspendSite(ctx, input)),
  resumeSite: operatorProcedure
    .input(siteForOperatorInput)
    .output(siteSuspensionSchema)
    .mutation(({ ctx, input }) => resumeSite(ctx, input)),
});
