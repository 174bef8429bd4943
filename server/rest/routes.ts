import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { toDocumentationPage } from './openapi/documentation-page.ts';
import { toOpenApi } from './openapi/openapi.ts';
import { openRoute, type Route } from './route.ts';
import { aboutRoutes } from './routes/about.ts';
import { abuseRoutes } from './routes/abuse.ts';
import { auditRoutes } from './routes/audit.ts';
import { billingRoutes } from './routes/billing.ts';
import { cdnRoutes } from './routes/cdn.ts';
import { certificateRoutes } from './routes/certificates.ts';
import { credentialRoutes } from './routes/credentials.ts';
import { deploymentRoutes } from './routes/deployments.ts';
import { organizationRoutes } from './routes/organizations.ts';
import { publisherRoutes } from './routes/publishers.ts';
import { siteRoutes } from './routes/sites.ts';
import { storageRoutes } from './routes/storage.ts';
import { usageRoutes } from './routes/usage.ts';
import { userRoutes } from './routes/user.ts';
import { webhookRoutes } from './routes/webhooks.ts';

const describedRoutes: Route[] = [
  ...userRoutes,
  ...webhookRoutes,
  ...organizationRoutes,
  ...siteRoutes,
  ...publisherRoutes,
  ...deploymentRoutes,
  ...cdnRoutes,
  ...certificateRoutes,
  ...credentialRoutes,
  ...storageRoutes,
  ...usageRoutes,
  ...billingRoutes,
  ...auditRoutes,
  ...abuseRoutes,
  ...aboutRoutes,
];

/** What anyone may request and takes long to build is built once per installation. */
function madeOnce<Made>(make: (config: Config) => Made): (config: Config) => Made {
  const made = new WeakMap<Config, Made>();
  return (config) => {
    const known = made.get(config) ?? make(config);
    made.set(config, known);
    return known;
  };
}

const openApiOf = madeOnce((config) => toOpenApi(describedRoutes, config));
const documentationOf = madeOnce((config) => toDocumentationPage(openApiOf(config), describedRoutes));

/**
 * The whole table of `/api/v1`. Dispatch, OpenAPI and the tenancy test read it; no other addresses are
 * answered.
 */
export const REST_ROUTES: readonly Route[] = [
  ...describedRoutes,
  openRoute(
    {
      audience: 'public',
      method: 'GET',
      path: '/api/v1/openapi.json',
      id: 'getOpenApi',
      tag: 'About',
      summary: 'Get this description',
      success: { kind: 'json', status: 200, schema: z.record(z.string(), z.unknown()) },
    },
    async ({ context }) => openApiOf(context.app.config),
  ),
  openRoute(
    {
      audience: 'public',
      method: 'GET',
      path: '/api/v1/docs',
      id: 'getDocumentation',
      tag: 'About',
      summary: 'Read this description',
      success: { kind: 'html' },
    },
    async ({ context }) => documentationOf(context.app.config),
  ),
];
