import { abuseRouter } from './abuse.ts';
import { auditRouter } from './audit.ts';
import { billingRouter } from './billing.ts';
import { cdnRouter } from './cdn.ts';
import { certificatesRouter } from './certificates.ts';
import { credentialsRouter } from './credentials.ts';
import { deploymentsRouter } from './deployments.ts';
import { operatorRouter } from './operator.ts';
import { organizationsRouter } from './organizations.ts';
import { sitesRouter } from './sites.ts';
import { storageRouter } from './storage.ts';
import { router } from './trpc.ts';
import { usageRouter } from './usage.ts';
import { userRouter } from './user.ts';
import { webhooksRouter } from './webhooks.ts';

/** Every procedure of the console; internal tools and the browser import its type. */
export const appRouter = router({
  abuse: abuseRouter,
  audit: auditRouter,
  billing: billingRouter,
  cdn: cdnRouter,
  certificates: certificatesRouter,
  credentials: credentialsRouter,
  deployments: deploymentsRouter,
  operator: operatorRouter,
  organizations: organizationsRouter,
  sites: sitesRouter,
  storage: storageRouter,
  usage: usageRouter,
  user: userRouter,
  webhooks: webhooksRouter,
});

export type AppRouter = typeof appRouter;
