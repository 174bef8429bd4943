import { createBundle } from '../services/certificates/create-bundle.ts';
import { getBundle } from '../services/certificates/get-bundle.ts';
import { getDnsReport } from '../services/certificates/get-dns-report.ts';
import { issueBundle } from '../services/certificates/issue-bundle.ts';
import {
  bundleInput,
  bundleSchema,
  dnsReportSchema,
  endpointOfBundleInput,
} from '../services/certificates/schema.ts';
import { validateBundle } from '../services/certificates/validate-bundle.ts';
import { organizationProcedure, router } from './trpc.ts';

export const certificatesRouter = router({
  get: organizationProcedure
    .input(bundleInput)
    .output(bundleSchema)
    .query(({ ctx, input }) => getBundle(ctx, input)),
  create: organizationProcedure
    .input(endpointOfBundleInput)
    .output(bundleSchema)
    .mutation(({ ctx, input }) => createBundle(ctx, input)),
  dnsReport: organizationProcedure
    .input(bundleInput)
    .output(dnsReportSchema)
    .query(({ ctx, input }) => getDnsReport(ctx, input)),
  validate: organizationProcedure
    .input(bundleInput)
    .output(bundleSchema)
    .mutation(({ ctx, input }) => validateBundle(ctx, input)),
  issue: organizationProcedure
    .input(bundleInput)
    .output(bundleSchema)
    .mutation(({ ctx, input }) => issueBundle(ctx, input)),
});
