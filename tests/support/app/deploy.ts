import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { OrganizationContext } from '#server/context.ts';
import { uploadBlob } from '#server/services/deployments/blobs/upload-blob.ts';
import { openVersion } from '#server/services/deployments/open-version.ts';
import type { DeployReport } from '#server/services/deployments/schema.ts';
import { sealVersion } from '#server/services/deployments/seal-version.ts';

export type TestFiles = Record<string, string | Buffer>;

export function sha256Of(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns the manifest of files given as path to content. */
export function manifestOf(files: TestFiles): Record<string, { sha256: string; size: number }> {
  return Object.fromEntries(
    Object.entries(files).map(([path, content]) => [
      path,
      { sha256: sha256Of(content), size: Buffer.byteLength(content) },
    ]),
  );
}

/** Opens a version and sends what is missing, without sealing it. Returns its id. */
export async function uploadTestVersion(
  context: OrganizationContext,
  siteId: string,
  files: TestFiles,
): Promise<string> {
  const version = await openVersion(context, { site_id: siteId, files: manifestOf(files) });
  const contentOf = new Map(Object.values(files).map((content) => [sha256Of(content), content]));
  for (const sha256 of version.missing) {
    const content = Buffer.from(contentOf.get(sha256) ?? '');
    await uploadBlob(context, { site_id: siteId, version_id: version.id, sha256 }, Readable.from([content]));
  }
  return version.id;
}

/** Deploys files with the same functions as the tooling: open, upload, seal and publish. */
export async function deployTestFiles(
  context: OrganizationContext,
  siteId: string,
  files: TestFiles,
): Promise<DeployReport> {
  const versionId = await uploadTestVersion(context, siteId, files);
  return sealVersion(context, { site_id: siteId, version_id: versionId });
}
