import { z } from 'zod';
import { toDocumentationPage } from './documentation-page.ts';
import { toOpenApi } from './openapi.ts';
import { openRoute, type Route } from './route.ts';
import { aboutRoutes } from './routes/about.ts';
import { auditRoutes } from './routes/audit.ts';
import { cdnRoutes } from './routes/cdn.ts';
import { certificateRoutes } from './routes/certificates.ts';
import { credentialRoutes } from './routes/credentials.ts';
import { deploymentRoutes } from './routes/deployments.ts';
import { organizationRoutes } from './routes/organizations.ts';
import { siteRoutes } from './routes/sites.ts';
import { usageRoutes } from './routes/usage.ts';
import { userRoutes } from './routes/user.ts';

const describedRoutes: Route[] = [
  ...userRoutes,
  ...organizationRoutes,
  ...siteRoutes,
  ...deploymentRoutes,
  ...cdnRoutes,
  ...certificateRoutes,
  ...credentialRoutes,
  ...usageRoutes,
  ...auditRoutes,
  ...aboutRoutes,
];

/** The whole table of `/api/v1`. Dispatch, OpenAPI and the tenancy test read it; nothing is answered that is not in it. */
export const REST_ROUTES: readonly Route[] = [
  ...describedRoutes,
  openRoute(
    {
      audience: 'anybody',
      method: 'GET',
      path: '/api/v1/openapi.json',
      id: 'getOpenApi',
      tag: 'About',
      summary: 'Get this description',
      success: { kind: 'json', status: 200, schema: z.record(z.string(), z.unknown()) },
    },
    async ({ context }) => toOpenApi(describedRoutes, context.app.config),
  ),
  openRoute(
    {
      audience: 'anybody',
      method: 'GET',
      path: '/api/v1/docs',
      id: 'getDocumentation',
      tag: 'About',
      summary: 'Read this description',
      success: { kind: 'html' },
    },
    async ({ context }) => toDocumentationPage(describedRoutes, context.app.config),
  ),
];
