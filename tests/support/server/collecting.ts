import type { OrganizationContext, RequestContext } from '#server/context.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { sha256Of } from '../app/deploy.ts';
import { createTestApp, type TestApp } from '../app/test-app.ts';
import { createTestPerson } from '../app/test-person.ts';

/** Prepares a site whose content is collected by a job. */
export async function prepareCollecting() {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const job = jobContext(context, app);
  const has = (content: string) => app.blobs.has(sha256Of(content), 'identity');
  return { app, context, site, job, has };
}

/** Returns the context of the job that collects. */
function jobContext(context: OrganizationContext, app: TestApp): RequestContext {
  return { app, actor: { kind: 'job', name: 'collect-garbage' }, requestId: context.requestId, address: '' };
}
