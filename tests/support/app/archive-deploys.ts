import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { App } from '#server/context.ts';
import { deployArchive } from '#server/services/deployments/archives/deploy-archive.ts';
import { listVersionFiles } from '#server/services/deployments/manifests/list-version-files.ts';
import type { ArchiveType } from '#server/services/deployments/rules.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { inChunks } from '../archives.ts';
import { createTestApp, type TestApp } from './test-app.ts';
import { createTestPerson } from './test-person.ts';

/** A page that an archive may hold. */
export const page = { name: 'index.html', content: '<h1>hello</h1>' };

/** A site, and what deploys archives to it. */
export async function prepareArchives(environment: Record<string, string> = {}, parts: Partial<App> = {}) {
  const app = await createTestApp({ environment, ...parts });
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const deploy = (type: ArchiveType, bytes: Buffer) =>
    deployArchive(context, { site_id: site.id }, { type, content: Readable.from(inChunks(bytes)) });
  const paths = async (versionId: string) => {
    const page = await listVersionFiles(context, { site_id: site.id, version_id: versionId });
    return page.items.map((file) => file.path);
  };
  return { app, context, site, deploy, paths };
}

/** Everything in the store: names of blobs and of temporary files. */
export async function storedNames(app: TestApp): Promise<string[]> {
  const root = join(app.config.dataDir, 'blobs');
  const names = await readdir(root, { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

/** Expects that neither the store nor the database has anything of a deploy. */
export async function expectNothingLeft(app: TestApp): Promise<void> {
  expect(await storedNames(app)).toEqual([]);
  expect(await app.db.selectFrom('site_versions').select('id').execute()).toEqual([]);
  expect(await app.db.selectFrom('blobs').select('sha256').execute()).toEqual([]);
}
