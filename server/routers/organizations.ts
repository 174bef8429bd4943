import { z } from 'zod';
import { getOrganizationContext } from '../services/organizations/get-organization-context.ts';
import { listOrganizations } from '../services/organizations/list-organizations.ts';
import {
  membershipSchema,
  organizationContextSchema,
  setContextInput,
} from '../services/organizations/schema.ts';
import { setOrganizationContext } from '../services/organizations/set-organization-context.ts';
import { publicProcedure, router } from './trpc.ts';

export const organizationsRouter = router({
  list: publicProcedure.output(z.array(membershipSchema)).query(({ ctx }) => listOrganizations(ctx)),
  context: publicProcedure.output(organizationContextSchema).query(({ ctx }) => getOrganizationContext(ctx)),
  setContext: publicProcedure
    .input(setContextInput)
    .output(organizationContextSchema)
    .mutation(({ ctx, input }) => setOrganizationContext(ctx, input)),
});
