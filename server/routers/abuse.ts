import { reportAbuse } from '../services/abuse/report-abuse.ts';
import { abuseReceiptSchema, reportAbuseInput } from '../services/abuse/schema.ts';
import { publicProcedure, router } from './trpc.ts';

/** What anyone may report about sites that are served here. */
export const abuseRouter = router({
  report: publicProcedure
    .input(reportAbuseInput)
    .output(abuseReceiptSchema)
    .mutation(({ ctx, input }) => reportAbuse(ctx, input)),
});
